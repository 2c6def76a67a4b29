use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Result, bail};
use longarm_eval::{
    Evaluation, ExecutionOptions, HarnessError, PolicySpec, Prepared, RunOptions, RunSetup, Seeds,
    Videos, evaluate, write_report,
};
use longarm_results::{REPORT, RUN, RunDir, Shard};
use longarm_types::{Hints, Split, counted};

use crate::eval_table::table;
use crate::grasps::GraspChoice;
use crate::interrupt::{self, Interrupted};
use crate::options::Choices;
use crate::progress::Progress;
use crate::select::select_or_read;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Suites, tasks, patterns such as 'SUITE/*block*', or .bddl and .json files.
    #[arg(required = true, value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// expert, reactive, search, idle, random, replay:DIR, nearest:DIR (native demonstrations), par and other
    /// agents (`longarm help agents`), agent:FILE.toml, or a server:
    /// openpi:HOST:PORT?preset=libero;
    /// also vla-eval:, roboarena:, behavior:; several servers as HOST:PORT,HOST:PORT.
    #[arg(long)]
    policy: String,
    #[command(flatten)]
    grasps: GraspChoice,
    /// Episodes of each task [default: what the suite's protocol asks for, 50 for your own tasks].
    #[arg(long)]
    episodes: Option<u64>,
    /// Seed of each task's first episode, taken literally; episode k has this plus k
    /// [default: the suite's test seeds].
    #[arg(long)]
    seed: Option<u64>,
    /// How far the seeds of successive episodes are apart, taken literally.
    #[arg(long, value_name = "K")]
    seed_stride: Option<u64>,
    /// Take the first seeds of this range, as the suite's protocol declares it [default: test].
    #[arg(long, value_name = "train|validation|test", conflicts_with_all = ["seed", "seed_stride"])]
    split: Option<Split>,
    /// Run directory: rows, traces, results.json and report.html go there.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Worker threads. Results do not depend on their number.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
    /// Run only part i of n; `longarm merge` puts the parts together.
    #[arg(long, value_name = "I/N", default_value_t = Shard::WHOLE)]
    shard: Shard,
    /// A data set that the policy learned from, as `longarm demos` wrote it; several may be given.
    /// Episodes that it contains are reported apart. What nearest:DIR plays counts without being named.
    #[arg(long, value_name = "DIR")]
    trained_on: Vec<PathBuf>,
    /// Complete a run that was interrupted, or add episodes to one with a larger --episodes; episodes
    /// in which the harness broke run again.
    #[arg(long)]
    resume: bool,
    /// Take only the first K actions of every chunk before asking again.
    #[arg(long, value_name = "K")]
    execute: Option<u32>,
    /// Take every action K times.
    #[arg(long, value_name = "K")]
    action_repeat: Option<u32>,
    /// Let actions take effect K actions late; until then the robot stands still.
    #[arg(long, value_name = "K")]
    latency: Option<u32>,
    /// Standard deviation of Gaussian noise on the motion, in units of the action.
    #[arg(long, value_name = "S")]
    action_noise: Option<f64>,
    /// Standard deviation of Gaussian noise on the pictures a policy sees, in grey levels.
    #[arg(long, value_name = "S")]
    pixel_noise: Option<f64>,
    /// End episodes after N control steps, where the task's horizon is longer.
    #[arg(long, value_name = "N")]
    max_steps: Option<u32>,
    /// Let episodes run on for N steps after their success, at most to the horizon: whether it stands
    /// to the end is reported beside whether it ever came.
    #[arg(long, value_name = "N")]
    run_on: Option<u32>,
    /// Tell the policy one stage at a time instead of the whole instruction.
    #[arg(long)]
    stepwise: bool,
    /// Tell the policy the true subtask of the moment (`subtask`) in place of the instruction, or not.
    #[arg(long, value_name = "none|subtask", default_value_t = Hints::None)]
    hints: Hints,
    #[command(flatten)]
    choices: Choices,
    /// Film the first N episodes of each task, all of them, or the failures.
    #[arg(long, value_name = "N|all|failures", default_value_t = Videos::NONE)]
    videos: Videos,
    /// Write a page per episode with what an agent saw, asked, answered and brought about; the report links
    /// them.
    #[arg(long)]
    trace_agent: bool,
    /// Longest time a policy server may take for one answer; the address's own timeout= otherwise.
    #[arg(long, value_name = "S")]
    max_policy_seconds: Option<f64>,
    /// Seconds for which a policy server that was lost is tried again; then the run stops, and
    /// --resume completes it [default: the address's own reconnect=, else 120].
    #[arg(long, value_name = "S")]
    reconnect: Option<f64>,
    /// What to call the policy in results. Runs and shards with other servers but one label belong
    /// together.
    #[arg(long)]
    label: Option<String>,
    /// Print results.json instead of a table.
    #[arg(long)]
    json: bool,
}

