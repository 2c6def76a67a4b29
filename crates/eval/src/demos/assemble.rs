//! From recorded attempts to files.

use std::path::Path;

use longarm_data::hdf5::{Attribute, Hdf5Writer};
use longarm_data::lerobot::{self, Episode, Layout};
use longarm_data::manifest::Manifest;
use longarm_data::video::{Clip, ClipJoiner};
use longarm_data::{Column, Pack, npy, write_atomically};
use longarm_results::{Trace, trace_name};
use serde_json::{Value, json};

use super::layout::{self, SHARD_MB};
use super::staging::{DemoRow, Key, Staging};
use super::work::Plan;
use super::{CONFIG, DROPPED, DemoConfig, DemoError, EPISODES, FILES, Format, OWN};

/// Episodes that go into the same files.
pub(super) struct Shard {
    pub(super) keys: Vec<Key>,
    /// Position of the first in the dataset.
    first: usize,
    /// What they become, relative to the dataset.
    pub(super) files: Vec<String>,
}

/// Divides kept attempts into shards.
pub(super) fn shards(
    plan: &Plan,
    config: &DemoConfig,
    episodes: &[(Key, &DemoRow)],
) -> Result<Vec<Shard>, DemoError> {
    let mut out: Vec<Shard> = Vec::new();
    let (mut bytes, mut last): (u64, Option<(Key, &DemoRow)>) = (0, None);
    for (i, (key, row)) in episodes.iter().enumerate() {
        let joins = last.is_some_and(|(before, other)| match config.format {
            Format::Lerobot => {
                bytes + row.clip_bytes <= u64::from(SHARD_MB) << 20
                    && other.clip_kinds == row.clip_kinds
            }
            Format::Hdf5 => before.0 == key.0,
            Format::LerobotV21 | Format::Native | Format::Npy => false,
        });
        match out.last_mut() {
            Some(shard) if joins => shard.keys.push(*key),
            _ => {
                bytes = 0;
                out.push(Shard { keys: vec![*key], first: i, files: Vec::new() });
            }
        }
        bytes += row.clip_bytes;
        last = Some((*key, *row));
    }
    let layout = lerobot_layout(plan, config, Value::Null)?;
    for (s, shard) in out.iter_mut().enumerate() {
        let (task, _) = shard.keys[0];
        let row = episodes[shard.first].1;
        let id = &plan.tasks[task].spec.id;
        shard.files = match config.format {
            Format::Lerobot | Format::LerobotV21 => std::iter::once(layout.data_path(s))
                .chain(layout.cameras.iter().map(|c| layout.video_path(&c.name, s)))
                .collect(),
            Format::Hdf5 => vec![format!("{}_demo.hdf5", id.as_str().replace('/', "_"))],
            Format::Native => vec![trace_name(id, row.episode.seed)],
            Format::Npy => {
                let folder = format!("arrays/{id}/{}", row.episode.seed);
                let views = plan.views(task).iter();
                let pictures = views.flat_map(|v| {
                    config.modalities.iter().map(move |m| format!("{}.{}", v.name, name(*m)))
                });
                ["action".to_owned(), "observation.state".to_owned()]
                    .into_iter()
                    .chain(pictures)
                    .map(|n| format!("{folder}/{n}.npy"))
                    .collect()
            }
        };
    }
    Ok(out)
}

fn name(m: super::Modality) -> &'static str {
    match m {
        super::Modality::Rgb => "rgb",
        super::Modality::Depth => "depth",
        super::Modality::Segmentation => "segmentation",
    }
}

fn lerobot_layout(plan: &Plan, config: &DemoConfig, more: Value) -> Result<Layout, DemoError> {
    layout::lerobot(config, &plan.tasks[0].spec, more)
}

