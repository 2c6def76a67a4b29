//! The options that suites declare.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use longarm_suites::Suite;
use longarm_task::TaskSpec;

/// `-o name=value`.
#[derive(clap::Args)]
pub(crate) struct Choices {
    /// Choose an option of the suite, as name=value; `longarm list SUITE --options` lists them.
    #[arg(short = 'o', long = "option", value_name = "NAME=VALUE")]
    given: Vec<String>,
    #[arg(long, hide = true)]
    strict_libero: bool,
}

impl Choices {
    /// Name and value of each.
    pub(crate) fn parsed(&self) -> Result<Vec<(String, String)>> {
        // The flag of earlier versions.
        let flag = self.strict_libero.then_some("strict-libero=true");
        let given = self.given.iter().map(String::as_str);
        Ok(longarm_eval::choices(given.chain(flag))?)
    }

    /// A task under these options.
    pub(crate) fn apply(&self, task: Arc<TaskSpec>) -> Result<Arc<TaskSpec>> {
        let choices = self.parsed()?;
        if choices.is_empty() {
            return Ok(task);
        }
        let mut tasks = longarm_suites::with_options(vec![TaskSpec::clone(&task)], &choices)?;
        Ok(tasks.pop().map_or(task, Arc::new))
    }
}

/// Lists the options of suites.
pub(crate) fn list(out: &mut impl Write, suites: &[&Suite]) -> Result<()> {
    let declared = suites.iter().flat_map(|s| s.options.iter().map(move |o| (s.name, o)));
    let mut any = false;
    for (suite, o) in declared {
        any = true;
        writeln!(
            out,
            "{suite}  -o {}={}  {} [default: {}]",
            o.name,
            o.values.join("|"),
            o.help,
            o.values[0]
        )?;
    }
    if !any {
        let names: Vec<&str> = suites.iter().map(|s| s.name).collect();
        writeln!(out, "{} has no options", names.join(", "))?;
    }
    Ok(())
}
