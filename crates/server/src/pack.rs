//! From a run directory to the archive that is submitted.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use longarm_results::{EPISODES, RUN, TRACES};
use tar::{Builder, Header};

/// Pack what a replay needs of a run directory. The same run gives the same bytes, so that an upload that
/// broke off goes on with an archive that is packed again.
pub fn pack(dir: &Path, into: &Path) -> std::io::Result<u64> {
    let mut names: Vec<PathBuf> = vec![RUN.into(), EPISODES.into()];
    list(dir, Path::new(TRACES), &mut names)?;
    names.sort();
    let mut out = Builder::new(GzEncoder::new(File::create(into)?, Compression::fast()));
    for name in names {
        let mut file = File::open(dir.join(&name)).map_err(|e| {
            std::io::Error::new(e.kind(), format!("{}: {e}", dir.join(&name).display()))
        })?;
        let mut header = Header::new_gnu();
        header.set_size(file.metadata()?.len());
        header.set_mode(0o644);
        header.set_mtime(0);
        out.append_data(&mut header, &name, &mut file)?;
    }
    let mut file = out.into_inner()?.finish()?;
    file.flush()?;
    Ok(file.metadata()?.len())
}

fn list(dir: &Path, folder: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir.join(folder))? {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            list(dir, &name, out)?;
        } else if kind.is_file() && name.extension().is_some_and(|e| e == "trace") {
            out.push(name);
        }
    }
    Ok(())
}
