use std::path::PathBuf;

use anyhow::Result;
use longarm_eval::write_report;
use longarm_results::merge;
use longarm_types::counted;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run directories of shards of one run.
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// The new run directory.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print results.json instead of a table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let merged = merge(&args.dirs, &args.out)?;
    if merged.repeated > 0 {
        tell!(
            "note: several directories hold the same result of {}",
            counted(merged.repeated, "episode")
        );
    }
    for torn in &merged.torn {
        tell!("warning: the last line of {} is torn and was left out", torn.display());
    }
    if merged.missing_files > 0 {
        let n = counted(merged.missing_files, "file");
        tell!("warning: {n} that rows name, traces or films, cannot be found");
    }
    if !merged.missing_shards.is_empty() {
        let names: Vec<String> = merged.missing_shards.iter().map(ToString::to_string).collect();
        tell!("warning: no directory holds shard {}", names.join(", "));
    }
    write_report(&args.out)?;
    let mut out = std::io::stdout().lock();
    if args.json {
        std::io::Write::write_all(&mut out, merged.results.to_json().as_bytes())?;
        return Ok(());
    }
    crate::eval_table::table(&mut out, &merged.results)
}
