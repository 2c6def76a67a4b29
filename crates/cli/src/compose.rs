use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use longarm_agent::chat::{
    CassetteMode, CassetteSpec, ChatSpec, Decomposer, Decomposition, Schema,
};
use longarm_eval::compose::{ComposeError, Composition, Report, Steps, name_of};
use longarm_eval::demos::Format;
use rayon::prelude::*;

use crate::interrupt::{self, Interrupted};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What is to be done, in a sentence.
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    description: Option<String>,
    /// A file with a description on each line; `TASK | description` has a scene of its own. What is done already is
    /// not done again.
    #[arg(long, value_name = "FILE")]
    batch: Option<PathBuf>,
    /// The task of a suite whose scene it is, as `longarm list` names it, or a scene file in --out.
    #[arg(long, value_name = "TASK", required_unless_present = "batch")]
    scene: Option<String>,
    /// The folder of the tasks: a suite of your own.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Take the steps from this JSON file; no model is asked.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["batch", "endpoint", "cassette"])]
    decomposition: Option<PathBuf>,
    /// The model's server: http://HOST:PORT/v1, or a name in your list of endpoints.
    #[arg(long, value_name = "ENDPOINT", default_value = "http://127.0.0.1:8000/v1")]
    endpoint: String,
    /// The model [default: that of the endpoint in your list].
    #[arg(long)]
    model: Option<String>,
    /// How the server is asked for JSON: strict, flat, object or none.
    #[arg(long, default_value = "strict", value_parser = schema)]
    schema: Schema,
    /// Keep the model's answers in this file, and take those that are there.
    #[arg(long, value_name = "FILE")]
    cassette: Option<PathBuf>,
    /// Ask nobody: only answers on the cassette.
    #[arg(long, requires = "cassette")]
    replay: bool,
    /// Episodes that each expert tries.
    #[arg(long, default_value_t = 10)]
    trials: u64,
    /// Of these the expert must solve as many [default: nine tenths].
    #[arg(long, value_name = "N")]
    least: Option<u64>,
    /// First seed of trials and demonstrations; its scene is what the model sees.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Demonstrations to record of each task, with keyframes and subtasks.
    #[arg(long, default_value_t = 10)]
    demos: u64,
    /// How they are written, as in `longarm demos`.
    #[arg(long, default_value = "lerobot")]
    format: Format,
    /// Pixels a side of their pictures.
    #[arg(long, default_value_t = 256)]
    size: usize,
    /// Worker threads.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
    /// Print the reports as JSON.
    #[arg(long)]
    json: bool,
}

fn schema(text: &str) -> Result<Schema, String> {
    serde_json::from_value(text.into()).map_err(|_| "strict, flat, object or none".to_owned())
}

/// A description with its name and scene.
struct Wanted {
    name: String,
    scene: String,
    text: String,
}

impl Args {
    fn wanted(&self) -> Result<Vec<Wanted>> {
        let scene = || {
            let missing = "no scene: give --scene, or write TASK | description";
            self.scene.clone().context(missing)
        };
        let mut out = Vec::new();
        match (&self.description, &self.batch) {
            (Some(text), _) => {
                out.push(Wanted { name: name_of(text), scene: scene()?, text: text.clone() });
            }
            (None, Some(path)) => {
                let shown = path.display();
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read {shown}"))?;
                for (i, line) in text.lines().enumerate() {
                    let line = line.trim();
                    if line.is_empty() || line.starts_with('#') {
                        continue;
                    }
                    let own = line.split_once('|').map(|(s, t)| (s.trim(), t.trim()));
                    let (scene, text) = match own {
                        Some((scene, text)) => (scene.to_owned(), text.to_owned()),
                        None => (
                            scene().with_context(|| format!("{shown}:{}", i + 1))?,
                            line.to_owned(),
                        ),
                    };
                    out.push(Wanted { name: name_of(&text), scene, text });
                }
            }
            (None, None) => bail!("nothing to compose"),
        }
        let mut names = BTreeSet::new();
        for w in &mut out {
            let base = w.name.clone();
            let mut k = 2;
            while !names.insert(w.name.clone()) {
                w.name = format!("{base}-{k}");
                k += 1;
            }
        }
        if out.is_empty() {
            bail!("there is no description");
        }
        Ok(out)
    }

    fn chat(&self) -> Result<ChatSpec> {
        let mut spec = serde_json::json!({ "endpoint": self.endpoint, "max-tokens": 2048 });
        if let Some(model) = &self.model {
            spec["model"] = model.as_str().into();
        }
        let mut spec: ChatSpec = serde_json::from_value(spec)?;
        spec.schema = self.schema;
        spec.cassette = self.cassette.as_ref().map(|file| CassetteSpec {
            file: file.clone(),
            mode: if self.replay { CassetteMode::Replay } else { CassetteMode::Auto },
        });
        Ok(spec)
    }

