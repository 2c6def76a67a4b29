//! Watches an episode and keeps what a dataset needs of it.

use std::time::{Duration, Instant};

use longarm_data::keyframes::{self, Keyframe};
use longarm_data::{Column, Pack};
use longarm_sim::{CameraRig, Env, ImageSettings};
use longarm_types::{Action, BoundVector, Flip, Observation, Proprioception, Rng, Seed};

use super::layout::{self, RecordedView};
use super::sink::Sink;
use super::{DemoConfig, Format, Modality};
use crate::Watcher;

/// Where the time of an episode went.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// Everything else: physics, the policy, stages.
    pub sim: Duration,
    /// Drawing.
    pub render: Duration,
    /// Encoding, or copying where nothing is encoded.
    pub encode: Duration,
    /// Writing to disk.
    pub write: Duration,
}

impl std::ops::AddAssign for Timing {
    fn add_assign(&mut self, other: Self) {
        self.sim += other.sim;
        self.render += other.render;
        self.encode += other.encode;
        self.write += other.write;
    }
}

impl Timing {
    /// All of it.
    pub fn total(&self) -> Duration {
        self.sim + self.render + self.encode + self.write
    }
}

/// One of this number of frames enters the statistics of pictures.
const SAMPLED: usize = 5;

pub(super) struct Recorder {
    format: Format,
    flip: Flip,
    modalities: Vec<Modality>,
    vectors: Vec<BoundVector>,
    numbers: Vec<Vec<f64>>,
    states: Vec<f64>,
    sinks: Vec<Sink>,
    /// Cameras of its own where the policy's are other ones.
    rig: Option<CameraRig>,
    seen: Observation,
    frames: usize,
    actions: Vec<f32>,
    action_dim: usize,
    pending: Option<Action>,
    /// What was decided, before noise.
    meant: Option<Action>,
    rewards: Vec<f32>,
    dense: Vec<f32>,
    done: Vec<bool>,
    success: Vec<bool>,
    stages: Vec<i64>,
    subtask: Vec<i64>,
    subtasks: Vec<String>,
    /// Frames at which a subtask begins in the words of the one before: the second of two pours.
    again: Vec<usize>,
    /// What was being done when this was first recorded: from which frame on, in order.
    told: Vec<(u64, String)>,
    closing: Vec<bool>,
    velocity: Vec<[f64; 3]>,
    flipped: Vec<u8>,
    rng: Rng,
    timing: Timing,
    failure: Option<String>,
}

/// The pictures a recording needs.
pub(super) fn images(config: &DemoConfig, views: &[RecordedView], env_view: &str) -> ImageSettings {
    let has = |m| config.modalities.contains(&m);
    let channels = longarm_render::Channels {
        color: has(Modality::Rgb),
        depth: has(Modality::Depth),
        segment: has(Modality::Segmentation),
        normals: false,
    };
    ImageSettings {
        channels,
        size: config.size.map(|[w, h]| (w, h)),
        view: views.iter().any(|v| v.camera == env_view),
        only: Some(views.iter().map(|v| v.camera.clone()).collect()),
        ..ImageSettings::default()
    }
}

impl Recorder {
    pub(super) fn new(
        config: &DemoConfig,
        views: &[RecordedView],
        fps: u32,
        env: &Env,
        rig: Option<CameraRig>,
        told: Vec<(u64, String)>,
    ) -> Result<Self, String> {
        let format = config.format;
        let sinks = match format.pictures() {
            true => views
                .iter()
                .map(|v| Sink::new(v, fps, format))
                .collect::<Result<Vec<_>, String>>()?,
            false => Vec::new(),
        };
        let observation = layout::observation(format);
        let spec = env.observation_spec();
        let vectors = observation.bind(spec)?;
        Ok(Self {
            format,
            flip: observation.flip,
            modalities: config.modalities.clone(),
            numbers: vec![Vec::new(); vectors.len()],
            vectors,
            states: Vec::new(),
            sinks,
            rig,
            seen: Observation {
                limbs: spec.limbs.iter().map(Proprioception::of).collect(),
                ..Observation::default()
            },
            frames: 0,
            actions: Vec::new(),
            action_dim: env.action_spec().dim(),
            pending: None,
            meant: None,
            rewards: Vec::new(),
            dense: Vec::new(),
            done: Vec::new(),
            success: Vec::new(),
            stages: Vec::new(),
            subtask: Vec::new(),
            subtasks: Vec::new(),
            again: Vec::new(),
            told,
            closing: Vec::new(),
            velocity: Vec::new(),
            flipped: Vec::new(),
            rng: Seed(0).stream("demonstrations"),
            timing: Timing::default(),
            failure: None,
        })
    }