/// Puts the dataset together; when repairing, only what is damaged. The list of its files comes last.
pub(super) fn assemble(
    out: &Path,
    plan: &Plan,
    config: &DemoConfig,
    staging: &Staging,
    repairing: bool,
) -> Result<Manifest, DemoError> {
    let own = out.join(OWN);
    let episodes = staging.episodes();
    if episodes.is_empty() {
        let why = super::reasons(&staging.rows().1);
        let why: Vec<String> = why.iter().map(|(why, n)| format!("{why} ({n})")).collect();
        let why = why.join("; ");
        let what = format!("no episode was kept: {why}; --keep-failures keeps failed ones, too");
        return Err(DemoError::Config(what));
    }
    let shards = shards(plan, config, &episodes)?;
    let builder = Builder::new(out, plan, config, staging, &episodes, &shards)?;
    let before = match repairing {
        true => Manifest::read(&own.join(FILES))?,
        false => None,
    };
    let mut manifest = Manifest::default();
    for (s, shard) in shards.iter().enumerate() {
        let known = before.as_ref().map(|m| of_shard(m, shard));
        let done = match known {
            Some(m) => Some(m).filter(|m| m.damage(out).is_empty()),
            None => staging.shard(out, s, &shard.keys),
        };
        let files = match done {
            Some(m) => m,
            None => {
                builder.shard(s, shard)?;
                let mut m = Manifest::default();
                for f in &shard.files {
                    m.add(out, f)?;
                }
                staging.finish_shard(s, &shard.keys, &m)?;
                m
            }
        };
        manifest.files.extend(files.files);
    }
    if let Some(before) = before {
        return match before.damage(out).first() {
            None => Ok(before),
            Some((file, what)) => {
                let what = format!("recorded again it is another ({what})");
                Err(DemoError::Damaged { path: out.join(file), what })
            }
        };
    }
    for file in builder.meta()? {
        manifest.add(out, &file)?;
    }
    let (kept, dropped) = staging.rows();
    for (file, rows) in [(EPISODES, kept), (DROPPED, dropped)] {
        let mut text = Vec::new();
        for row in rows {
            serde_json::to_writer(&mut text, &row).map_err(|e| DemoError::Config(e.to_string()))?;
            text.push(b'\n');
        }
        write_atomically(&own.join(file), &text)?;
        manifest.add(out, &format!("{OWN}/{file}"))?;
    }
    manifest.add(out, &format!("{OWN}/{CONFIG}"))?;
    manifest.write(&own.join(FILES))?;
    Ok(manifest)
}

fn of_shard(all: &Manifest, shard: &Shard) -> Manifest {
    let entry = |f: &String| Some((f.clone(), all.files.get(f)?.clone()));
    Manifest { files: shard.files.iter().filter_map(entry).collect() }
}

struct Builder<'a> {
    out: &'a Path,
    plan: &'a Plan,
    config: &'a DemoConfig,
    staging: &'a Staging,
    rows: &'a [(Key, &'a DemoRow)],
    layout: Layout,
    /// By position in the dataset.
    episodes: Vec<Episode>,
    tasks: Vec<String>,
    subtasks: Vec<String>,
}

/// Position of a text in a list, added where it is new.
fn place(text: &str, all: &mut Vec<String>) -> usize {
    all.iter().position(|t| t == text).unwrap_or_else(|| {
        all.push(text.to_owned());
        all.len() - 1
    })
}

