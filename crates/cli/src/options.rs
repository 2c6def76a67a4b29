//! The options that suites declare, and the control mode.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Result, bail};
use longarm_catalogue::{OFF, asset_folders};
use longarm_eval::{ASSETS, Variant};
use longarm_suites::{SUITES, Suite};
use longarm_task::TaskSpec;
use longarm_types::ControlMode;

/// `-o name=value` and `--control`.
#[derive(clap::Args)]
pub(crate) struct Choices {
    /// Choose an option of the suite, as name=value; `longarm list SUITE --options` lists them.
    #[arg(short = 'o', long = "option", value_name = "NAME=VALUE")]
    given: Vec<String>,
    /// Play tasks in other people's files: NAME=DIR,NAME=DIR; `off` plays ours
    /// [default: LONGARM_ASSETS, or `[assets]` in ~/.config/longarm/config.toml].
    #[arg(long, value_name = "NAME=DIR,…")]
    assets: Option<String>,
    #[arg(long, hide = true)]
    strict_libero: bool,
    /// What actions command: tool-delta, joint-target or joint-delta [default: what the robot of the
    /// task does by default].
    #[arg(long, value_name = "MODE")]
    control: Option<ControlMode>,
}

impl Choices {
    /// What they make of tasks.
    pub(crate) fn variant(&self) -> Result<Variant> {
        // The flag of earlier versions.
        let flag = self.strict_libero.then_some("strict-libero=true");
        let given = self.given.iter().map(String::as_str);
        let mut variant = Variant::new(given.chain(flag), self.control)?;
        if let Some(asked) = asset_folders(self.assets.as_deref())? {
            if let Some(from) = &asked.from {
                tell!(
                    "note: files of other people's are taken from {}, as {from} says",
                    asked.folders
                );
            }
            variant.options.insert(ASSETS.to_owned(), asked.folders.to_string());
        }
        Ok(variant)
    }
}

impl Choices {
    /// Refuse folders that were given for tasks of which none is played in files.
    pub(crate) fn check_files(&self, tasks: &[Arc<TaskSpec>]) -> Result<()> {
        let given = self.assets.as_deref().is_some_and(|a| a != OFF);
        if given && tasks.iter().all(|t| t.files.is_none()) {
            let with = SUITES.iter().filter(|s| s.from_files.is_some()).map(|s| s.name);
            let names = with.collect::<Vec<_>>().join(", ");
            bail!(
                "--assets: none of these tasks can be played in other people's files; those of {names} can"
            );
        }
        Ok(())
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
        let has = if names.len() == 1 { "has" } else { "have" };
        writeln!(out, "{} {has} no options", names.join(", "))?;
    }
    Ok(())
}
