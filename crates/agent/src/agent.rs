//! The loop: report, plan, act, remember.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use longarm_policy::{Decision, EpisodeInfo, PolicyError, Remote, RemoteSpec};
use longarm_types::{Action, ChannelKind, Observation, Seed};

use crate::chat::{ChatPlanner, ChatReporter};
use crate::clock::{Late, Trigger};
use crate::detect::Detector;
use crate::memory::{Bank, Frame, Nominator, Picture, Recent, shuffle};
use crate::pace::{Ages, Tempo};
use crate::part::{
    Actor, Answer, Oracle, Planner, Question, Recall, Reporter, Server, Silent, untold,
};
use crate::rules::Rules;
use crate::socket::SocketPlanner;
use crate::words::Words;
use crate::{ActorSpec, AgentError, AgentSpec, PlannerSpec, ReporterSpec, World};

/// Joint speed, radians per second, below which an arm is at rest.
const REST: f64 = 0.02;

/// One question to the planner and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Control step of the question.
    pub asked: u32,
    /// Control step at which the answer is due.
    pub due: u32,
    /// What the reporter said.
    pub report: Vec<String>,
    /// What a model was asked and what it answered, word by word.
    pub exchange: Option<(String, String)>,
    /// What the planner said; `None` when it takes all to be done.
    pub said: Option<String>,
    /// Why the actor could not do what was said before.
    pub failed: Option<String>,
}

/// An agent that acts.
pub struct Agent {
    spec: AgentSpec,
    planner: Box<dyn Planner>,
    actor: Box<dyn Actor>,
    reporter: Box<dyn Reporter>,
    episode: Option<Running>,
}

/// What belongs to one episode.
struct Running {
    info: EpisodeInfo,
    step: u32,
    questions: u32,
    last_question: Option<u32>,
    /// Step of the question whose answer is in force, and how old answers in force were, summed up.
    heard: Option<u32>,
    behind: u64,
    /// How many steps answers took, and how old they were in force.
    latency: Ages,
    staleness: Ages,
    /// Control steps a second; none where the world waits for every motion.
    rate: u32,
    /// How long the actor took for its last chunk.
    chunk_took: Duration,
    answers: Late<Answer>,
    /// What is to be done; nothing before the first answer and after the last.
    sentence: Option<String>,
    failed: Option<String>,
    said: Vec<String>,
    recent: Recent,
    bank: Option<Bank>,
    /// Frames have notes of what was completed, and keyframes come in an order drawn from this.
    noted: bool,
    shuffled: Option<Seed>,
    /// Frames have pictures.
    looks: bool,
    /// What the actor decided and was not taken yet, and what is due later.
    chunk: VecDeque<Action>,
    coming: Late<Vec<Action>>,
    chunks: u32,
    last: Action,
    /// Gripper closed and arm at rest, as of the last look.
    posture: Option<(bool, bool)>,
    turns: Vec<Turn>,
}

impl Agent {
    /// Make an agent of its parts. A server is connected to when the first episode begins.
    pub fn new(spec: &AgentSpec) -> Result<Self, AgentError> {
        let planner: Box<dyn Planner> = match &spec.planner {
            PlannerSpec::Oracle {} => Box::new(Oracle),
            PlannerSpec::Recall {} => Box::<Recall>::default(),
            PlannerSpec::Chat(chat) => {
                let planner = ChatPlanner::new(chat);
                Box::new(planner.map_err(|e| AgentError::Text(format!("[planner] {e}")))?)
            }
            PlannerSpec::Rules {} => Box::<Rules>::default(),
            PlannerSpec::Socket { server, cameras } => {
                let planner = SocketPlanner::new(server, cameras);
                Box::new(planner.map_err(|e| AgentError::Text(format!("[planner] {e}")))?)
            }
        };
        let actor: Box<dyn Actor> = match &spec.actor {
            ActorSpec::Oracle {} => Box::new(Oracle),
            ActorSpec::Words {} => Box::<Words>::default(),
            ActorSpec::Remote { server } => {
                let spec: RemoteSpec =
                    server.parse().map_err(|e| AgentError::Text(format!("[actor] server: {e}")))?;
                let remote = Remote::new(&spec).map_err(|e| AgentError::Text(e.to_string()))?;
                Box::new(Server::new(remote))
            }
        };
        let reporter: Box<dyn Reporter> = match &spec.reporter {
            ReporterSpec::None => Box::new(Silent),
            ReporterSpec::Oracle {} => Box::new(Oracle),
            ReporterSpec::Detector {} => Box::<Detector>::default(),
            ReporterSpec::Chat(chat) => {
                let reporter = ChatReporter::new(chat);
                Box::new(reporter.map_err(|e| AgentError::Text(format!("[reporter] {e}")))?)
            }
        };
        Ok(Self { spec: spec.clone(), planner, actor, reporter, episode: None })
    }

