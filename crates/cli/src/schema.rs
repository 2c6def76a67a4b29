use std::io::Write;

use anyhow::{Result, bail};
use longarm_catalogue::schema::{NAMES, schema};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Of which file: task, scene, object, rig, results (results.json of a run), or report (what
    /// `longarm report --json` prints).
    #[arg(value_parser = NAMES.into_iter().chain(["results", "report"]).collect::<Vec<_>>())]
    what: String,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let text = match args.what.as_str() {
        "results" => longarm_results::schema(),
        "report" => longarm_results::Overview::json_schema(),
        name => match schema(name) {
            Some(value) => format!("{}\n", serde_json::to_string_pretty(&value)?),
            None => bail!("there is no schema {name:?}"),
        },
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}
