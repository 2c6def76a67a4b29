//! One HDF5 file per task.

use longarm_data::Column;
use longarm_data::hdf5::{Attribute, Hdf5Writer};
use serde_json::json;

use super::super::DemoError;
use super::super::staging::DemoRow;
use super::{Builder, Shard};

impl Builder<'_> {
    pub(super) fn hdf5(&self, shard: &Shard) -> Result<(), DemoError> {
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
}