impl Args {
    fn seeds(&self) -> Seeds {
        Seeds::asked(self.seed, self.seed_stride, self.split, Split::Test)
    }

    fn policy(&self) -> Result<PolicySpec> {
        let mut policy: PolicySpec = self.grasps.policy(&self.policy)?.parse()?;
        if let Some(k) = self.execute {
            policy.execute(k)?;
        }
        if let Some(s) = self.max_policy_seconds {
            policy.limit(s)?;
        }
        if let Some(s) = self.reconnect {
            policy.reconnect(s)?;
        }
        Ok(policy)
    }

    fn setup(&self) -> Result<RunSetup> {
        let selected = select_or_read(&self.selectors)?;
        let execution = ExecutionOptions {
            execute: self.execute,
            action_repeat: self.action_repeat,
            latency: self.latency,
            action_noise: self.action_noise,
            pixel_noise: self.pixel_noise,
            max_steps: self.max_steps,
            run_on: self.run_on,
            stepwise: self.stepwise.then_some(true),
            hints: self.hints,
        };
        let variant = self.choices.variant()?;
        let options = RunOptions {
            max_policy_seconds: self.max_policy_seconds,
            control: variant.control.map(|mode| mode.to_string()),
            ..execution.into()
        };
        let mut runtime = toml::Table::new();
        runtime.insert("workers".into(), (self.workers as i64).into());
        runtime.insert("videos".into(), self.videos.to_string().into());
        if let Some(s) = self.reconnect {
            runtime.insert("reconnect".into(), s.into());
        }
        Ok(RunSetup {
            selectors: self.selectors.clone(),
            tasks: selected.tasks,
            files: selected.files,
            policy: self.grasps.policy(&self.policy)?,
            label: self.label.clone(),
            episodes: self.episodes,
            seeds: self.seeds(),
            shard: self.shard,
            options,
            choices: variant.options.into_iter().collect(),
            trained_on: self.trained_on.clone(),
            runtime,
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let policy = args.policy()?;
    let Prepared { config, tasks } = args.setup()?.prepare()?;
    args.choices.check_files(&tasks)?;
    // A server that is not there must not leave a run behind that only --resume can start, and a
    // run that is complete needs no server.
    let begun = args.out.join(RUN).exists();
    let make = || -> Result<_> {
        let mut pool = policy.ready(&tasks)?;
        if args.trace_agent {
            pool.trace_agents()?;
        }
        Ok(pool)
    };
    let mut ready = if begun { None } else { Some(make()?) };
    let dir = match args.resume {
        true => RunDir::open_resume(&args.out, &config)?,
        false => RunDir::create(&args.out, &config)?,
    };
    if let Some(repair) = dir.repaired() {
        tell!("warning: {repair}");
    }
    let again = dir.forget(|r| !r.counts())?;
    if again > 0 {
        let runs = if again == 1 { "runs" } else { "run" };
        tell!("{} in which the harness broke {runs} again", counted(again, "episode"));
    }
    let stop = interrupt::flag()?;
    let have = dir.finished().len() as u64;
    let total = config.expected();
    let mut gone = None;
    if have < total {
        let ready = match ready.take() {
            Some(r) => r,
            None => make()?,
        };
        for note in ready.notes() {
            tell!("note: {note}");
        }
        let evaluation = Evaluation {
            tasks: &tasks,
            policy: &ready,
            execution: config.options.execution,
            workers: args.workers,
            videos: args.videos,
        };
        let mut progress = Progress::new(have, total)?;
        let ended = evaluate(&evaluation, &dir, &stop, |row| progress.episode(&row.episode));
        progress.finish();
        match ended {
            Err(e @ HarnessError::Policy { .. }) => gone = Some(e),
            ended => ended?,
        }
    }
    let results = dir.finish()?;
    write_report(dir.path())?;
    let mut out = std::io::stdout().lock();
    if args.json {
        out.write_all(results.to_json().as_bytes())?;
    } else {
        table(&mut out, &results)?;
        let lost = results.counts.task_failures + results.counts.policy_errors;
        if lost > 0 {
            let (n, dir) = (counted(lost, "failure"), dir.path().display());
            writeln!(
                out,
                "{n}; `longarm report {dir}` lists what fails where, and how to film it"
            )?;
        }
        writeln!(out, "\nwrote {}", dir.path().join(REPORT).display())?;
    }
    let (c, text) = (&results.counts, "the same command with --resume runs the rest");
    if let Some(e) = gone {
        bail!("{e}\nstopped with {} of {} episodes; {text}", c.rows, c.expected);
    }
    if !results.complete && stop.load(Ordering::Relaxed) {
        bail!(Interrupted(format!("stopped with {} of {} episodes; {text}", c.rows, c.expected)));
    }
    Ok(())
}
