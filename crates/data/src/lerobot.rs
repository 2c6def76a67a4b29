//! LeRobot datasets, versions 3.0 and 2.1, which an unmodified `LeRobotDataset(repo_id, root=…)`
//! loads offline.
//!
//! Episodes come in shards: the data file and the video files of a shard hold the same episodes. In
//! version 2.1 every episode is a shard. Times are frame counts divided by the rate, never read from
//! a container.

mod meta;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::parquet::{self, Field};
use crate::{Column, Error, Pack, Result};

pub use meta::{Episode, write_meta};

/// Which of LeRobot's formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Version {
    /// lerobot 0.4 and later.
    V3,
    /// lerobot 0.3 and openpi.
    V21,
}

/// Most files of a folder.
const CHUNK: usize = 1000;

/// A feature that is stored as numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbers {
    /// Name.
    pub name: String,
    /// `float32`, `int64`, `bool`.
    pub dtype: &'static str,
    /// Names of its dimensions.
    pub names: Vec<String>,
}

/// A feature that is stored as video.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Name.
    pub name: String,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
}

/// What a dataset holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Format.
    pub version: Version,
    /// Robot.
    pub robot: String,
    /// Frames per second.
    pub fps: u32,
    /// Cameras in order.
    pub cameras: Vec<Camera>,
    /// Other features in order, without those every dataset has.
    pub numbers: Vec<Numbers>,
    /// Largest video and data file in MB, as the metadata state it.
    pub shard_mb: u32,
    /// Our own part of `info.json`.
    pub provenance: Value,
}

impl Layout {
    /// The data file of a shard, relative to the dataset.
    pub fn data_path(&self, shard: usize) -> String {
        let (chunk, file) = place(shard);
        match self.version {
            Version::V3 => format!("data/chunk-{chunk:03}/file-{file:03}.parquet"),
            Version::V21 => format!("data/chunk-{chunk:03}/episode_{shard:06}.parquet"),
        }
    }

    /// A video file of a shard, relative to the dataset.
    pub fn video_path(&self, camera: &str, shard: usize) -> String {
        let (chunk, file) = place(shard);
        match self.version {
            Version::V3 => format!("videos/{camera}/chunk-{chunk:03}/file-{file:03}.mp4"),
            Version::V21 => format!("videos/chunk-{chunk:03}/{camera}/episode_{shard:06}.mp4"),
        }
    }

    fn features(&self) -> Value {
        let mut out = serde_json::Map::new();
        for c in &self.cameras {
            let info = json!({
                "video.height": c.height, "video.width": c.width, "video.codec": "h264",
                "video.pix_fmt": "yuv420p", "video.is_depth_map": false, "video.fps": self.fps,
                "video.channels": 3, "has_audio": false,
            });
            let entry = json!({
                "dtype": "video", "shape": [c.height, c.width, 3],
                "names": ["height", "width", "channels"], "info": info,
            });
            out.insert(c.name.clone(), entry);
        }
        for n in &self.numbers {
            let names = if n.names.len() > 1 { json!(n.names) } else { Value::Null };
            let shape = [n.names.len().max(1)];
            out.insert(n.name.clone(), json!({"dtype": n.dtype, "shape": shape, "names": names}));
        }
        for (name, dtype) in [
            ("timestamp", "float32"),
            ("frame_index", "int64"),
            ("episode_index", "int64"),
            ("index", "int64"),
            ("task_index", "int64"),
        ] {
            out.insert(name.into(), json!({"dtype": dtype, "shape": [1], "names": null}));
        }
        Value::Object(out)
    }
}

/// Chunk and file of a shard.
pub(crate) fn place(shard: usize) -> (usize, usize) {
    (shard / CHUNK, shard % CHUNK)
}

/// The columns every dataset has.
pub(crate) fn standard(episode: &Episode, fps: u32) -> Vec<(&'static str, Column)> {
    let frames = 0..episode.length as i64;
    let same = |v: usize| Column::I64(vec![v as i64; episode.length]);
    let time = |i| (i as f64 / f64::from(fps)) as f32;
    vec![
        ("timestamp", Column::f32(frames.clone().map(time).collect())),
        ("frame_index", Column::I64(frames.clone().collect())),
        ("episode_index", same(episode.index)),
        ("index", Column::I64(frames.map(|i| i + episode.from as i64).collect())),
        ("task_index", same(episode.task)),
    ]
}

/// Writes the data file of a shard: one group of rows per episode. `numbers` holds the layout's
/// features of each.
pub fn write_data(dir: &Path, layout: &Layout, episodes: &[(&Episode, Pack)]) -> Result<String> {
    let shard = episodes.first().map_or(0, |(e, _)| e.shard);
    let name = layout.data_path(shard);
    let path = dir.join(&name);
    let mut groups = Vec::new();
    for (episode, numbers) in episodes {
        let mut group = Vec::new();
        for n in &layout.numbers {
            let fail = |what: String| Error::Layout { name: n.name.clone(), what };
            let column = numbers.get(&n.name).ok_or_else(|| fail("it is missing".into()))?;
            let fits = column.dtype() == n.dtype
                && column.width() == n.names.len().max(1)
                && column.rows() == episode.length;
            if !fits {
                return Err(fail(format!(
                    "{} rows of {} {} where {} of {} {} belong",
                    column.rows(),
                    column.width(),
                    column.dtype(),
                    episode.length,
                    n.names.len().max(1),
                    n.dtype
                )));
            }
            group.push(Field::new(&n.name, column.clone()));
        }
        group.extend(standard(episode, layout.fps).into_iter().map(|(n, c)| Field::new(n, c)));
        groups.push(group);
    }
    folder(&path)?;
    parquet::write(&path, &groups, &[])?;
    Ok(name)
}

/// Makes the folder of a file.
pub(crate) fn folder(path: &Path) -> Result<()> {
    match path.parent() {
        Some(dir) => std::fs::create_dir_all(dir).map_err(Error::io("create", dir)),
        None => Ok(()),
    }
}