    fn composition(&self, scene: &str, workers: usize) -> Composition {
        Composition {
            scene: scene.to_owned(),
            out: self.out.clone(),
            trials: self.trials.max(1),
            least: self.least.unwrap_or((9 * self.trials).div_ceil(10)),
            seed: self.seed,
            demos: self.demos,
            format: self.format,
            size: self.size,
            workers,
        }
    }
}

fn read_steps(path: &Path) -> Result<Decomposition> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
    let value = serde_json::from_str(&text).map_err(|e| anyhow!("{shown}: {e}"))?;
    Decomposition::read(&value).map_err(|e| anyhow!("{shown}: {e}"))
}

/// `false` when a description was refused.
pub(crate) fn run(args: &Args) -> Result<bool> {
    let wanted = args.wanted()?;
    let given = args.decomposition.as_deref().map(read_steps).transpose()?;
    let chat = args.chat()?;
    if given.is_none() {
        // Better to hear now that nobody can be asked.
        Decomposer::new(&chat).map_err(|e| anyhow!(e))?;
    }
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("cannot create {}", args.out.display()))?;
    let stop = interrupt::flag()?;
    // Many descriptions share the threads; one has them all.
    let each = if wanted.len() > 1 { 1 } else { args.workers.max(1) };
    let lock = Mutex::new(());
    let one = |w: &Wanted| -> Result<Option<Report>, ComposeError> {
        let begun = Instant::now();
        let say = |text: &str| {
            let _line = lock.lock().unwrap_or_else(PoisonError::into_inner);
            tell!("{}: {text}", w.name);
        };
        let composition = args.composition(&w.scene, each);
        if let Some(known) = composition.known(&w.name, &w.text) {
            say("is there already");
            return Ok(Some(known));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut model;
        let steps = match &given {
            Some(steps) => Steps::Given(steps.clone()),
            None => {
                model = Decomposer::new(&chat).map_err(ComposeError::Scene)?;
                Steps::Model(&mut model)
            }
        };
        let report = composition.compose(&w.name, &w.text, steps, &stop, &mut |t| say(t))?;
        if let Some(r) = &report {
            let took = begun.elapsed().as_secs_f64();
            match &r.refused {
                Some(why) => say(&format!("refused after {took:.0} s: {why}")),
                None => say(&format!("finished after {took:.0} s, {} demonstrations", r.demos)),
            }
        }
        Ok(report)
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.workers.max(1)).build()?;
    let all: Vec<_> = match each {
        1 => pool.install(|| wanted.par_iter().map(one).collect()),
        _ => wanted.iter().map(one).collect(),
    };
    let mut reports = Vec::new();
    let mut broken = None;
    for report in all {
        match report {
            Ok(Some(r)) => reports.push(r),
            Ok(None) => {}
            Err(e) => broken = broken.or(Some(e)),
        }
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &reports)?;
        writeln!(out)?;
    } else {
        table(&mut out, args, &reports)?;
    }
    if let Some(e) = broken {
        if wanted.len() == 1 {
            return Err(e.into());
        }
        bail!(
            "{e}\n{} of {} descriptions are done; the same command does the rest",
            reports.len(),
            wanted.len()
        );
    }
    if reports.len() < wanted.len() {
        let text = "stopped; the same command does the rest".to_owned();
        return Err(Interrupted(text).into());
    }
    Ok(reports.iter().all(|r| r.refused.is_none()))
}

fn table(out: &mut impl Write, args: &Args, reports: &[Report]) -> Result<()> {
    for r in reports.iter().filter(|r| r.refused.is_none()) {
        let path = args.composition(&r.scene, 1).task_path(&r.name);
        writeln!(out, "{}", path.display())?;
        writeln!(
            out,
            "  memory decides {} of {} subtasks; expert {}/{}, perceived grasps {}/{}, without memory {}/{}; {} \
             demonstrations; {} answers sent back",
            r.memory_dependent,
            r.subtasks,
            r.expert.won,
            r.expert.episodes,
            r.perceiving.won,
            r.perceiving.episodes,
            r.memoryless.won,
            r.memoryless.episodes,
            r.demos,
            r.sent_back.len()
        )?;
    }
    let refused = reports.iter().filter_map(|r| Some((r, r.refused.as_ref()?)));
    for (r, why) in refused {
        writeln!(out, "refused: {:?}\n  {why}", r.description)?;
    }
    Ok(())
}
