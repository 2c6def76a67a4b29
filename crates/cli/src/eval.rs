use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use longarm_eval::{Evaluation, ExecutionOptions, HarnessError, PolicySpec, evaluate};
use longarm_results::{REPORT, RUN, Results, Run, RunConfig, RunDir, Shard, TaskEntry, report};

use crate::reference::with_references;
use longarm_task::TaskSpec;
use longarm_types::{ENGINE_VERSION, EpisodeOutcome, EpisodeRecord};

use crate::interrupt::{self, Interrupted};
use crate::select::{Selection, select_or_read};

/// Episodes of a task that belongs to no suite.
const FROM_A_FILE: u64 = 50;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Suites, tasks, patterns such as 'longbench/*block*', or .bddl and .json files.
    #[arg(required = true, value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// expert, reactive, idle, random, replay:DIR, nearest:DIR (native demonstrations), or a server:
    /// openpi:HOST:PORT?preset=libero;
    /// also vla-eval:, roboarena:, behavior:; several servers as HOST:PORT,HOST:PORT.
    #[arg(long)]
    policy: String,
    /// Episodes of each task [default: what the suite's protocol asks for: longbench 10, boss 20,
    /// others 50].
    #[arg(long)]
    episodes: Option<u64>,
    /// Seed of each task's first episode; episode k has this plus k.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How far the seeds of successive episodes are apart.
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed_stride: u64,
    /// LoHoRavens' seeds of this split: even, odd, odd from 10001.
    #[arg(long, conflicts_with_all = ["seed", "seed_stride"])]
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
    /// Complete a run that was interrupted; episodes in which the harness broke run again.
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
    /// End episodes after so many control steps, where the task's horizon is longer.
    #[arg(long, value_name = "N")]
    max_steps: Option<u32>,
    /// Let episodes run on for N steps after their success, at most to the horizon: whether it stands
    /// to the end is reported beside whether it ever came.
    #[arg(long, value_name = "N")]
    run_on: Option<u32>,
    /// Tell the policy one stage at a time instead of the whole instruction.
    #[arg(long)]
    stepwise: bool,
    /// Judge what is on a region of the table as LIBERO does: also in mid-air, without tolerance.
    #[arg(long)]
    strict_libero: bool,
    /// Film the first N episodes of each task.
    #[arg(long, value_name = "N", default_value_t = 0)]
    videos: u64,
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

/// Which part of the seeds.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Split {
    Train,
    Validation,
    Test,
}

impl Split {
    /// First seed and distance.
    pub(crate) fn seeds(self) -> (u64, u64) {
        match self {
            Self::Train => (0, 2),
            Self::Validation => (1, 2),
            Self::Test => (10_001, 2),
        }
    }
}

impl Args {
    fn seeds(&self) -> (u64, u64) {
        self.split.map_or((self.seed, self.seed_stride), Split::seeds)
    }

    fn execution(&self) -> ExecutionOptions {
        ExecutionOptions {
            execute: self.execute,
            action_repeat: self.action_repeat,
            latency: self.latency,
            action_noise: self.action_noise,
            pixel_noise: self.pixel_noise,
            max_steps: self.max_steps,
            run_on: self.run_on,
            stepwise: self.stepwise.then_some(true),
        }
    }

