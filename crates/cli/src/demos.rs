use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use longarm_data::keyframes::Rule;
use longarm_eval::PolicySpec;
use longarm_eval::demos::{
    DemoConfig, Event, Format, Modality, Recording, Source, Summary, Timing, WINDOW, check, record,
};
use longarm_task::TaskSpec;
use longarm_types::{ENGINE_VERSION, Hints, Split, Splits, counted};

use crate::grasps::GraspChoice;
use crate::interrupt::{self, Interrupted};
use crate::options::Choices;
use crate::select::{Selection, select_or_read};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Suites, tasks, or patterns such as 'SUITE/*block*'.
    #[arg(required_unless_present = "check", value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// Episodes to keep of each task.
    #[arg(long, default_value_t = 50)]
    episodes: u64,
    /// Seed of each task's first attempt, taken literally; with --split, where in it to begin
    /// [default: the suite's train seeds].
    #[arg(long)]
    seed: Option<u64>,
    /// Where the dataset goes. What an interrupted recording left there is completed, what was
    /// damaged is recorded again, and a larger --episodes adds to what is there.
    #[arg(long, value_name = "DIR", required_unless_present = "check")]
    out: Option<PathBuf>,
    /// lerobot (v3.0), lerobot-v2.1 (openpi's keys), hdf5 (LIBERO's layout), hdf5-subtasks (a file per
    /// subtask), jsonl (windows of frames with messages, for a high-level model), native, npy.
    #[arg(long, default_value = "lerobot")]
    format: Format,
    /// Who acts: expert, reactive, search, idle, random, replay:DIR, nearest:DIR, or a server as in `longarm eval`.
    #[arg(long, default_value = "expert")]
    policy: String,
    #[command(flatten)]
    grasps: GraspChoice,
    /// Keep episodes that failed, too.
    #[arg(long)]
    keep_failures: bool,
    /// Most attempts per task [default: twice the episodes and 10].
    #[arg(long, value_name = "N")]
    max_attempts: Option<u64>,
    /// Worker threads. The dataset does not depend on their number.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
    /// Disturb every action taken by Gaussian noise of this share of half its range, the expert going on from
    /// where that leads. What the expert meant is recorded as the action (`native`: what was done, to replay).
    #[arg(long, value_name = "SHARE")]
    noise: Option<f64>,
    /// Tell the policy the true subtask of the moment (`subtask`) in place of the instruction, or not.
    #[arg(long, value_name = "none|subtask", default_value_t = Hints::None)]
    hints: Hints,
    #[command(flatten)]
    choices: Choices,
    #[command(flatten)]
    pictures: Pictures,
    /// Take seeds of this range only, as the suite's protocol declares it [default: train].
    #[arg(long, value_name = "train|validation|test")]
    split: Option<Split>,
    #[command(flatten)]
    keyframes: Keyframes,
    /// Complete what is there; this happens without the flag, too.
    #[arg(long)]
    resume: bool,
    /// Only check a finished dataset: files that are cut, changed or missing are named.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["selectors", "out"])]
    check: Option<PathBuf>,
}

/// How pictures are taken.
#[derive(clap::Args)]
pub(crate) struct Pictures {
    /// Pixels a side, or WIDTHxHEIGHT, or `own` for the cameras' own size
    /// [default: 256, or 128 for hdf5].
    #[arg(long, value_name = "SIZE")]
    size: Option<String>,
    /// Cameras to record; `view` is the one for people [default: all that policies see].
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    camera: Vec<String>,
    /// What npy stores: rgb, depth, segmentation.
    #[arg(long, value_name = "KIND", value_delimiter = ',', default_value = "rgb")]
    modality: Vec<Modality>,
}

impl Pictures {
    pub(crate) fn size(&self, format: Format) -> Result<Option<[usize; 2]>> {
        let side = |t: &str| t.parse::<usize>().ok();
        let usual = if format == Format::Hdf5 { 128 } else { 256 };
        match self.size.as_deref() {
            None => Ok(Some([usual; 2])),
            Some("own") => Ok(None),
            Some(text) => {
                let both = text
                    .split_once('x')
                    .map_or((side(text), side(text)), |(w, h)| (side(w), side(h)));
                match both {
                    (Some(w), Some(h)) => Ok(Some([w, h])),
                    _ => bail!("--size {text}: a number of pixels, WIDTHxHEIGHT, or own"),
                }
            }
        }
    }

    pub(crate) fn cameras(&self) -> Vec<String> {
        self.camera.clone()
    }

    pub(crate) fn modalities(&self) -> Vec<Modality> {
        self.modality.clone()
    }
}