impl<'a> Builder<'a> {
    fn new(
        out: &'a Path,
        plan: &'a Plan,
        config: &'a DemoConfig,
        staging: &'a Staging,
        rows: &'a [(Key, &'a DemoRow)],
        shards: &[Shard],
    ) -> Result<Self, DemoError> {
        let (mut tasks, mut subtasks) = (Vec::new(), Vec::new());
        let mut episodes = Vec::new();
        let mut from = 0;
        for (s, shard) in shards.iter().enumerate() {
            let mut video_from = 0;
            for k in 0..shard.keys.len() {
                let row = rows[shard.first + k].1;
                let length = row.frames as usize;
                let task = place(&row.instruction, &mut tasks);
                for t in &row.subtasks {
                    place(t, &mut subtasks);
                }
                let index = episodes.len();
                episodes.push(Episode { index, length, from, task, shard: s, video_from });
                from += length;
                video_from += length;
            }
        }
        let mut seeds = serde_json::Map::new();
        for (_, row) in rows {
            let list = seeds.entry(row.episode.task.as_str()).or_insert_with(|| json!([]));
            if let Value::Array(list) = list {
                list.push(json!(row.episode.seed));
            }
        }
        let provenance = json!({
            "config": serde_json::to_value(config).unwrap_or_default(),
            "seeds": seeds,
            "episodes": format!("{OWN}/{EPISODES}"),
        });
        let layout = lerobot_layout(plan, config, provenance)?;
        Ok(Self { out, plan, config, staging, rows, layout, episodes, tasks, subtasks })
    }

    /// An episode's numbers with subtasks counted over the whole dataset.
    fn numbers(&self, index: usize) -> Result<Pack, longarm_data::Error> {
        let (key, row) = &self.rows[index];
        let mut pack = self.staging.numbers(*key).map_err(|e| match e {
            DemoError::Data(e) => e,
            other => {
                longarm_data::Error::Layout { name: "numbers".into(), what: other.to_string() }
            }
        })?;
        if let Some(Column::I64(local)) = pack.take("subtask_index") {
            let whole = |i: &i64| {
                let text = usize::try_from(*i).ok().and_then(|i| row.subtasks.get(i));
                text.and_then(|t| self.subtasks.iter().position(|s| s == t)).unwrap_or(0) as i64
            };
            pack.push("subtask_index", Column::I64(local.iter().map(whole).collect()));
        }
        Ok(pack)
    }

    fn shard(&self, s: usize, shard: &Shard) -> Result<(), DemoError> {
        for f in &shard.files {
            if let Some(dir) = self.out.join(f).parent() {
                std::fs::create_dir_all(dir).map_err(DemoError::io("create", dir))?;
            }
        }
        match self.config.format {
            Format::Lerobot | Format::LerobotV21 => self.lerobot(s, shard),
            Format::Hdf5 => self.hdf5(shard),
            Format::Native => self.native(shard),
            Format::Npy => self.npy(shard),
        }
    }

    fn lerobot(&self, s: usize, shard: &Shard) -> Result<(), DemoError> {
        let range = shard.first..shard.first + shard.keys.len();
        let data = range
            .map(|i| Ok((&self.episodes[i], self.numbers(i)?)))
            .collect::<Result<Vec<_>, longarm_data::Error>>()?;
        lerobot::write_data(self.out, &self.layout, &data)?;
        let paths: Vec<_> = self
            .layout
            .cameras
            .iter()
            .map(|c| self.out.join(self.layout.video_path(&c.name, s)))
            .collect();
        let mut videos =
            paths.iter().map(|p| ClipJoiner::create(p)).collect::<Result<Vec<_>, _>>()?;
        for key in &shard.keys {
            let mut pack = self.staging.pictures(*key)?;
            for (camera, video) in self.layout.cameras.iter().zip(&mut videos) {
                let missing = || longarm_data::Error::Layout {
                    name: camera.name.clone(),
                    what: "its video was not recorded".into(),
                };
                video.push(&Clip::take(&camera.name, &mut pack).ok_or_else(missing)?)?;
            }
        }
        for video in videos {
            video.finish()?;
        }
        Ok(())
    }

    fn hdf5(&self, shard: &Shard) -> Result<(), DemoError> {
        let (task, _) = shard.keys[0];
        let spec = &self.plan.tasks[task].spec;
        let mut file = Hdf5Writer::create(&self.out.join(&shard.files[0]))?;
        let mut total = 0;
        for (i, key) in shard.keys.iter().enumerate() {
            let row = self.rows[shard.first + i].1;
            let group = format!("data/demo_{i}");
            let numbers = self.numbers(shard.first + i)?;
            let mut text = |name: &str, value: String| {
                file.attribute(&group, name, Attribute::Text(value));
            };
            let scene = longarm_task::sample(spec, longarm_types::Seed(row.episode.seed));
            if let Ok(scene) = scene {
                text("model_file", longarm_assets::compose(&scene.structure).xml);
            }
            text("language_instruction", row.instruction.clone());
            let plain = |v: &DemoRow| serde_json::to_string(v).unwrap_or_default();
            text("longarm", plain(row));
            file.attribute(&group, "num_samples", Attribute::Int(row.frames as i64));
            file.attribute(&group, "seed", Attribute::Int(row.episode.seed as i64));
            if let Some(Column::F64 { width, values }) = numbers.get("states") {
                let first = values.get(..*width).unwrap_or_default().to_vec();
                file.attribute(&group, "init_state", Attribute::Floats(first));
            }
            total += row.frames;
            for (name, column) in numbers.columns() {
                let bytes = |c: &Column| {
                    let values = c.numbers().unwrap_or_default();
                    Column::U8 { width: 1, values: values.iter().map(|v| *v as u8).collect() }
                };
                let (path, column) = match name {
                    "next.reward" => continue,
                    // This format's reward is that of success.
                    "next.success" => ("rewards", bytes(column)),
                    "next.reward_dense" => ("rewards_dense", column.clone()),
                    "next.done" => ("dones", bytes(column)),
                    "is_keyframe" => ("keyframes", bytes(column)),
                    _ if name.starts_with("histogram/") => continue,
                    _ => (name, column.clone()),
                };
                let shape = [column.width()];
                let scalar =
                    matches!(column, Column::U8 { .. } | Column::I64(_)) || path == "rewards_dense";
                let shape: &[usize] = if scalar { &[] } else { &shape };
                file.dataset(&format!("{group}/{path}"), &column, shape)?;
            }
            let mut pictures = self.staging.pictures(*key)?;
            for v in self.plan.views(task) {
                if let Some(column) = pictures.take(&format!("{}/rgb", v.name)) {
                    let path = format!("{group}/obs/{}", v.name);
                    file.dataset(&path, &column, &[v.height, v.width, 3])?;
                }
            }
        }
        let env_args = json!({
            "type": 1,
            "env_name": spec.id,
            "problem_name": spec.id,
            "bddl_file": "",
            "env_kwargs": {"task": spec.id, "task_hash": spec.hash(), "engine": self.config.engine},
        });
        let problem = json!({
            "problem_name": spec.id,
            "domain_name": "longarm",
            "language_instruction": self.rows[shard.first].1.instruction,
        });
        for (name, value) in [
            ("env_name", spec.id.to_string()),
            ("env_args", env_args.to_string()),
            ("problem_info", problem.to_string()),
            ("bddl_file_name", String::new()),
            // Pictures have their bottom row first.
            ("macros_image_convention", "opengl".to_owned()),
            ("subtasks", json!(self.subtasks).to_string()),
            ("longarm", self.layout.provenance.to_string()),
        ] {
            file.attribute("data", name, Attribute::Text(value));
        }
        file.attribute("data", "num_demos", Attribute::Int(shard.keys.len() as i64));
        file.attribute("data", "total", Attribute::Int(total as i64));
        Ok(file.finish()?)
    }

    fn native(&self, shard: &Shard) -> Result<(), DemoError> {
        let row = self.rows[shard.first].1;
        let numbers = self.numbers(shard.first)?;
        let Some(Column::F32 { width, values }) = numbers.get("action") else {
            return Err(DemoError::Config("actions were not recorded".into()));
        };
        let mut trace = Trace::new(row.episode.task.clone(), row.episode.seed, *width);
        values.chunks_exact(*width).for_each(|a| {
            trace.push(a);
        });
        Ok(trace.write(&self.out.join(&shard.files[0]))?)
    }

    fn npy(&self, shard: &Shard) -> Result<(), DemoError> {
        let (task, _) = shard.keys[0];
        let numbers = self.numbers(shard.first)?;
        for (file, name) in shard.files.iter().zip(["action", "observation.state"]) {
            if let Some(column) = numbers.get(name) {
                npy::write(&self.out.join(file), column, &[column.width()])?;
            }
        }
        let mut pictures = self.staging.pictures(shard.keys[0])?;
        let mut files = shard.files.iter().skip(2);
        for v in self.plan.views(task) {
            for m in &self.config.modalities {
                let column = pictures.take(&format!("{}/{}", v.name, name(*m)));
                let (Some(file), Some(column)) = (files.next(), column) else { continue };
                let colours: &[usize] = &[v.height, v.width, 3];
                let shape = if *m == super::Modality::Rgb { colours } else { &colours[..2] };
                npy::write(&self.out.join(file), &column, shape)?;
            }
        }
        Ok(())
    }

    /// What describes the whole dataset.
    fn meta(&self) -> Result<Vec<String>, DemoError> {
        if !self.config.format.video() {
            return Ok(Vec::new());
        }
        let mut files = lerobot::write_meta(
            self.out,
            &self.layout,
            &self.episodes,
            &self.tasks,
            &self.subtasks,
            |e| self.numbers(e.index),
        )?;
        let card = "---\ntags: [LeRobot, longarm]\ntask_categories: [robotics]\nconfigs:\n\
                    - config_name: default\n  data_files: data/*/*.parquet\n---\n\
                    Demonstrations recorded by longarm; `longarm/demos.toml` says how, \
                    `longarm/episodes.jsonl` says what became of each, with its keyframes.\n";
        write_atomically(&self.out.join("README.md"), card.as_bytes())?;
        files.push("README.md".into());
        Ok(files)
    }
}