    /// What it is made of.
    pub fn spec(&self) -> &AgentSpec {
        &self.spec
    }

    /// The questions of the episode so far.
    pub fn turns(&self) -> &[Turn] {
        self.episode.as_ref().map_or(&[], |e| &e.turns)
    }

    /// Return what the episode is about.
    pub fn instruction(&self) -> &str {
        self.episode.as_ref().map_or("", |e| &e.info.instruction)
    }

    /// Return the keyframes of the episode so far in the order in which the planner has them, a line each.
    pub fn remembered(&self) -> Vec<String> {
        let Some(run) = &self.episode else { return Vec::new() };
        let line = |f: &Frame| match &f.note {
            Some(note) => format!("step {}: {note}", f.step),
            None => format!("step {}", f.step),
        };
        run.keyframes().into_iter().map(line).collect()
    }

    /// How fast it thought in the episode so far, and what that cost.
    pub fn pace(&self) -> Tempo {
        let spent = self.planner.spent().and(self.reporter.spent());
        self.episode.as_ref().map_or(Tempo::default(), |e| Tempo {
            steps: e.step,
            questions: e.questions,
            chunks: e.chunks,
            behind: e.behind,
            latency: e.latency.ends(),
            staleness: e.staleness.ends(),
            spent,
        })
    }

    /// Whether the actor could not do what it was last told.
    pub fn refused(&self) -> bool {
        self.episode.as_ref().is_some_and(|e| e.failed.is_some())
    }

    /// A new episode begins; forget the last one.
    pub fn begin_episode(&mut self, info: &EpisodeInfo) -> Result<(), PolicyError> {
        self.planner.begin(info)?;
        self.reporter.begin(info);
        let memory = &self.spec.memory;
        let by = memory.bank.map_or(Nominator::Planner, |b| b.by);
        self.episode = Some(Running {
            step: 0,
            questions: 0,
            last_question: None,
            heard: None,
            behind: 0,
            latency: Ages::default(),
            staleness: Ages::default(),
            rate: if info.action.whole_motions() { 0 } else { info.action.rate() },
            chunk_took: Duration::ZERO,
            answers: Late::default(),
            sentence: None,
            failed: None,
            said: Vec::new(),
            recent: Recent::new(memory.recent, memory.stride),
            bank: memory.bank.map(Bank::new),
            noted: self.spec.planner == (PlannerSpec::Recall {}) || by != Nominator::Planner,
            shuffled: (by == Nominator::Shuffled).then_some(info.policy_seed),
            looks: self.planner.looks(),
            chunk: VecDeque::new(),
            coming: Late::default(),
            chunks: 0,
            last: info.action.idle(),
            posture: None,
            turns: Vec::new(),
            info: info.clone(),
        });
        self.actor.begin(info)
    }

    /// Decide what to do in this control step: one action.
    ///
    /// # Panics
    /// Before [`Agent::begin_episode`].
    pub fn act(
        &mut self,
        world: &mut dyn World,
        decision: &mut Decision,
    ) -> Result<(), PolicyError> {
        let Self { spec, planner, actor, reporter, episode } = self;
        let run = episode.as_mut().expect("begin_episode comes before act");
        let now = run.step;
        run.step += 1;
        run.remember(now, world)?;
        if run.asks(spec, now, world) {
            let begun = Instant::now();
            let report = reporter.report(world)?;
            let failed = run.failed.take();
            let keyframes = run.keyframes();
            let asked = Question {
                instruction: &run.info.instruction,
                step: now,
                report: &report,
                recent: run.recent.frames().collect(),
                keyframes,
                said: if spec.memory.summary { &run.said } else { &[] },
                failed: failed.as_deref(),
            };
            let answer = planner.plan(&asked, world)?;
            let late = spec.clock.planner.of(run.questions, begun.elapsed(), run.rate);
            let due = now + late;
            run.latency.add(late);
            let (said, exchange) = (answer.say.clone(), planner.exchange());
            run.turns.push(Turn { asked: now, due, report, exchange, said, failed });
            run.questions += 1;
            run.last_question = Some(now);
            run.answers.send(now, due, answer);
        }
        if let Some((asked, answer)) = run.answers.take(now) {
            run.hear(answer);
            run.heard = Some(asked);
        }
        if let Some(asked) = run.heard {
            run.behind += u64::from(now - asked);
            run.staleness.add(now - asked);
        }
        let action = run.next_action(spec, actor.as_mut(), now, world)?;
        decision.chunk.push(action);
        decision.believes = Some(run.sentence.clone().unwrap_or_default());
        run.last = action;
        Ok(())
    }

