//! One array per file.

use longarm_data::npy;

use super::super::{DemoError, Modality};
use super::{Builder, Shard, name};

impl Builder<'_> {
    pub(super) fn npy(&self, shard: &Shard) -> Result<(), DemoError> {
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
                let shape = if *m == Modality::Rgb { colours } else { &colours[..2] };
                npy::write(&self.out.join(file), &column, shape)?;
            }
        }
        Ok(())
    }
}
