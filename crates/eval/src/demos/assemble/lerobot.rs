//! LeRobot's parquet files, videos and metadata.

use longarm_data::lerobot;
use longarm_data::video::{Clip, ClipJoiner};
use longarm_data::write_atomically;

use super::super::DemoError;
use super::{Builder, Shard};

impl Builder<'_> {
    pub(super) fn lerobot(&self, s: usize, shard: &Shard) -> Result<(), DemoError> {
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

    /// What describes the whole dataset.
    pub(super) fn meta(&self) -> Result<Vec<String>, DemoError> {
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
