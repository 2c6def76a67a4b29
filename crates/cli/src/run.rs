use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use longarm_eval::{
    Actor, ExecutionOptions, Film, PolicySpec, Variant, Watcher, persist, report_loss, task_of,
    try_episode,
};
use longarm_results::{RUN, RunConfig};
use longarm_sim::{Env, EnvSettings, ImageSettings, World};
use longarm_task::TaskSpec;
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Hints, Seed, counted};

use crate::grasps::GraspChoice;
use crate::options::Choices;
use crate::trace::Trace;
use crate::{catalogue, files};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Task id, or a .toml, .json or .bddl file.
    task: String,
    /// expert, reactive, search, idle, random, replay:FILE with a trace, replay:DIR with a run,
    /// nearest:DIR with native demonstrations, par and other agents, agent:FILE.toml, or a server
    /// as for `eval`: openpi:HOST:PORT?preset=libero.
    #[arg(long, default_value = "expert")]
    policy: String,
    #[command(flatten)]
    grasps: GraspChoice,
    /// Seconds for which a policy server that was lost is tried again [default: the address's own
    /// reconnect=, else 120].
    #[arg(long, value_name = "S")]
    reconnect: Option<f64>,
    /// Seed of the scene.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Tell the policy the true subtask of the moment (`subtask`) in place of the instruction, or not.
    #[arg(long, value_name = "none|subtask", default_value_t = Hints::None)]
    hints: Hints,
    /// End the episode after N control steps, where the task's horizon is longer.
    #[arg(long, value_name = "N")]
    max_steps: Option<u32>,
    #[command(flatten)]
    choices: Choices,
    /// Print the episode's record as JSON.
    #[arg(long)]
    json: bool,
    /// Write an H.264 video of all cameras side by side.
    #[arg(long, value_name = "FILE.mp4")]
    video: Option<PathBuf>,
    /// Write a sheet of frames from start to end.
    #[arg(long, value_name = "FILE.png")]
    filmstrip: Option<PathBuf>,
    /// Print how deep solids were within each other at most.
    #[arg(long)]
    penetration: bool,
    /// Write a page with what an agent saw, asked, answered and brought about.
    #[arg(long, value_name = "FILE.html")]
    trace_agent: Option<PathBuf>,
    /// Write the actions taken, to replay them.
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
}

#[derive(Default)]
struct Recorder {
    film: Option<Film>,
    actions: Option<Vec<Vec<f32>>>,
    deepest: Option<Deepest>,
}

/// How deep solids were within each other at most, which and when.
#[derive(Default)]
struct Deepest {
    metres: f64,
    bodies: [String; 2],
    at: u32,
    steps: u32,
}

impl Deepest {
    fn look(&mut self, world: &World) {
        self.steps += 1;
        let metres = world.penetration();
        if metres > self.metres {
            let bodies = world.deepest_pair().unwrap_or_default();
            *self = Self { metres, bodies, at: self.steps, steps: self.steps };
        }
    }
}

impl fmt::Display for Deepest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "solids were at most {:.1} mm within each other", 1e3 * self.metres)?;
        let [one, other] = &self.bodies;
        match one.is_empty() {
            true => Ok(()),
            false => write!(f, ": {one} and {other} at step {}", self.at),
        }
    }
}

impl Watcher for Recorder {
    fn control_step(&mut self, world: &World) {
        if let Some(deepest) = &mut self.deepest {
            deepest.look(world);
        }
        if let Some(f) = &mut self.film {
            f.control_step(world);
        }
    }

    fn action(&mut self, action: &Action) {
        if let Some(a) = &mut self.actions {
            a.push(action.values().to_vec());
        }
    }

    fn after_action(&mut self, env: &mut Env, doing: &str) {
        if let Some(f) = &mut self.film {
            f.after_action(env, doing);
        }
    }
}

/// Who acts, and the pictures it needs.
fn actor(args: &Args, task: &Arc<TaskSpec>) -> Result<(Actor, Option<ImageSettings>)> {
    let file = args.policy.strip_prefix("replay:").map(Path::new);
    if let Some(file) = file.filter(|f| !f.is_dir()) {
        let trace = Trace::read(file)?;
        if trace.task != task.id || trace.seed != args.seed {
            bail!(
                "{} is a trace of {} seed {}; ask for that task and seed",
                file.display(),
                trace.task,
                trace.seed
            );
        }
        match (trace.control, task.control) {
            (recorded, asked) if recorded == asked => {}
            (Some(mode), _) => {
                bail!("{} is a trace of --control {mode}; ask for that", file.display());
            }
            (None, _) => {
                bail!(
                    "{} is a trace of the robot's usual control mode; leave --control out",
                    file.display()
                );
            }
        }
        return Ok((Actor::replay(trace.actions()), None));
    }
    let mut policy: PolicySpec = args.grasps.policy(&args.policy)?.parse()?;
    if let Some(s) = args.reconnect {
        policy.reconnect(s)?;
    }
    let mut ready = policy.ready([task])?;
    if args.trace_agent.is_some() {
        ready.trace_agents()?;
    }
    for note in ready.notes() {
        tell!("note: {note}");
    }
    let actor = ready.actor(&task.id, args.seed).map_err(|why| anyhow!(why))?;
    Ok((actor, ready.images(task)))
}

