use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use longarm_bridge::{Late, SimBridge, SimOptions};
use longarm_sim::{Env, EnvSettings, ImageSettings};

use crate::{interrupt, select::select};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    arm: Arm,
}

#[derive(clap::Subcommand)]
enum Arm {
    /// The simulator, at real time, with the scene of the seed that a console asks for.
    Sim(Sim),
}

#[derive(clap::Args)]
struct Sim {
    /// Task or task file.
    task: String,
    /// Where the console reaches it; port 0 takes a free one.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8765")]
    listen: String,
    /// Seed of the scene that is seen before an episode begins.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Milliseconds of silence after which it halts.
    #[arg(long, value_name = "MS", default_value_t = 500, value_parser = clap::value_parser!(u64).range(50..=10_000))]
    watchdog: u64,
    /// Without an action at its time: hold, as an arm does, or wait, so that what was recorded can be repeated.
    #[arg(long, default_value = "hold", value_parser = ["hold", "wait"])]
    late: String,
    /// Pictures of this size instead of the rig's own; 0x0 sends none.
    #[arg(long, value_name = "WxH")]
    size: Option<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let Arm::Sim(args) = &args.arm;
    let tasks = select(std::slice::from_ref(&args.task))?;
    let [task] = tasks.as_slice() else {
        bail!("{}: a bridge is around one task, not {}", args.task, tasks.len());
    };
    let size = args.size.as_deref().map(|s| match s.split_once('x') {
        Some((w, h)) => Ok((w.parse::<usize>()?, h.parse::<usize>()?)),
        None => bail!("--size {s}: write 320x240"),
    });
    let images = match size.transpose()? {
        Some((0, 0)) => None,
        size => Some(ImageSettings { size, ..ImageSettings::default() }),
    };
    let mut env = Env::new(Arc::clone(task), EnvSettings { images })?;
    env.measure_dense(false);
    let late = if args.late == "wait" { Late::Wait } else { Late::Hold };
    let options = SimOptions { watchdog: Duration::from_millis(args.watchdog), late };
    let bridge = SimBridge::open(env, args.seed, &args.listen, options)?;
    tell!("bridge to the simulated {} on ws://{}", task.id, bridge.address()?);
    let stop = interrupt::flag()?;
    Ok(bridge.run(&stop, &mut |what| tell!("{what}"))?)
}