    fn policy(&self) -> Result<PolicySpec> {
        let mut policy: PolicySpec = self.policy.parse()?;
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

    /// As many as asked for, or as the most demanding of the suites' protocols.
    fn episodes(&self, tasks: &[Arc<TaskSpec>]) -> u64 {
        let protocol = |t: &Arc<TaskSpec>| {
            let suite = longarm_suites::SUITES.iter().find(|s| s.name == t.id.suite());
            suite.map_or(FROM_A_FILE, |s| s.episodes)
        };
        self.episodes.or_else(|| tasks.iter().map(protocol).max()).unwrap_or(FROM_A_FILE)
    }

    fn config(&self, selected: &Selection) -> Result<RunConfig> {
        let mut options = toml::Table::try_from(self.execution())?;
        let (seed, stride) = self.seeds();
        if stride != 1 {
            options.insert(longarm_eval::SEED_STRIDE.into(), i64::try_from(stride)?.into());
        }
        if self.strict_libero {
            options.insert(longarm_eval::STRICT.into(), true.into());
        }
        if let Some(s) = self.max_policy_seconds {
            options.insert("max-policy-seconds".into(), s.into());
        }
        let mut runtime = toml::Table::new();
        runtime.insert("workers".into(), (self.workers as i64).into());
        runtime.insert("videos".into(), (self.videos as i64).into());
        if let Some(s) = self.reconnect {
            runtime.insert("reconnect".into(), s.into());
        }
        if self.label.is_some() {
            runtime.insert("policy".into(), self.policy.as_str().into());
            // The label stands for where the policy is, not for how it is spoken to.
            if let Some((_, how)) = self.policy.split_once('?') {
                options.insert("policy".into(), how.into());
            }
        }
        let entry = |t: &Arc<TaskSpec>| {
            let file = selected.files.get(&t.id).cloned();
            (t.id.clone(), TaskEntry { file, ..longarm_eval::entry(t) })
        };
        Ok(RunConfig {
            format: RunConfig::FORMAT,
            selectors: self.selectors.clone(),
            policy: self.label.clone().unwrap_or_else(|| self.policy.clone()),
            episodes: self.episodes(&selected.tasks),
            seed,
            shard: self.shard,
            engine: ENGINE_VERSION.to_owned(),
            mujoco: longarm_sim::mujoco_version().to_owned(),
            options,
            runtime,
            tasks: selected.tasks.iter().map(entry).collect(),
        })
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut selected = select_or_read(&args.selectors)?;
    if args.strict_libero {
        for t in &mut selected.tasks {
            *t = Arc::new(TaskSpec::clone(t).strict_libero());
        }
    }
    let execution = args.execution();
    execution.check()?;
    let episodes = args.episodes(&selected.tasks);
    if episodes == 0 {
        bail!("--episodes 0: there is nothing to run");
    }
    let (seed, stride) = args.seeds();
    let last = (episodes - 1).checked_mul(stride).and_then(|k| seed.checked_add(k));
    if last.is_none() || stride == 0 {
        bail!(
            "--seed {seed}, --seed-stride {stride} and --episodes {episodes} give no seeds of their own"
        );
    }
    let policy = args.policy()?;
    let config = args.config(&selected)?;
    let tasks = selected.tasks;
    // A server that is not there must not leave a run behind that only --resume can start, and a
    // run that is complete needs no server.
    let begun = args.out.join(RUN).exists();
    let mut ready = if begun { None } else { Some(policy.ready(&tasks)?) };
    let dir = match args.resume {
        true => RunDir::open_resume(&args.out, &config)?,
        false => RunDir::create(&args.out, &config)?,
    };
    if let Some(repair) = dir.repaired() {
        eprintln!("warning: {repair}");
    }
    let again = dir.forget(|r| !r.counts())?;
    if again > 0 {
        eprintln!("{again} episodes in which the harness broke run again");
    }
    let stop = interrupt::flag()?;
    let have = dir.finished().len() as u64;
    let total = config.expected();
    let mut gone = None;
    if have < total {
        let ready = match ready.take() {
            Some(r) => r,
            None => policy.ready(&tasks)?,
        };
        for note in ready.notes() {
            eprintln!("note: {note}");
        }
        let evaluation = Evaluation {
            tasks: &tasks,
            policy: &ready,
            execution,
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
    let page = dir.path().join(REPORT);
    let read = with_references(Run::read(dir.path())?);
    longarm_data::write_atomically(&page, report::render(&[read]).as_bytes())
        .with_context(|| format!("cannot write {}", page.display()))?;
    let mut out = std::io::stdout().lock();
    if args.json {
        out.write_all(results.to_json().as_bytes())?;
    } else {
        table(&mut out, &results)?;
        writeln!(out, "\nwrote {}", page.display())?;
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

/// A bar on a terminal; a line every few seconds otherwise.
struct Progress {
    bar: Option<ProgressBar>,
    started: Instant,
    said: Instant,
    first: u64,
    done: u64,
    total: u64,
    successes: u64,
    broken: [u64; 2],
}

/// Between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

impl Progress {
    fn new(done: u64, total: u64) -> Result<Self> {
        let bar = if std::io::stderr().is_terminal() {
            let style = "{bar:32} {pos}/{len}  {msg}  {elapsed} gone, {eta} left";
            let bar = ProgressBar::new(total).with_style(ProgressStyle::with_template(style)?);
            bar.set_position(done);
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_millis(500));
            Some(bar)
        } else {
            None
        };
        let now = Instant::now();
        Ok(Self {
            bar,
            started: now,
            said: now,
            first: done,
            done,
            total,
            successes: 0,
            broken: [0; 2],
        })
    }

    fn rate(&self) -> f64 {
        (self.done - self.first) as f64 / self.started.elapsed().as_secs_f64().max(1e-9)
    }

    fn text(&self) -> String {
        let share = 100.0 * self.successes as f64 / (self.done - self.first).max(1) as f64;
        let mut text = format!("{:.2} episodes/s, {share:.0} % success", self.rate());
        for (n, what) in self.broken.iter().zip(["policy", "harness"]) {
            if *n > 0 {
                text.push_str(&format!(", {n} {what} errors"));
            }
        }
        text
    }

    fn episode(&mut self, episode: &EpisodeRecord) {
        self.done += 1;
        let broken = match episode.outcome {
            EpisodeOutcome::Success => {
                self.successes += 1;
                None
            }
            EpisodeOutcome::TaskFailure => None,
            EpisodeOutcome::PolicyError => Some((0, "policy")),
            EpisodeOutcome::HarnessError => Some((1, "harness")),
        };
        if let Some((kind, who)) = broken {
            self.broken[kind] += 1;
            if self.broken[kind] == 1 {
                let why = episode.reason.as_deref().unwrap_or("no reason given");
                self.say(&format!(
                    "first {who} error: {} seed {}: {why}",
                    episode.task, episode.seed
                ));
            }
        }
        if let Some(bar) = &self.bar {
            bar.inc(1);
            bar.set_message(self.text());
        } else if self.said.elapsed() >= LINE_EVERY {
            self.said = Instant::now();
            let left = (self.total - self.done) as f64 / self.rate().max(1e-9);
            eprintln!("{}/{}  {}, {left:.0} s left", self.done, self.total, self.text());
        }
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let took = self.started.elapsed().as_secs_f64();
        eprintln!("{}/{}  {} in {took:.1} s", self.done, self.total, self.text());
    }
}

/// What came of each task, label and suite.
pub(crate) fn table(out: &mut impl Write, results: &Results) -> Result<()> {
    let longest = results.tasks.iter().map(|t| t.task.len()).max().unwrap_or(0);
    let width = longest.max(results.suite.suite.len()).max(12);
    let percent = |i: &longarm_results::stats::Interval| {
        format!("{:5.1} % [{:5.1}, {:5.1}]", 100.0 * i.mean, 100.0 * i.lo, 100.0 * i.hi)
    };
    writeln!(out, "{:width$}  {:>6}  {:>23}  {:>13}", "task", "n", "success (95 %)", "score")?;
    for t in &results.tasks {
        let score = format!("{:.1} ± {:.1}", t.score.mean, t.score.std);
        write!(out, "{:width$}  {:>6}  {:>23}  {score:>13}", t.task, t.n, percent(&t.success))?;
        for (n, what) in [(t.policy_errors, "policy"), (t.harness_errors, "harness")] {
            if n > 0 {
                write!(out, "  {n} {what} errors")?;
            }
        }
        writeln!(out)?;
    }
    if let Some(m) = &results.mechanisms {
        writeln!(out)?;
        for l in &m.labels {
            let score = format!("{:.1} ± {:.1} SE", l.mean, l.se);
            writeln!(
                out,
                "{:width$}  {:>6}  {:>23}  {score:>13}",
                format!("{} {}", l.label, l.name),
                l.n,
                ""
            )?;
        }
        for r in &m.regimes {
            let score = format!("{:.1} ± {:.1} SE", r.mean, r.se);
            writeln!(out, "{:width$}  {:>6}  {:>23}  {score:>13}", r.regime, r.n, "")?;
        }
        if let Some(all) = m.overall {
            writeln!(out, "{:width$}  {:>6}  {:>23}  {all:>13.1}", "overall", "", "")?;
        }
    }
    writeln!(out)?;
    let several = results.suites.len() > 1;
    for s in results.suites.iter().chain(several.then_some(&results.suite)) {
        let score = format!("{:.1} [{:.1}, {:.1}]", s.score.mean, s.score.lo, s.score.hi);
        writeln!(out, "{:width$}  {:>6}  {:>23}  {score:>13}", s.suite, s.n, percent(&s.success))?;
    }
    let c = &results.counts;
    if c.policy_errors > 0 {
        writeln!(
            out,
            "{} episodes ended because the policy broke; they count as failures",
            c.policy_errors
        )?;
    }
    if c.harness_errors > 0 {
        writeln!(
            out,
            "{} episodes ended because the harness broke; they count in no mean, --resume runs them again",
            c.harness_errors
        )?;
    }
    if !results.complete {
        writeln!(out, "{} of {} episodes have run; --resume runs the rest", c.rows, c.expected)?;
    }
    Ok(())
}
