//! A model as a policy.

use std::sync::Arc;

use longarm_policy::{Decision, EpisodeInfo, Policy, PolicyError};
use longarm_types::{Action, Observation};

use crate::feed::Feed;
use crate::manifest::ActionOutput;
use crate::process::Process;
use crate::{Checkpoint, Limits};

/// Asks a model in a process of its own.
pub struct OnnxPolicy {
    checkpoint: Arc<Checkpoint>,
    limits: Limits,
    /// The process, and what it is fed with.
    running: Option<(Feed, Process)>,
    /// Whether the model has not been asked in this episode.
    first: bool,
    dim: usize,
    question: Vec<u8>,
}

impl OnnxPolicy {
    pub(crate) fn new(checkpoint: Arc<Checkpoint>, limits: Limits) -> Self {
        Self { checkpoint, limits, running: None, first: true, dim: 0, question: Vec::new() }
    }

    fn answer(&mut self, seen: &Observation) -> Result<(Vec<usize>, Vec<f32>), PolicyError> {
        let Some((feed, process)) = &mut self.running else {
            return Err(PolicyError::Fault("the model's process has ended".into()));
        };
        self.question.clear();
        feed.write(seen, &mut self.question).map_err(PolicyError::Fault)?;
        process.act(std::mem::take(&mut self.first), &self.question)
    }
}

impl Policy for OnnxPolicy {
    fn begin_episode(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        self.first = true;
        self.dim = episode.action.dim();
        let spec = &episode.observation;
        if !self.running.as_ref().is_some_and(|(feed, _)| feed.is_for(spec)) {
            let feed = Feed::bind(&self.checkpoint.manifest, spec).map_err(PolicyError::Fault)?;
            fits(&self.checkpoint.manifest.action, self.dim).map_err(PolicyError::Fault)?;
            self.running = None;
            let process = Process::start(&self.checkpoint, &feed, self.limits)?;
            self.running = Some((feed, process));
        }
        Ok(())
    }

    fn act(&mut self, seen: &Observation, decision: &mut Decision) -> Result<(), PolicyError> {
        let (shape, values) = match self.answer(seen) {
            Ok(answer) => answer,
            Err(e) => {
                // The next episode has a fresh one.
                self.running = None;
                return Err(e);
            }
        };
        let out = &self.checkpoint.manifest.action;
        let taken = chunk(out, self.dim, &shape, values.len()).map_err(PolicyError::Fault)?;
        for one in values.chunks_exact(self.dim).take(taken) {
            let mut action = Action::new(one);
            for (i, v) in action.values_mut().iter_mut().enumerate() {
                *v = (f64::from(*v) * of(&out.std, i, 1.0) + of(&out.mean, i, 0.0)) as f32;
            }
            decision.chunk.push(action);
        }
        Ok(())
    }

    fn sees(&self) -> bool {
        self.checkpoint.manifest.inputs.iter().any(|i| !i.fields.is_empty())
    }
}

fn of(list: &[f64], i: usize, usual: f64) -> f64 {
    match list {
        [] => usual,
        [one] => *one,
        many => many[i],
    }
}

/// Refuse numbers for an action of another length.
pub(crate) fn fits(out: &ActionOutput, dim: usize) -> Result<(), String> {
    for (name, list) in [("mean", &out.mean), ("std", &out.std)] {
        if ![0, 1, dim].contains(&list.len()) {
            let n = list.len();
            return Err(format!(
                "action: {name} has {n} numbers and this robot's action {dim}; give 1 or {dim}"
            ));
        }
    }
    Ok(())
}

/// How many actions of an answer are taken.
fn chunk(out: &ActionOutput, dim: usize, shape: &[usize], n: usize) -> Result<usize, String> {
    if shape.last() != Some(&dim) || n == 0 {
        return Err(format!(
            "output {:?} has the shape {shape:?} and this robot's action {dim} numbers",
            out.output
        ));
    }
    let all = n / dim;
    match out.execute {
        Some(taken) if taken > all => {
            Err(format!("output {:?} holds {all} actions and execute asks for {taken}", out.output))
        }
        taken => Ok(taken.unwrap_or(all)),
    }
}
