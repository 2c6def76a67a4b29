use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use longarm_data::image::{ContactSheet, Edge, Image, hstack};
use longarm_data::video::{Mp4Writer, VideoOptions};
use longarm_eval::{Actor, Watcher, run_episode};
use longarm_render::Channels;
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_types::{
    Action, ActionKind, CONTROL_HZ, EpisodeOutcome, EpisodeRecord, Seed, StageRecord,
};

use crate::catalogue;
use crate::trace::Trace;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Task id, or a .json file with a specification.
    task: String,
    /// expert, reactive, idle, random, or replay:FILE with a trace.
    #[arg(long, default_value = "expert")]
    policy: String,
    /// Seed of the scene.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print the episode's record as JSON.
    #[arg(long)]
    json: bool,
    /// Write an H.264 video of all cameras side by side.
    #[arg(long, value_name = "FILE.mp4")]
    video: Option<PathBuf>,
    /// Write a sheet of frames from start to end.
    #[arg(long, value_name = "FILE.png")]
    filmstrip: Option<PathBuf>,
    /// Write the actions taken, to replay them.
    #[arg(long, value_name = "FILE.json")]
    trace: Option<PathBuf>,
}

struct Recorder {
    video: Option<Mp4Writer>,
    path: Option<PathBuf>,
    /// Every so many steps a frame is kept for the filmstrip.
    strip: Option<Vec<(String, Image)>>,
    actions: Option<Vec<Vec<f32>>>,
    failure: Option<anyhow::Error>,
}

/// Control steps between frames that are kept, and frames shown.
const STRIP_EVERY: u32 = 10;
const STRIP_FRAMES: usize = 20;

impl Recorder {
    fn frame(&mut self, env: &mut Env, caption: &str) -> Result<()> {
        let step = env.snapshot().step;
        let whole = env.action_spec().kind == ActionKind::PickPlace;
        let keep = self.strip.is_some() && (whole || step % STRIP_EVERY == 1);
        if self.path.is_none() && !keep {
            return Ok(());
        }
        let status = env.tracker().status();
        let (done, total) = (status.completed(), status.stages.len());
        env.observe();
        let Some((cameras, _)) = env.cameras() else { return Ok(()) };
        let mut images: Vec<(&str, Image)> = Vec::new();
        for (name, f) in cameras.frames() {
            images.push((name, Image::new(f.width, f.height, f.rgb.clone())?));
        }
        if let Some(path) = &self.path {
            // The view for people first, then what the policy sees.
            images.rotate_right(1);
            let tallest = images.iter().map(|i| i.1.height()).max().unwrap_or(0);
            let mut wide = Vec::new();
            for (_, i) in &images {
                let mut tile = Image::filled(i.width(), tallest, [24, 24, 26])?;
                tile.paste(i, 0, (tallest - i.height()) / 2);
                wide.push(tile);
            }
            let mut picture = hstack(&wide.iter().collect::<Vec<_>>(), 4)?;
            picture.caption(Edge::Bottom, &format!("{done}/{total}  {caption}"));
            if self.video.is_none() {
                let options = VideoOptions::viewing(CONTROL_HZ);
                let (w, h) = (picture.width(), picture.height());
                self.video = Some(Mp4Writer::create(path, w, h, options)?);
            }
            if let Some(v) = &mut self.video {
                v.push(picture.rgb())?;
            }
            images.rotate_left(1);
        }
        if let (true, Some(strip), Some((_, view))) = (keep, &mut self.strip, images.pop()) {
            strip.push((format!("{step}: {done}/{total} {caption}"), view));
        }
        Ok(())
    }

    fn write_strip(&self, path: &std::path::Path) -> Result<()> {
        let Some(strip) = &self.strip else { return Ok(()) };
        let mut sheet = ContactSheet::new().columns(4);
        let n = strip.len().min(STRIP_FRAMES);
        for k in 0..n {
            let at = if n > 1 { k * (strip.len() - 1) / (n - 1) } else { 0 };
            sheet.push(strip[at].0.clone(), strip[at].1.clone());
        }
        sheet.render()?.write_png(path)?;
        Ok(())
    }
}

