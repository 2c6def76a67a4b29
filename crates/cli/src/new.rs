use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use longarm_catalogue::starter::{STARTERS, starter};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What: task, scene, object or rig.
    #[arg(value_parser = STARTERS.map(|s| s.kind))]
    kind: String,
    /// The file to write, ending in .toml.
    file: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let Some(starter) = starter(&args.kind) else { bail!("nothing to start from") };
    let shown = args.file.display();
    if args.file.extension().is_none_or(|e| e != "toml") {
        bail!("{shown}: the file must end in .toml");
    }
    let name = args.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = vec![(args.file.clone(), starter.text)];
    files.extend(starter.beside.map(|(ending, text)| (args.file.with_extension(ending), text)));
    if let Some((there, _)) = files.iter().find(|(path, _)| path.exists()) {
        bail!("{} exists; choose another name", there.display());
    }
    for (path, text) in files {
        longarm_data::write_atomically(&path, text.replace("NAME", &name).as_bytes())?;
        writeln!(std::io::stdout().lock(), "wrote {}", path.display())?;
    }
    Ok(())
}
