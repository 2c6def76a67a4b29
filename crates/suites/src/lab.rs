//! Tasks that a benchmark runs on a real robot only, as a lab needs them.

/// A task for a lab: nothing of it is simulated.
pub struct LabTask {
    /// Name of its page.
    pub name: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// What the policy is told.
    pub instruction: &'static str,
    /// What it measures, in words.
    pub measures: &'static str,
    /// The robot it was published with.
    pub robot: &'static str,
    /// Mean control steps of the published demonstrations.
    pub mean_steps: u32,
    /// Objects: name, and what it should be.
    pub objects: &'static [(&'static str, &'static str)],
    /// Where the objects stand, step by step.
    pub set_up: &'static [&'static str],
    /// What is drawn for each initialization: what, and among which values.
    pub draws: &'static [(&'static str, &'static [&'static str])],
    /// What happens while the policy only watches, step by step.
    pub shown: &'static [&'static str],
    /// Phases, in strict order, each with what counts.
    pub phases: &'static [(&'static str, &'static str)],
    /// What ends the episode as a failure.
    pub fails: &'static [&'static str],
    /// What must be remembered, and how often guessing is right.
    pub memory: &'static str,
    /// Published success rates in percent, of ten episodes.
    pub published: &'static [(&'static str, f64)],
    /// Where it comes from, and what is ours in it.
    pub source: &'static str,
}