/// What makes a keyframe.
#[derive(clap::Args)]
pub(crate) struct Keyframes {
    /// Keyframes: the hand stands below this speed in metres per second.
    #[arg(long, value_name = "M/S", default_value_t = Rule::default().slow)]
    keyframe_slow: f64,
    /// Keyframes: the hand turns by more than this number of degrees from frame to frame.
    #[arg(long, value_name = "DEG", default_value_t = Rule::default().turn)]
    keyframe_turn: f64,
    /// Keyframes: candidates within this number of frames are one moment.
    #[arg(long, value_name = "N", default_value_t = Rule::default().merge)]
    keyframe_merge: usize,
    /// Frames from one window to the next in jsonl [default: 5, so that windows tile the episode].
    #[arg(long, value_name = "N")]
    window_every: Option<u32>,
}

impl Keyframes {
    pub(crate) fn rule(&self) -> Rule {
        Rule { slow: self.keyframe_slow, turn: self.keyframe_turn, merge: self.keyframe_merge }
    }

    /// Where there are windows, how far they are apart.
    pub(crate) fn window_every(&self, format: Format) -> Option<u32> {
        (format == Format::Jsonl).then(|| self.window_every.unwrap_or(WINDOW as u32))
    }
}

/// `false` when a dataset is damaged, or fewer episodes came out than were asked for.
pub(crate) fn run(args: &Args) -> Result<bool> {
    if let Some(dir) = &args.check {
        return checked(dir);
    }
    let Selection { tasks, files } = select_or_read(&args.selectors)?;
    let variant = args.choices.variant()?;
    let tasks = variant.of(tasks)?;
    let (seed, split, seeds) = DemoConfig::seeds(&tasks, args.seed, args.split)?;
    let out = args.out.as_deref().context("--out is missing")?;
    let policy = args.grasps.policy(&args.policy)?;
    let config = DemoConfig {
        version: DemoConfig::VERSION,
        engine: ENGINE_VERSION.to_owned(),
        mujoco: longarm_sim::mujoco_version().to_owned(),
        format: args.format,
        policy: policy.clone(),
        episodes: args.episodes,
        seed,
        split,
        seeds,
        attempts: args.max_attempts.unwrap_or(args.episodes.saturating_mul(2).saturating_add(10)),
        keep_failures: args.keep_failures,
        control: variant.control,
        options: variant.options,
        hints: args.hints,
        noise: args.noise,
        size: args.pictures.size(args.format)?,
        cameras: args.pictures.cameras(),
        modalities: args.pictures.modalities(),
        source: None,
        keyframes: args.keyframes.rule(),
        window_every: args.keyframes.window_every(args.format),
        tasks: DemoConfig::hashes(&tasks),
        files,
    };
    config.check()?;
    say_if_held_out(&config, &tasks);
    let policy: PolicySpec = policy.parse()?;
    let ready = policy.ready(&tasks)?;
    for note in ready.notes() {
        tell!("note: {note}");
    }
    let recording =
        Recording { config, tasks: &tasks, source: Source::Policy(&ready), workers: args.workers };
    Ok(play(&recording, out)?.complete)
}

/// Says when seeds given literally are those of which scores are reported.
fn say_if_held_out(config: &DemoConfig, tasks: &[Arc<TaskSpec>]) {
    let Some(first) = tasks.first().filter(|_| config.split.is_none()) else { return };
    let suite = longarm_suites::suite(first.id.suite());
    let splits = suite.map_or_else(Splits::default, |s| (s.protocol)().splits);
    if let Some(split) = splits.of(config.seed).filter(|s| *s != Split::Train) {
        tell!(
            "note: seed {} is one of the {split} seeds of {}; without --seed demonstrations are drawn \
             from the train seeds",
            config.seed,
            first.id.suite()
        );
    }
}

fn checked(dir: &Path) -> Result<bool> {
    let damage = check(dir)?;
    let mut text = std::io::stdout().lock();
    for (file, what) in &damage {
        writeln!(text, "{} is damaged: {what}", file.display())?;
    }
    if damage.is_empty() {
        writeln!(text, "{} is whole", dir.display())?;
    }
    Ok(damage.is_empty())
}

