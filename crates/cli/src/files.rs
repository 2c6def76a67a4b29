//! Files that a command will write: looked at before the work begins.

use std::path::Path;

use anyhow::{Context, Result, bail};

/// Refuses a file of another kind than is written, or one that cannot be written, before the work.
pub(crate) fn check(flag: &str, path: &Path, ending: &str) -> Result<()> {
    let given = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    if !given.eq_ignore_ascii_case(ending) {
        let (shown, instead) = (path.display(), path.with_extension(ending));
        bail!(
            "{flag} {shown}: only .{ending} files are written; give {flag} {}",
            instead.display()
        );
    }
    let dir = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    if !dir.is_dir() {
        bail!("cannot write {}: {} is not a folder", path.display(), dir.display());
    }
    let probe = dir.join(format!(".longarm-probe-{}", std::process::id()));
    std::fs::write(&probe, []).with_context(|| format!("cannot write {}", path.display()))?;
    std::fs::remove_file(&probe)?;
    Ok(())
}
