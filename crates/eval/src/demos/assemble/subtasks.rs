//! One HDF5 file per subtask of an episode: `CATEGORY/N_TASK_dataset/subtask_data/SUBTASK_ORDER_seedS_taskN.hdf5`.
//! The files of one seed joined by their order are the episode.

use longarm_data::Column;
use longarm_data::hdf5::{Attribute, Hdf5Writer};

use super::super::DemoError;
use super::super::segments::{category, number, segments, slug};
use super::super::staging::DemoRow;
use super::super::work::Plan;
use super::{Builder, Shard};

/// The files of an episode.
pub(super) fn files(plan: &Plan, task: usize, row: &DemoRow) -> Vec<String> {
    let spec = &plan.tasks[task].spec;
    let (n, seed) = (number(plan, task), row.episode.seed);
    let name = spec.id.as_str().split_once('/').map_or(spec.id.as_str(), |(_, name)| name);
    let folder = format!("{}/{n}_{}_dataset", category(&spec.id, &spec.labels), slug(name));
    let one = |(order, sentence): (usize, String)| {
        format!("{folder}/subtask_data/{}_{order}_seed{seed}_task{n}.hdf5", slug(&sentence))
    };
    segments(row).into_iter().map(|s| s.sentence).enumerate().map(one).collect()
}

impl Builder<'_> {
    pub(super) fn subtasks(&self, shard: &Shard) -> Result<(), DemoError> {
        let (task, _) = shard.keys[0];
        let row = self.rows[shard.first].1;
        let numbers = self.staging.numbers(shard.keys[0])?;
        let mut pictures = self.staging.pictures(shard.keys[0])?;
        let views = self.plan.views(task);
        let pictures: Vec<_> = views
            .iter()
            .filter_map(|v| Some((v, pictures.take(&format!("{}/rgb", v.name))?)))
            .collect();
        const GROUP: &str = "data/demo_0";
        for (order, (path, part)) in shard.files.iter().zip(segments(row)).enumerate() {
            let mut file = Hdf5Writer::create(&self.out.join(path))?;
            for (name, text) in [
                ("language_instruction", row.instruction.as_str()),
                ("subtask", part.sentence.as_str()),
                ("task", row.episode.task.as_str()),
            ] {
                file.attribute(GROUP, name, Attribute::Text(text.to_owned()));
            }
            for (name, number) in [
                ("num_samples", part.frames.len()),
                ("order", order),
                ("first_frame", part.frames.start),
                ("seed", row.episode.seed as usize),
            ] {
                file.attribute(GROUP, name, Attribute::Int(number as i64));
            }
            for (name, column) in numbers.columns() {
                let part = column.slice(part.frames.clone());
                match name {
                    "actions" => {
                        file.dataset(&format!("{GROUP}/actions"), &part, &[part.width()])?;
                    }
                    "is_keyframe" => {
                        let truths = part.numbers().unwrap_or_default();
                        let values = truths.iter().map(|v| *v as u8).collect();
                        let marks = Column::U8 { width: 1, values };
                        file.dataset(&format!("{GROUP}/keyframes"), &marks, &[])?;
                    }
                    _ if name.starts_with("obs/") => {
                        file.dataset(&format!("{GROUP}/{name}"), &part, &[part.width()])?;
                    }
                    _ => {}
                }
            }
            for (view, column) in &pictures {
                let part = column.slice(part.frames.clone());
                let path = format!("{GROUP}/obs/{}", view.name);
                file.dataset(&path, &part, &[view.height, view.width, 3])?;
            }
            for (name, text) in [
                ("macros_image_convention", "opengl".to_owned()),
                (
                    "keyframe_rule",
                    serde_json::to_string(&self.config.keyframes).unwrap_or_default(),
                ),
                ("longarm", self.layout.provenance["config"].to_string()),
            ] {
                file.attribute("data", name, Attribute::Text(text));
            }
            file.attribute("data", "num_demos", Attribute::Int(1));
            file.attribute("data", "total", Attribute::Int(part.frames.len() as i64));
            file.finish()?;
        }
        Ok(())
    }
}