    /// The episode is over.
    pub fn end_episode(&mut self) {
        self.planner.end();
        self.actor.end();
    }
}

impl Running {
    /// Return the keyframes in the order in which the planner has them.
    fn keyframes(&self) -> Vec<&Frame> {
        let mut keyframes = self.bank.as_ref().map(Bank::keyframes).unwrap_or_default();
        if let Some(seed) = self.shuffled {
            shuffle(&mut keyframes, seed);
        }
        keyframes
    }

    /// Whether the planner is asked at this step.
    fn asks(&mut self, spec: &AgentSpec, now: u32, world: &mut dyn World) -> bool {
        let clock = &spec.clock;
        let rested = self.last_question.is_none_or(|last| now - last >= clock.every);
        match clock.when {
            Trigger::Idle => rested && self.answers.is_empty(),
            Trigger::Change => {
                let limbs = &world.observe().limbs;
                let closed = limbs.iter().any(|l| l.opening < 0.5);
                let slow =
                    |l: &longarm_types::Proprioception| l.velocities.iter().all(|v| v.abs() < REST);
                let posture = (closed, limbs.iter().all(slow));
                let changed = self
                    .posture
                    .replace(posture)
                    .is_none_or(|before| before.0 != posture.0 || (posture.1 && !before.1));
                rested && changed
            }
        }
    }

    fn hear(&mut self, answer: Answer) {
        if let Some(say) = answer.say.as_ref().filter(|s| self.said.last() != Some(s)) {
            self.said.push(say.clone());
        }
        self.sentence = answer.say;
        let Some(bank) = self.bank.as_mut() else { return };
        for step in answer.keyframes {
            if let Some(frame) = self.recent.frames().find(|f| f.step == step) {
                bank.nominate(frame.clone());
            }
        }
    }

    /// Take in the frame of this step, where one is wanted.
    fn remember(&mut self, now: u32, world: &mut dyn World) -> Result<(), PolicyError> {
        let note = match self.noted {
            true => world.truth().ok_or_else(untold)?.completed(),
            false => None,
        };
        let (wanted, key) = (self.recent.wants(now), note.is_some());
        if !wanted && !key {
            return Ok(());
        }
        let pictures = if self.looks { pictures(world.observe()) } else { Vec::new() };
        let frame = Frame { step: now, pictures, note };
        if key && let Some(bank) = &mut self.bank {
            bank.nominate(frame.clone());
        }
        if wanted {
            self.recent.push(frame);
        }
        Ok(())
    }

    /// Return what to do in this step: the chunk that is due, or standing still.
    fn next_action(
        &mut self,
        spec: &AgentSpec,
        actor: &mut dyn Actor,
        now: u32,
        world: &mut dyn World,
    ) -> Result<Action, PolicyError> {
        let Some(sentence) = &self.sentence else {
            self.chunk.clear();
            self.coming.clear();
            return Ok(self.hold());
        };
        let rate = self.rate;
        let late = |n: u32, took: Duration| spec.clock.actor.of(n, took, rate);
        let ahead = late(self.chunks, self.chunk_took);
        // Asked in time for the new chunk to begin where the old one ends.
        if self.coming.is_empty() && self.chunk.len() <= ahead as usize {
            let mut chunk = Vec::new();
            let begun = Instant::now();
            if let Err(why) = actor.act(sentence, world, &mut chunk)? {
                self.failed = Some(why);
            }
            self.chunk_took = begun.elapsed();
            let late = late(self.chunks, self.chunk_took);
            self.chunks += 1;
            if !chunk.is_empty() {
                self.coming.send(now, now + late, chunk);
            }
        }
        if let Some((_, chunk)) = self.coming.take(now) {
            self.chunk = chunk.into();
        }
        Ok(self.chunk.pop_front().unwrap_or_else(|| self.hold()))
    }

    /// Stand still and keep hold of what is held.
    fn hold(&self) -> Action {
        let mut action = self.info.action.idle();
        for (channel, at) in self.info.action.slices() {
            let keeps = matches!(
                channel.kind,
                ChannelKind::Gripper | ChannelKind::HandJoints | ChannelKind::JointTarget
            );
            if keeps {
                action.values_mut()[at.clone()].copy_from_slice(&self.last.values()[at]);
            }
        }
        action
    }
}

pub(crate) fn pictures(seen: &Observation) -> Vec<Picture> {
    let drawn = seen.cameras.iter().filter(|c| !c.rgb.is_empty());
    drawn
        .map(|c| Picture {
            camera: c.name.clone(),
            width: c.width,
            height: c.height,
            rgb: c.rgb.clone(),
        })
        .collect()
}