/// The task of a run that is replayed, as the run has it, and what decides when an episode of it ends.
fn replayed(args: &Args) -> Result<Option<(Arc<TaskSpec>, ExecutionOptions)>> {
    let run = args.policy.strip_prefix("replay:").map(|dir| Path::new(dir).join(RUN));
    let (Some(path), Ok(id)) = (run.filter(|p| p.is_file()), args.task.parse()) else {
        return Ok(None);
    };
    let config = RunConfig::read(&path)?;
    let known = config.tasks.contains_key(&id).then(|| task_of(&config, &id)).flatten();
    Ok(known.map(|task| (task, config.options.execution.of_replay())))
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let variant = args.choices.variant()?;
    let (task, mut execution) = match replayed(args)?.filter(|_| variant == Variant::default()) {
        Some(found) => found,
        None => {
            let execution = ExecutionOptions { hints: args.hints, ..ExecutionOptions::default() };
            (variant.of_one(catalogue::task(&args.task)?)?, execution)
        }
    };
    execution.max_steps = args.max_steps.or(execution.max_steps);
    execution.check()?;
    args.choices.check_files(std::slice::from_ref(&task))?;
    for (flag, path, ending) in [
        ("--video", &args.video, "mp4"),
        ("--filmstrip", &args.filmstrip, "png"),
        ("--trace", &args.trace, "json"),
        ("--trace-agent", &args.trace_agent, "html"),
    ] {
        path.as_deref().map_or(Ok(()), |p| files::check(flag, p, ending))?;
    }
    let policy = args.grasps.policy(&args.policy)?;
    let (mut actor, images) = actor(args, &task)?;
    let mut env = Env::new(task.clone(), EnvSettings { images })?;
    let started = Instant::now();
    let watched = args.video.is_some() || args.filmstrip.is_some();
    let play = || {
        if let Err(e) = env.reset(Seed(args.seed)) {
            return Ok(Err(e));
        }
        let mut recorder = Recorder {
            film: watched.then(|| Film::large(args.video.clone(), args.filmstrip.clone())),
            actions: args.trace.is_some().then(Vec::new),
            deepest: args.penetration.then(Default::default),
        };
        try_episode(&mut env, &mut actor, &policy, &execution, &mut recorder)
            .map(|record| Ok((record, recorder)))
    };
    let (record, recorder) = persist(play, |why| report_loss(&task.id, args.seed, why))??;
    let took = started.elapsed().as_secs_f64();
    if let Some(film) = recorder.film {
        film.finish().map_err(|why| anyhow!("cannot record the episode: {why}"))?;
    }
    if let (Some(path), Some(actions)) = (&args.trace, recorder.actions) {
        let (task, control) = (task.id.clone(), task.control);
        Trace { task, seed: args.seed, control, actions }.write(path)?;
    }
    if let (Some(path), Actor::Agent(agent)) = (&args.trace_agent, &actor) {
        let page = agent.timeline(&record).unwrap_or_default();
        std::fs::write(path, page).map_err(|e| anyhow!("cannot write {}: {e}", path.display()))?;
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &record)?;
        writeln!(out)?;
    } else {
        let robot = task.rig().robot_names();
        writeln!(
            out,
            "{}  seed {}  {robot}  horizon {}",
            task.id,
            args.seed,
            env.instance().horizon
        )?;
        print_stages(&mut out, &record, &env)?;
        let simulated = env.snapshot().time;
        writeln!(
            out,
            "{}  score {:.0}  {} steps  {simulated:.1} s simulated in {took:.1} s  state {}  actions {}",
            match record.outcome {
                EpisodeOutcome::Success => "success",
                EpisodeOutcome::TaskFailure => "failure",
                EpisodeOutcome::PolicyError => "policy error",
                EpisodeOutcome::HarnessError => "harness error",
            },
            record.score,
            record.steps,
            record.state_hash.short(),
            record.action_hash.short(),
        )?;
        if let Some(why) = &record.reason {
            writeln!(out, "  {why}")?;
        }
        if record.clipped > 0 {
            let n = counted(u64::from(record.clipped), "action");
            writeln!(out, "  {n} went beyond ±1 and had to be clipped")?;
        }
        if let Some(deepest) = recorder.deepest {
            writeln!(out, "  {deepest}")?;
        }
        if let Some(v) = &args.video {
            writeln!(out, "wrote {}", v.display())?;
        }
    }
    Ok(())
}

fn print_stages(out: &mut impl Write, record: &EpisodeRecord, env: &Env) -> Result<()> {
    let title = |i: usize| env.tracker().title(i);
    let width = (0..record.stages.len()).map(|i| title(i).chars().count()).max().unwrap_or(0);
    for (i, s) in record.stages.iter().enumerate() {
        let mark = if s.completed { "✓" } else { "✗" };
        let step = s.step.map_or("          ".into(), |n| format!("step {n:5}"));
        let why = match s.completed {
            true => env.tracker().margins(i).text(),
            false => env.tracker().unmet(i, env.snapshot()),
        };
        writeln!(out, "  {mark} {:width$}  {step}   {why}", title(i))?;
    }
    Ok(())
}
