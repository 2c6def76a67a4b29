//! Traces of actions.

use longarm_data::Column;
use longarm_results::Trace;

use super::super::DemoError;
use super::{Builder, Shard};

impl Builder<'_> {
    pub(super) fn native(&self, shard: &Shard) -> Result<(), DemoError> {
        let row = self.rows[shard.first].1;
        let numbers = self.numbers(shard.first)?;
        let Some(Column::F32 { width, values }) = numbers.get("action") else {
            return Err(DemoError::Config("actions were not recorded".into()));
        };
        let task = self.plan.tasks.iter().find(|t| t.spec.id == row.episode.task);
        let mut trace = Trace::new(row.episode.task.clone(), row.episode.seed, *width)
            .under(task.and_then(|t| t.spec.control));
        values.chunks_exact(*width).for_each(|a| {
            trace.push(a);
        });
        Ok(trace.write(&self.out.join(&shard.files[0]))?)
    }
}