impl Watcher for Recorder {
    fn action(&mut self, action: &Action) {
        if let Some(a) = &mut self.actions {
            a.push(action.values().to_vec());
        }
    }

    fn after_action(&mut self, env: &mut Env, doing: &str) {
        if self.failure.is_none() {
            self.failure = self.frame(env, doing).err();
        }
    }
}

/// Fails early when a file cannot be written, rather than after a long episode.
fn check_writable(path: &std::path::Path) -> Result<()> {
    let dir = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => std::path::Path::new("."),
    };
    if !dir.is_dir() {
        bail!("cannot write {}: {} is not a folder", path.display(), dir.display());
    }
    let probe = dir.join(format!(".longarm-probe-{}", std::process::id()));
    std::fs::write(&probe, []).with_context(|| format!("cannot write {}", path.display()))?;
    std::fs::remove_file(&probe)?;
    Ok(())
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let task = catalogue::task(&args.task)?;
    for path in [&args.video, &args.trace, &args.filmstrip].into_iter().flatten() {
        check_writable(path)?;
    }
    let mut actor = match args.policy.strip_prefix("replay:") {
        Some(file) => {
            let trace = Trace::read(file.as_ref())?;
            if trace.task != task.id || trace.seed != args.seed {
                bail!(
                    "{file} is a trace of {} seed {}; ask for that task and seed",
                    trace.task,
                    trace.seed
                );
            }
            Actor::replay(trace.actions())
        }
        None => Actor::named(&args.policy)?,
    };
    let watched = args.video.is_some() || args.filmstrip.is_some();
    let images = match longarm_eval::images_for(&args.policy) {
        Some(needed) if !watched => Some(needed),
        needed => (watched || actor.sees()).then(|| ImageSettings {
            channels: Channels { segment: needed.is_some(), ..Channels::COLOR },
            smooth: watched,
            view: watched,
            ..Default::default()
        }),
    };
    let mut env = Env::new(task.clone(), EnvSettings { images })?;
    let started = Instant::now();
    env.reset(Seed(args.seed))?;
    let mut recorder = Recorder {
        video: None,
        path: args.video.clone(),
        strip: args.filmstrip.is_some().then(Vec::new),
        actions: args.trace.is_some().then(Vec::new),
        failure: None,
    };
    let record = run_episode(&mut env, &mut actor, &args.policy, &mut recorder);
    let took = started.elapsed().as_secs_f64();
    if let Some(e) = recorder.failure.take() {
        return Err(e.context("cannot record the episode"));
    }
    if let Some(path) = &args.filmstrip {
        recorder.write_strip(path)?;
    }
    if let Some(v) = recorder.video {
        v.finish()?;
    }
    if let (Some(path), Some(actions)) = (&args.trace, recorder.actions) {
        Trace { task: task.id.clone(), seed: args.seed, actions }.write(path)?;
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &record)?;
        writeln!(out)?;
    } else {
        let robot = task.rig.rig().robot;
        writeln!(
            out,
            "{}  seed {}  {robot:?}  horizon {}",
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
            writeln!(out, "  {} actions went beyond ±1 and were clipped", record.clipped)?;
        }
        if let Some(v) = &args.video {
            writeln!(out, "wrote {}", v.display())?;
        }
    }
    Ok(())
}

fn print_stages(out: &mut impl Write, record: &EpisodeRecord, env: &Env) -> Result<()> {
    let width = record.stages.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
    for (i, s) in record.stages.iter().enumerate() {
        let mark = if s.completed { "✓" } else { "✗" };
        let step = s.step.map_or("          ".into(), |n| format!("step {n:5}"));
        let why = if s.completed { env.tracker().margins(i).text() } else { unmet(s) };
        writeln!(out, "  {mark} {:width$}  {step}   {why}", s.name)?;
    }
    Ok(())
}

/// The measurements that kept a stage from being completed.
fn unmet(stage: &StageRecord) -> String {
    let parts = stage.margins.iter().filter(|m| !m.holds);
    let parts: Vec<String> =
        parts.map(|m| format!("{} {:.3}, wanted {:.3}", m.name, m.value, m.limit)).collect();
    parts.join("; ")
}
