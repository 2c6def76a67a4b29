//! Agents in the episode loop: what they look at, and the truth for their oracle parts.

mod judge;
mod progress;
mod report;

use std::io::Write;
use std::path::Path;

use longarm_agent::{Agent, AgentError, AgentSpec, Truth, World};
use longarm_data::image::encode_png;
use longarm_expert::{Expert, ExpertError};
use longarm_policy::{Decision, EpisodeInfo, PolicyError};
use longarm_render::Channels;
use longarm_results::report::{Moment, Picture, Story, timeline};
use longarm_results::{Attribution, Thought};
use longarm_sim::{Env, ImageSettings};
use longarm_task::TaskSpec;
use longarm_types::{
    Action, CameraImage, EpisodeOutcome, EpisodeRecord, Observation, Seed, TaskId,
};

use judge::Judge;
use progress::Progress;

/// An agent with what its oracle parts need.
pub struct AgentActor {
    agent: Agent,
    /// There are oracles.
    told: bool,
    expert: Expert,
    progress: Option<Progress>,
    judge: Judge,
    /// Control steps a second; 1 where each is a whole motion.
    rate: u32,
    /// Questions worth showing; `None` unless traced.
    seen: Option<Vec<Noted>>,
}

/// A question worth showing.
struct Noted {
    /// Its place among all.
    turn: usize,
    /// What was seen and remembered.
    pictures: Vec<Picture>,
    remembered: Vec<String>,
}

/// Most questions that are shown of an episode.
const MOMENTS: usize = 60;

/// A page about what an agent thought.
pub(crate) struct Thoughts(pub(crate) String);

impl Thoughts {
    /// Write it into a run directory and return its name there.
    pub(crate) fn write(&self, dir: &Path, task: &TaskId, seed: Seed) -> Option<String> {
        let name = format!("agents/{task}/{}.html", seed.0);
        let path = dir.join(&name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        match made.and_then(|()| std::fs::write(&path, &self.0)) {
            Ok(()) => Some(name),
            Err(why) => {
                let at = path.display();
                let _ = writeln!(std::io::stderr(), "warning: {at} was not written: {why}");
                None
            }
        }
    }
}

/// A camera's picture as a file.
fn picture(camera: &CameraImage) -> Option<Picture> {
    let png = encode_png(camera.width, camera.height, &camera.rgb).ok()?;
    Picture::new(png)
}

impl AgentActor {
    /// Make an agent that can act in episodes.
    pub fn new(spec: &AgentSpec) -> Result<Self, AgentError> {
        let (agent, told) = (Agent::new(spec)?, !spec.oracles().is_empty());
        let (expert, judge) = (Expert::led(), Judge::default());
        Ok(Self { agent, told, expert, progress: None, judge, rate: 1, seen: None })
    }

    /// Whether it looks at pictures.
    pub fn sees(&self) -> bool {
        self.agent.spec().sees()
    }

    /// What it is made of, and what was asked and answered in this episode.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Keep what it thinks, for [`AgentActor::timeline`].
    #[must_use]
    pub fn traced(self) -> Self {
        Self { seen: Some(Vec::new()), ..self }
    }

    /// Write a page about what it thought in this episode, which ended so; `None` unless it is traced.
    pub fn timeline(&self, record: &EpisodeRecord) -> Option<String> {
        let seen = self.seen.as_ref()?;
        let moment = |n: &Noted| {
            let (t, found) = (self.agent.turns().get(n.turn)?, self.judge.of(n.turn));
            Some(Moment {
                step: t.asked,
                due: t.due,
                pictures: n.pictures.clone(),
                remembered: n.remembered.clone(),
                report: t.report.clone(),
                exchange: t.exchange.clone(),
                said: t.said.clone(),
                failed: t.failed.clone(),
                allowed: found.allowed,
                effect: found.effect,
            })
        };
        let moments: Vec<Moment> = seen.iter().filter_map(moment).collect();
        let story = Story {
            title: &format!("{} seed {}", record.task, record.seed),
            instruction: self.agent.instruction(),
            agent: &self.agent.spec().line(),
            end: &ended(record),
        };
        Some(timeline(story, &moments))
    }

    /// Note the questions in which something new was said or remembered, with what was seen then.
    fn trace(&mut self, env: &mut Env) {
        let Some(seen) = &mut self.seen else { return };
        let turns = self.agent.turns();
        let Some(last) = turns.last().filter(|_| seen.len() < MOMENTS) else { return };
        let known = seen.last().and_then(|n| Some((n, turns.get(n.turn)?)));
        if known.is_some_and(|(_, k)| k.asked == last.asked) {
            return;
        }
        let remembered = self.agent.remembered();
        let new = known.is_none_or(|(n, k)| {
            k.said != last.said || n.remembered != remembered || !last.report.is_empty()
        });
        if new {
            // An agent that looks has just looked.
            if !self.agent.spec().sees() {
                env.observe();
            }
            let drawn = env.last_observation().cameras.iter().filter(|c| !c.rgb.is_empty());
            let pictures = drawn.take(1).filter_map(picture).collect();
            seen.push(Noted { turn: turns.len() - 1, pictures, remembered });
        }
    }

    /// Who was right so far in this episode.
    pub fn attribution(&self) -> Attribution {
        let pace = self.agent.pace();
        let thought = Thought {
            rate: self.rate,
            chunks: pace.chunks,
            latency: pace.latency,
            staleness: pace.staleness,
            calls: pace.spent.calls,
            tokens: pace.spent.tokens,
            millionths: (pace.spent.money * 1e6).round() as u64,
        };
        Attribution {
            steps: pace.steps,
            questions: pace.questions,
            behind: pace.behind,
            pace: Some(thought),
            ..self.judge.found()
        }
    }

