//! The `meta` folder.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::{CHUNK, Layout, Version, folder, place, standard};
use crate::parquet::{self, Field};
use crate::{Column, Histogram, Pack, Result, Stats, write_atomically};

/// One episode of a dataset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Episode {
    /// Position in the dataset.
    pub index: usize,
    /// Frames.
    pub length: usize,
    /// Position of its first frame in the dataset.
    pub from: usize,
    /// Index of its task.
    pub task: usize,
    /// Its shard.
    pub shard: usize,
    /// Position of its first frame in the shard's videos.
    pub video_from: usize,
}

/// Writes everything under `meta`. `numbers` gives an episode's features; histograms of a camera are
/// in it under `histogram/` and its name. Returns the files, relative to the dataset.
pub fn write_meta(
    dir: &Path,
    layout: &Layout,
    episodes: &[Episode],
    tasks: &[String],
    subtasks: &[String],
    mut numbers: impl FnMut(&Episode) -> Result<Pack>,
) -> Result<Vec<String>> {
    let mut collected = Collected::default();
    let mut each = Vec::new();
    for e in episodes {
        each.push(collected.add(layout, e, &numbers(e)?));
    }
    let mut files = vec![write(dir, "meta/info.json", &info(layout, episodes, tasks))?];
    let whole = stats_json(&collected.whole(), layout, true);
    match layout.version {
        Version::V3 => {
            files.push(write(dir, "meta/stats.json", &whole)?);
            files.push(table(dir, "meta/tasks.parquet", "task", tasks)?);
            files.push(table(dir, "meta/subtasks.parquet", "subtask", subtasks)?);
            files.push(episodes_v3(dir, layout, episodes, tasks, &each)?);
        }
        Version::V21 => {
            files.push(write(dir, "meta/stats.json", &whole)?);
            let named = |what: &'static str| {
                move |(i, t): (usize, &String)| {
                    let index = format!("{what}_index");
                    json!({index: i, what: t})
                }
            };
            let lines = tasks.iter().enumerate().map(named("task"));
            files.push(write_lines(dir, "meta/tasks.jsonl", lines)?);
            let lines = subtasks.iter().enumerate().map(named("subtask"));
            files.push(write_lines(dir, "meta/subtasks.jsonl", lines)?);
            let lines = episodes.iter().map(|e| {
                let tasks = [&tasks[e.task]];
                json!({"episode_index": e.index, "tasks": tasks, "length": e.length})
            });
            files.push(write_lines(dir, "meta/episodes.jsonl", lines)?);
            let lines = episodes.iter().zip(&each).map(|(e, stats)| {
                json!({"episode_index": e.index, "stats": stats_json(stats, layout, false)})
            });
            files.push(write_lines(dir, "meta/episodes_stats.jsonl", lines)?);
        }
    }
    Ok(files)
}

/// By feature; cameras are features.
type ByFeature = Vec<(String, Stats)>;

/// What statistics of the whole dataset are made from.
#[derive(Default)]
struct Collected {
    numbers: BTreeMap<String, (usize, Vec<f64>)>,
    pictures: BTreeMap<String, Histogram>,
}

impl Collected {
    /// Takes an episode in; its own statistics.
    fn add(&mut self, layout: &Layout, episode: &Episode, pack: &Pack) -> ByFeature {
        let mut out = ByFeature::new();
        for c in &layout.cameras {
            let Some(Column::I64(n)) = pack.get(&format!("histogram/{}", c.name)) else { continue };
            let Some(histogram) = Histogram::from_numbers(n) else { continue };
            out.extend(histogram.stats().map(|s| (c.name.clone(), s)));
            self.pictures.entry(c.name.clone()).or_default().merge(&histogram);
        }
        let own = layout.numbers.iter().filter_map(|n| Some((n.name.as_str(), pack.get(&n.name)?)));
        let standard = standard(episode, layout.fps);
        for (name, column) in own.chain(standard.iter().map(|(n, c)| (*n, c))) {
            let Some(values) = column.numbers() else { continue };
            let width = column.width();
            out.extend(Stats::of(&values, width).map(|s| (name.to_owned(), s)));
            let all = self.numbers.entry(name.to_owned()).or_insert((width, Vec::new()));
            all.1.extend(values);
        }
        out
    }

    fn whole(&self) -> ByFeature {
        let pictures = self.pictures.iter().filter_map(|(n, h)| Some((n.clone(), h.stats()?)));
        let numbers =
            self.numbers.iter().filter_map(|(n, (w, v))| Some((n.clone(), Stats::of(v, *w)?)));
        pictures.chain(numbers).collect()
    }
}

fn stats_json(stats: &ByFeature, layout: &Layout, quantiles: bool) -> Value {
    let picture = |name: &str| layout.cameras.iter().any(|c| c.name == name);
    stats.iter().map(|(n, s)| (n.clone(), s.to_json(picture(n), quantiles))).collect()
}