    /// Takes in what is seen before the next action.
    fn observe(&mut self, env: &mut Env) {
        if self.failure.is_none() {
            self.failure = self.look(env).err();
        }
    }

    fn look(&mut self, env: &mut Env) -> Result<(), String> {
        let world = env.world();
        for (limb, own) in self.seen.limbs.iter_mut().enumerate() {
            world.read_limb(limb, own);
        }
        let hand = &world.snapshot().hands[0];
        self.closing.push(hand.closing);
        self.velocity.push(hand.twist.linear.to_array());
        for (v, values) in self.vectors.iter().zip(&mut self.numbers) {
            v.append(env.observation_spec(), &self.seen, values)?;
        }
        if self.format == Format::Hdf5 {
            world.append_state(&mut self.states);
        }
        let tracker = env.tracker();
        self.stages.push(tracker.current().map_or(-1, |i| i as i64));
        if !self.sinks.is_empty() {
            let begun = Instant::now();
            let drawn = match &mut self.rig {
                Some(rig) => {
                    rig.draw(env.world(), &mut self.rng);
                    &*rig
                }
                None => {
                    let (rig, world) = env.cameras().ok_or("the environment has no cameras")?;
                    rig.draw(world, &mut self.rng);
                    &*rig
                }
            };
            let encoding = Instant::now();
            self.timing.render += encoding - begun;
            for (name, frame) in drawn.frames() {
                for sink in self.sinks.iter_mut().filter(|s| s.view.camera == name) {
                    let sampled = self.frames.is_multiple_of(SAMPLED);
                    sink.take(frame, self.flip, &mut self.flipped, &self.modalities, sampled)?;
                }
            }
            self.timing.encode += encoding.elapsed();
        }
        self.frames += 1;
        Ok(())
    }

    /// What was recorded, numbers and pictures apart; what went wrong otherwise.
    pub(super) fn finish(self, rule: &keyframes::Rule) -> Result<Recorded, String> {
        if let Some(why) = self.failure {
            return Err(why);
        }
        let frames = self.rewards.len();
        let found = keyframes::find(&self.closing, &self.velocity, rule);
        let keyframes: Vec<Keyframe> = found.into_iter().filter(|k| k.frame < frames).collect();
        let mut marked = vec![false; frames];
        keyframes.iter().for_each(|k| marked[k.frame] = true);
        let (hdf5, states) = (self.format.hdf5(), self.format == Format::Hdf5);
        let mut numbers = Pack::default();
        for (v, mut values) in self.vectors.iter().zip(self.numbers) {
            let width = values.len() / self.frames.max(1);
            values.truncate(width * frames);
            let column = match hdf5 {
                true => Column::F64 { width, values },
                false => Column::F32 { width, values: values.iter().map(|v| *v as f32).collect() },
            };
            numbers.push(v.key.as_str(), column);
        }
        let width = self.action_dim;
        let action = match hdf5 {
            true => {
                let values = self.actions.iter().map(|v| f64::from(*v)).collect();
                Column::F64 { width, values }
            }
            false => Column::F32 { width, values: self.actions },
        };
        numbers.push(layout::action_name(self.format), action);
        if states {
            let width = self.states.len() / self.frames.max(1);
            let values = self.states[..width * frames].to_vec();
            numbers.push("states", Column::F64 { width, values });
        }
        let mut subtask_changes: Vec<(u64, usize)> = Vec::new();
        for (frame, s) in self.subtask.iter().enumerate() {
            let s = *s as usize;
            let same = subtask_changes.last().is_some_and(|(_, before)| *before == s);
            if !same || self.again.contains(&frame) {
                subtask_changes.push((frame as u64, s));
            }
        }
        let mut stages = self.stages;
        stages.truncate(frames);
        for (name, column) in layout::FLAGS.map(|(n, _)| n).into_iter().zip([
            Column::f32(self.rewards),
            Column::Bool(self.done),
            Column::Bool(self.success),
            Column::I64(stages),
            Column::I64(self.subtask),
            Column::Bool(marked),
            Column::f32(self.dense),
        ]) {
            numbers.push(name, column);
        }
        let mut pictures = Pack::default();
        let mut longest = 0;
        let mut kinds = Vec::new();
        for sink in self.sinks {
            let Sink { view, encoder, histogram, rgb, depth, segment, jpegs } = sink;
            if let Some(jpegs) = jpegs {
                jpegs.store(&view.name, &mut pictures);
                continue;
            }
            if let Some(encoder) = encoder {
                let clip = encoder.finish();
                if clip.frames() != frames {
                    return Err(format!("{} has {} of {frames} frames", view.name, clip.frames()));
                }
                longest = longest.max(clip.bytes());
                kinds.push(clip.kind());
                clip.store(&view.name, &mut pictures);
                let counts = Column::I64(histogram.to_numbers());
                numbers.push(format!("histogram/{}", view.name), counts);
                continue;
            }
            let pixels = view.width * view.height;
            for (modality, column) in [
                ("rgb", Column::U8 { width: pixels * 3, values: rgb }),
                ("depth", Column::F32 { width: pixels, values: depth }),
                ("segmentation", Column::I16 { width: pixels, values: segment }),
            ] {
                if column.rows() > 0 {
                    pictures.push(format!("{}/{modality}", view.name), column);
                }
            }
        }
        Ok(Recorded {
            frames,
            numbers,
            pictures,
            longest,
            kinds,
            subtasks: self.subtasks,
            subtask_changes,
            keyframes,
            timing: self.timing,
        })
    }
}