    /// Prepare the truth of the episode that the environment was just reset to.
    pub(crate) fn prepare(&mut self, env: &mut Env) -> Result<(), ExpertError> {
        if self.told {
            self.expert.begin(env)?;
        }
        self.progress = Some(Progress::new(env)?);
        self.judge = Judge::default();
        if let Some(seen) = &mut self.seen {
            seen.clear();
        }
        Ok(())
    }

    pub(crate) fn begin(&mut self, info: &EpisodeInfo) -> Result<(), PolicyError> {
        self.rate = info.action.rate();
        self.agent.begin_episode(info)
    }

    pub(crate) fn act(
        &mut self,
        env: &mut Env,
        decision: &mut Decision,
    ) -> Result<(), PolicyError> {
        if let Some(progress) = &mut self.progress {
            progress.update(env);
            self.judge.look_back(env, progress);
        }
        let (expert, progress) = (&mut self.expert, self.progress.as_mut().filter(|_| self.told));
        let mut shown = Shown { env, observed: false, expert, progress };
        let answer = self.agent.act(&mut shown, decision);
        if let Some(progress) = &self.progress {
            let says = decision.believes.as_deref().unwrap_or_default();
            self.judge.decided(env, progress, &self.agent, says);
        }
        self.trace(env);
        answer
    }

    /// The episode is over, as the environment is now.
    pub(crate) fn end(&mut self, env: &Env) {
        if let Some(progress) = &mut self.progress {
            self.judge.end(env, progress);
        }
        self.agent.end_episode();
    }
}

/// Return an agent as it plays these tasks: models without words of their own get those of the tasks' suite.
pub(crate) fn prompted<'a>(
    spec: &AgentSpec,
    tasks: impl IntoIterator<Item = &'a TaskId>,
) -> AgentSpec {
    let mut spec = spec.clone();
    let of = |task: &TaskId| longarm_suites::suite(task.suite()).and_then(|s| s.prompts);
    let mut all = tasks.into_iter().map(of);
    let first = all.next().flatten();
    if let Some(prompts) = first.filter(|p| all.all(|other| other == Some(*p))) {
        spec.prompt(prompts.planner, prompts.reporter);
    }
    spec
}

/// Whether a run's decisions reproduce, in an agent's description.
pub(crate) const REPRODUCES: &str = "reproduces";

/// Describe an agent for a run's configuration: its parts, those that are told the truth, all it is made of.
pub(crate) fn described(spec: &AgentSpec) -> toml::Table {
    let mut out = toml::Table::new();
    out.insert("parts".into(), spec.line().into());
    let oracles = spec.oracles().into_iter().map(toml::Value::from).collect();
    out.insert("oracles".into(), toml::Value::Array(oracles));
    if !spec.clock.reproduces() {
        out.insert(REPRODUCES.into(), false.into());
    }
    // What was read from TOML can be written as such.
    if let Ok(spec) = toml::Value::try_from(spec) {
        out.insert("spec".into(), spec);
    }
    let prompts: Vec<&str> = spec.chats().filter_map(|c| c.prompt_text.as_deref()).collect();
    if !prompts.is_empty() {
        out.insert("prompt".into(), prompts.join("\n\n").into());
    }
    out
}

/// Say how an episode ended.
fn ended(record: &EpisodeRecord) -> String {
    let how = match record.outcome {
        EpisodeOutcome::Success => "Solved",
        EpisodeOutcome::TaskFailure => "Not solved",
        EpisodeOutcome::PolicyError => "Ended by an error of the agent",
        EpisodeOutcome::HarnessError => "Ended by an error of longarm",
    };
    let why = record.reason.as_ref().map_or_else(String::new, |r| format!(": {r}"));
    format!("{how} after {} steps, score {:.0}{why}.", record.steps, record.score)
}

/// What an agent that does not look is shown to people by: the first camera.
pub(crate) fn for_people(task: &TaskSpec) -> Option<ImageSettings> {
    let only = vec![task.rig().cameras.first()?.name.to_string()];
    Some(ImageSettings { only: Some(only), ..ImageSettings::default() })
}

/// The pictures an agent needs.
pub(crate) fn images(spec: &AgentSpec) -> Option<ImageSettings> {
    let channels = match spec.reads_scene() {
        true => Channels { color: true, depth: true, segment: true, ..Channels::NONE },
        false => Channels::COLOR,
    };
    spec.sees().then(|| ImageSettings { channels, ..ImageSettings::default() })
}

/// An environment as an agent sees it in one step.
struct Shown<'a> {
    env: &'a mut Env,
    observed: bool,
    expert: &'a mut Expert,
    progress: Option<&'a mut Progress>,
}

impl World for Shown<'_> {
    fn observe(&mut self) -> &Observation {
        // Once: every part sees the same picture, noise and all.
        if !self.observed {
            self.observed = true;
            self.env.observe();
        }
        self.env.last_observation()
    }

    fn truth(&mut self) -> Option<&mut dyn Truth> {
        self.progress.is_some().then_some(self)
    }
}

impl Truth for Shown<'_> {
    fn subtask(&mut self) -> Option<String> {
        self.progress.as_ref().and_then(|p| p.sentence())
    }

    fn plan(&mut self) -> Vec<String> {
        self.progress.as_ref().map_or_else(Vec::new, |p| p.plan())
    }

    fn completed(&mut self) -> Option<String> {
        self.progress.as_mut().and_then(|p| p.completed.take())
    }

    fn report(&mut self) -> Vec<String> {
        report::report(self.env)
    }

    fn act(&mut self, sentence: &str) -> Result<Action, String> {
        self.expert.tell(sentence);
        self.expert.act(self.env).map_err(|e| e.to_string())
    }
}