fn info(layout: &Layout, episodes: &[Episode], tasks: &[String]) -> Value {
    let frames: usize = episodes.iter().map(|e| e.length).sum();
    let mut out = json!({
        "codebase_version": match layout.version { Version::V3 => "v3.0", Version::V21 => "v2.1" },
        "robot_type": layout.robot,
        "total_episodes": episodes.len(),
        "total_frames": frames,
        "total_tasks": tasks.len(),
        "chunks_size": CHUNK,
        "fps": layout.fps,
        "splits": {"train": format!("0:{}", episodes.len())},
        "features": layout.features(),
        "longarm": layout.provenance,
    });
    let more = match layout.version {
        Version::V3 => json!({
            "data_files_size_in_mb": layout.shard_mb,
            "video_files_size_in_mb": layout.shard_mb,
            "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
            "video_path":
                "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
        }),
        Version::V21 => json!({
            "total_videos": episodes.len() * layout.cameras.len(),
            "total_chunks": episodes.len().div_ceil(CHUNK),
            "data_path":
                "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
            "video_path":
                "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4",
        }),
    };
    if let (Value::Object(out), Value::Object(more)) = (&mut out, more) {
        out.extend(more);
    }
    out
}

/// Texts by index. The reader finds a text as the name of a row, so pandas must be told that it is
/// the frame's index.
fn table(dir: &Path, file: &str, what: &str, texts: &[String]) -> Result<String> {
    let index = format!("{what}_index");
    let column = |name: &str, pandas: &str, numpy: &str| {
        json!({
            "name": name, "field_name": name, "pandas_type": pandas, "numpy_type": numpy,
            "metadata": null,
        })
    };
    let pandas = json!({
        "index_columns": [what],
        "column_indexes": [],
        "columns": [column(&index, "int64", "int64"), column(what, "unicode", "object")],
        "pandas_version": "2.2.0",
    });
    let fields = vec![
        Field::new(&index, Column::I64((0..texts.len() as i64).collect())),
        Field::new(what, Column::Text(texts.to_vec())),
    ];
    let path = dir.join(file);
    folder(&path)?;
    parquet::write(&path, &[fields], &[("pandas", pandas.to_string())])?;
    Ok(file.to_owned())
}

fn episodes_v3(
    dir: &Path,
    layout: &Layout,
    episodes: &[Episode],
    tasks: &[String],
    stats: &[ByFeature],
) -> Result<String> {
    let whole =
        |f: &dyn Fn(&Episode) -> usize| Column::I64(episodes.iter().map(|e| f(e) as i64).collect());
    let fps = f64::from(layout.fps);
    let seconds = |f: &dyn Fn(&Episode) -> usize| {
        Column::f64(episodes.iter().map(|e| f(e) as f64 / fps).collect())
    };
    let mut fields = vec![
        Field::new("episode_index", whole(&|e| e.index)),
        Field::new(
            "tasks",
            Column::Texts(episodes.iter().map(|e| vec![tasks[e.task].clone()]).collect()),
        ),
        Field::new("length", whole(&|e| e.length)),
        Field::new("data/chunk_index", whole(&|e| place(e.shard).0)),
        Field::new("data/file_index", whole(&|e| place(e.shard).1)),
        Field::new("dataset_from_index", whole(&|e| e.from)),
        Field::new("dataset_to_index", whole(&|e| e.from + e.length)),
    ];
    for c in &layout.cameras {
        let name = |part: &str| format!("videos/{}/{part}", c.name);
        fields.push(Field::new(name("chunk_index"), whole(&|e| place(e.shard).0)));
        fields.push(Field::new(name("file_index"), whole(&|e| place(e.shard).1)));
        fields.push(Field::new(name("from_timestamp"), seconds(&|e| e.video_from)));
        fields.push(Field::new(name("to_timestamp"), seconds(&|e| e.video_from + e.length)));
    }
    for (i, (feature, first)) in stats.first().into_iter().flatten().enumerate() {
        let depth = if layout.cameras.iter().any(|c| c.name == *feature) { 3 } else { 1 };
        for (k, (part, values)) in first.parts().enumerate() {
            let width = values.len();
            let value = |s: &ByFeature| s[i].1.parts().nth(k).map(|(_, v)| v.clone());
            let values = stats.iter().filter_map(value).flatten().collect();
            let column = Column::F64 { width, values };
            fields.push(Field::list(format!("stats/{feature}/{part}"), column, depth));
        }
        let counts = Column::I64(stats.iter().map(|s| s[i].1.count as i64).collect());
        fields.push(Field::list(format!("stats/{feature}/count"), counts, 1));
    }
    fields.push(Field::new("meta/episodes/chunk_index", whole(&|_| 0)));
    fields.push(Field::new("meta/episodes/file_index", whole(&|_| 0)));
    let file = "meta/episodes/chunk-000/file-000.parquet";
    let path = dir.join(file);
    folder(&path)?;
    parquet::write(&path, &[fields], &[])?;
    Ok(file.to_owned())
}

fn write(dir: &Path, file: &str, value: &Value) -> Result<String> {
    let path = dir.join(file);
    folder(&path)?;
    write_atomically(&path, format!("{value:#}\n").as_bytes())?;
    Ok(file.to_owned())
}

fn write_lines(dir: &Path, file: &str, lines: impl Iterator<Item = Value>) -> Result<String> {
    let text: String = lines.map(|l| format!("{l}\n")).collect();
    let path = dir.join(file);
    folder(&path)?;
    write_atomically(&path, text.as_bytes())?;
    Ok(file.to_owned())
}