/// Records with a bar on a terminal, a line every few seconds otherwise; says what came of it.
pub(crate) fn play(recording: &Recording<'_>, out: &Path) -> Result<Summary> {
    let mut progress = Progress::new()?;
    let stop = interrupt::flag()?;
    let Some(summary) = record(recording, out, &stop, |e| progress.hear(&e))? else {
        let text = "stopped; the same command again records the rest".to_owned();
        return Err(Interrupted(text).into());
    };
    progress.finish(recording.workers);
    let frames = summary.frames;
    let kept: u64 = summary.tasks.iter().map(|(_, k, _)| k).sum();
    let tried: u64 = summary.tasks.iter().map(|(_, _, t)| t).sum();
    let mut text = std::io::stdout().lock();
    for (task, k, t) in &summary.tasks {
        writeln!(text, "{task:36} {k} of {} kept", counted(*t, "attempt"))?;
    }
    for (why, n) in &summary.dropped {
        writeln!(text, "dropped {n}: {why}")?;
    }
    writeln!(
        text,
        "{} of {}, {}, {:.1} MB in {}",
        counted(kept, "episode"),
        counted(tried, "attempt"),
        counted(frames, "frame"),
        summary.bytes as f64 / 1e6,
        out.display()
    )?;
    if !summary.complete {
        tell!("error: fewer episodes than asked for; --max-attempts allows more attempts");
    }
    Ok(summary)
}

struct Progress {
    bar: Option<ProgressBar>,
    begun: Instant,
    said: Instant,
    first: u64,
    kept: u64,
    wanted: u64,
    dropped: u64,
    frames: u64,
    timing: Timing,
    recorded: Option<Duration>,
}

/// Between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

impl Progress {
    fn new() -> Result<Self> {
        let bar = match std::io::stderr().is_terminal() {
            true => {
                let style = "{bar:32} {pos}/{len}  {msg}  {elapsed} gone, {eta} left";
                let bar = ProgressBar::new(0).with_style(ProgressStyle::with_template(style)?);
                bar.enable_steady_tick(Duration::from_millis(500));
                Some(bar)
            }
            false => None,
        };
        let now = Instant::now();
        Ok(Self {
            bar,
            begun: now,
            said: now,
            first: 0,
            kept: 0,
            wanted: 0,
            dropped: 0,
            frames: 0,
            timing: Timing::default(),
            recorded: None,
        })
    }

    fn text(&self) -> String {
        let seconds = self.begun.elapsed().as_secs_f64().max(1e-9);
        format!("{:.0} frames/s, {} dropped", self.frames as f64 / seconds, self.dropped)
    }

    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::Note(text) => match &self.bar {
                Some(bar) => bar.suspend(|| tell!("{text}")),
                None => tell!("{text}"),
            },
            Event::Begin { kept, wanted } => {
                (self.first, self.kept, self.wanted) = (*kept, *kept, *wanted);
                self.begun = Instant::now();
                if *kept > 0 {
                    tell!("{kept} of {wanted} episodes are there already");
                }
                if let Some(bar) = &self.bar {
                    bar.set_length(*wanted);
                    bar.set_position(*kept);
                    bar.reset_eta();
                }
            }
            Event::Attempt(row, timing) => {
                self.timing += *timing;
                self.frames += row.frames;
                match row.kept {
                    true => self.kept += 1,
                    false => self.dropped += 1,
                }
                if let Some(bar) = &self.bar {
                    bar.set_position(self.kept);
                    bar.set_message(self.text());
                } else if self.said.elapsed() >= LINE_EVERY {
                    self.said = Instant::now();
                    let done = (self.kept - self.first) as f64;
                    let each = self.begun.elapsed().as_secs_f64() / done.max(1.0);
                    let left = (self.wanted - self.kept.min(self.wanted)) as f64 * each;
                    let (kept, wanted) = (self.kept, self.wanted);
                    tell!("{kept}/{wanted}  {}, {left:.0} s left", self.text());
                }
            }
            Event::Assembling => self.recorded = Some(self.begun.elapsed()),
        }
    }

    /// Says how fast it was.
    fn finish(&self, workers: usize) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if self.frames == 0 {
            return;
        }
        let whole = self.begun.elapsed();
        let rate = self.frames as f64 / whole.as_secs_f64().max(1e-9);
        let all = self.timing.total().as_secs_f64().max(1e-9);
        let share = |d: Duration| 100.0 * d.as_secs_f64() / all;
        let t = &self.timing;
        let put = whole.saturating_sub(self.recorded.unwrap_or(whole));
        tell!(
            "{} frames in {:.1} s: {rate:.0} frames/s, {:.0} per worker (sim {:.0} %, render {:.0} %, \
             encode {:.0} %, write {:.0} %); put together in {:.1} s",
            self.frames,
            whole.as_secs_f64(),
            rate / workers.max(1) as f64,
            share(t.sim),
            share(t.render),
            share(t.encode),
            share(t.write),
            put.as_secs_f64()
        );
    }
}