/// An episode as recorded.
pub(super) struct Recorded {
    pub(super) frames: usize,
    pub(super) numbers: Pack,
    pub(super) pictures: Pack,
    /// Bytes of the longest clip.
    pub(super) longest: usize,
    /// What clips must have in common to share a file.
    pub(super) kinds: Vec<longarm_types::Digest>,
    pub(super) subtasks: Vec<String>,
    pub(super) subtask_changes: Vec<(u64, usize)>,
    pub(super) keyframes: Vec<Keyframe>,
    pub(super) timing: Timing,
}

impl Watcher for Recorder {
    fn reads_dense_reward(&self) -> bool {
        true
    }

    fn begun(&mut self, env: &mut Env) {
        self.observe(env);
    }

    fn decided(&mut self, action: &Action) {
        self.meant = Some(*action);
    }

    fn action(&mut self, action: &Action) {
        // To learn from, what the expert meant; to replay, what was done.
        let meant = self.meant.take().filter(|_| self.format != Format::Native);
        self.pending = Some(meant.unwrap_or(*action));
    }

    fn after_action(&mut self, env: &mut Env, doing: &str) {
        let Some(action) = self.pending.take() else { return };
        self.actions.extend_from_slice(action.values());
        let report = env.report();
        let tracker = env.tracker();
        self.rewards.push(report.reward.stages as f32);
        self.dense.push(report.reward.dense as f32);
        self.done.push(report.done());
        self.success.push(report.success);
        // A policy does not say what it is doing; the stage it is at does.
        let stage = self.stages.last().and_then(|s| usize::try_from(*s).ok());
        let now = self.subtask.len() as u64;
        let told = self.told.iter().rfind(|(from, _)| *from <= now).map(|(_, t)| t.as_str());
        let text = match (told.unwrap_or(doing), stage) {
            ("", Some(i)) => tracker.title(i),
            ("", None) => "done",
            (said, _) => said,
        };
        let at = self.subtasks.iter().position(|s| s == text).unwrap_or_else(|| {
            self.subtasks.push(text.to_owned());
            self.subtasks.len() - 1
        });
        let before = self.stages.iter().rev().nth(1).and_then(|s| usize::try_from(*s).ok());
        if let (Some(before), Some(stage)) = (before, stage)
            && before != stage
            && [before, stage].iter().all(|i| tracker.sentences().nth(*i) == Some(text))
        {
            self.again.push(self.subtask.len());
        }
        self.subtask.push(at as i64);
        if !report.done() {
            self.observe(env);
        }
    }
}
