//! From recorded attempts to files: episodes are divided into shards, each format has a writer.

mod hdf5;
mod jsonl;
mod lerobot;
mod native;
mod npy;
mod subtasks;

use std::path::Path;

use longarm_data::lerobot::{Episode, Layout};
use longarm_data::manifest::Manifest;
use longarm_data::{Column, Pack, write_atomically};
use longarm_results::trace_name;
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
            Format::LerobotV21
            | Format::Native
            | Format::Npy
            | Format::Hdf5Subtasks
            | Format::Jsonl => false,
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
            Format::Hdf5Subtasks => subtasks::files(plan, task, row),
            Format::Jsonl => jsonl::files(plan, task, config, row),
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
        let why = super::summary::reasons(plan, &staging.rows().1);
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
        // What the list of files does not have is not known to be there.
        let whole = |m: &Manifest| m.files.len() == shard.files.len() && m.damage(out).is_empty();
        // Of a dataset that grows, files of single episodes stay.
        let kept = || {
            let m = of_shard(staging.before().filter(|_| config.format.apart())?, shard);
            Some(m).filter(whole)
        };
        let done = match known {
            Some(m) => Some(m).filter(whole),
            None => staging.shard(out, s, &shard.keys).or_else(kept),
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
    if let Some(mut before) = before {
        if let Some((file, what)) = before.damage(out).first() {
            let what = format!("recorded again it is another ({what})");
            return Err(DemoError::Damaged { path: out.join(file), what });
        }
        let listed = before.files.len();
        before.files.extend(manifest.files);
        if before.files.len() > listed {
            before.write(&own.join(FILES))?;
        }
        return Ok(before);
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
            Format::Hdf5Subtasks => self.subtasks(shard),
            Format::Jsonl => self.jsonl(shard),
        }
    }
}
