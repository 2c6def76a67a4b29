//! The task file that a composition comes to.

use longarm_types::ENGINE_VERSION;

use super::{Composition, Planned, Report, Solved};

/// Seconds for which the end of a task must stand.
const QUIET: f64 = 2.0;

/// A string as TOML writes it.
pub(super) fn basic(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

impl Composition {
    /// Return a task file.
    pub(super) fn text(
        &self,
        report: &Report,
        planned: &Planned,
        measured: Option<&Report>,
    ) -> String {
        let mut out = format!("# Composed from a sentence by longarm {ENGINE_VERSION}.\n");
        if let Some(m) = measured {
            let share = |s: Solved| format!("{} of {}", s.won, s.episodes);
            out += &format!(
                "# Seeds {} to {}: the expert solves {}, with grasps from the cameras {}, without memory {}.\n\
                 # Memory decides {} of {} subtasks (longarm probe).\n",
                self.seed,
                self.seed + self.trials.saturating_sub(1),
                share(m.expert),
                share(m.perceiving),
                share(m.memoryless),
                m.memory_dependent,
                m.subtasks
            );
        }
        out += &format!("scene = {}\n", basic(&self.scene));
        out += &format!("instruction = {}\n", basic(&report.description.replace(['{', '}'], "")));
        out += "plan = [\n";
        for (line, step) in planned.lines.iter().zip(&report.steps.subtasks) {
            let said: String = step.subtask.chars().filter(|c| !c.is_control()).take(120).collect();
            out += &format!("  {}, # {}. {said}\n", basic(line), step.step_id);
        }
        out += &format!("]\nstages = \"sequential\"\nquiet = {QUIET:.1}\n");
        // Memory is claimed where the probe finds it and who has none fails.
        if let Some(m) = measured {
            if m.memory_dependent > 0 && m.memoryless.won * 2 < m.memoryless.episodes {
                out += "labels = [\"memory\"]\n";
            }
            let (n, all) = (m.memory_dependent, m.subtasks);
            let ratio = n as f64 / all.max(1) as f64;
            let source =
                format!("longarm compose; memory ratio {ratio:.2} ({n} of {all} subtasks)");
            out += &format!("source = {}\n", basic(&source));
        }
        if !planned.forbid.is_empty() {
            out += "\n[forbid]\n";
            for (name, event) in &planned.forbid {
                out += &format!("{} = {}\n", basic(name), basic(event));
            }
        }
        out
    }
}
