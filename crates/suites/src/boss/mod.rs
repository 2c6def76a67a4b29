//! BOSS: skills whose surroundings an earlier skill has changed.
//!
//! Scene: the twelve LIBERO scenes of the 44 skills, plain and modified.
//! Randomization: LIBERO's regions.
//! Stages: the facts of the skill's goal, all at once; a chain has one stage per skill.
//! Success: LIBERO's predicates, except that a region of the table must carry what is on it.
//! Source and deviations: BOSS (paper and release of February 2025). C1 and C2 are as released but
//! for two files that contradicted their names and five whose objects stood in one another
//! (`released.rs`); rollouts start from distinct scenes
//! where the release cycles through three. In a chain all objects stay exactly as a skill left
//! them, while the arm is set back to its home posture with the hand open; the original copies
//! the state into another simulation and overwrites arm and some velocities.
//!
//! | id | what |
//! |---|---|
//! | `boss/NAME` | a skill |
//! | `boss/c1-NAME-with-…` | C1: one modification, written by hand |
//! | `boss/c2-2-NAME`, `boss/c2-3-NAME` | C2: two and three modifications, as released |
//! | `boss/c3-1` … `boss/c3-10` | C3: chains of three skills |
//! | `boss/modK-N-NAME` | the N-th drawing of K modifications; any N, not listed |

pub mod ramg;
mod released;

use std::sync::{Arc, LazyLock};

use longarm_task::bddl::{Fact, Options, Problem};
use longarm_task::stage::{Stages, stage};
use longarm_task::{Plan, Predicate, Stage, TaskSpec, source};
use longarm_types::protocol::Role;
use longarm_types::{Protocol, Seed};

pub use ramg::{Modification, Rule};

use crate::libero::originals::Original;
use crate::libero::{self, Scene, Task, kebab, originals, spec};
use crate::{Base, Drawn, Family, Modifier, PlayFiles, Suite, Table};

/// Control steps a skill may take.
pub const HORIZON: u32 = libero::HORIZON;
/// Rollouts per task.
pub const ROLLOUTS: u64 = 20;

/// One of the 44 skills.
#[derive(Clone, Copy)]
pub struct Skill {
    /// Its scene.
    pub scene: &'static Scene,
    /// What is asked.
    pub task: &'static Task,
}

impl Skill {
    /// LIBERO's name.
    pub fn title(&self) -> String {
        self.scene.title(self.task)
    }

    /// `boss/…`.
    pub fn id(&self) -> String {
        format!("boss/{}", kebab(&self.title()))
    }

    /// The unmodified problem.
    pub fn problem(&self) -> Problem {
        self.scene.problem(self.task)
    }

    /// The problem with facts changed one after the other.
    pub fn with<'a>(&self, facts: impl IntoIterator<Item = &'a Fact>) -> Problem {
        let facts = facts.into_iter().cloned().collect();
        Change { facts, regions: Vec::new(), free: self.scene.free }.of(&self.problem())
    }

    /// Its single modifications.
    pub fn modifications(&self) -> Vec<Modification> {
        ramg::modifications(&self.problem(), self.scene.free)
    }

    /// The `n`-th drawing of `k` modifications.
    pub fn drawn(&self, k: usize, n: u64) -> Option<Vec<Modification>> {
        let mut rng = Seed(n).stream(&format!("modifications/{k}/{}", self.title()));
        ramg::draw(&self.problem(), self.scene.free, k, &mut rng)
    }
}

/// The 44 skills, in BOSS's order.
pub fn skills() -> &'static [Skill] {
    static SKILLS: LazyLock<Vec<Skill>> = LazyLock::new(|| {
        let all = libero::tasks().into_iter().filter(|(_, t)| t.skill);
        all.map(|(scene, task)| Skill { scene, task }).collect()
    });
    &SKILLS
}

/// What makes a modified scene of a plain one.
#[derive(Clone, Debug)]
pub struct Change {
    /// What is so instead, one after the other.
    facts: Vec<Fact>,
    /// Regions of the table that lie elsewhere.
    regions: Vec<(&'static str, [f64; 4])>,
    /// Where new objects on the table are put.
    free: &'static [[f64; 4]],
}

impl Change {
    /// Return a problem with these changes.
    pub fn of(&self, plain: &Problem) -> Problem {
        let mut out = self.facts.iter().fold(plain.clone(), |p, f| ramg::with(&p, f, self.free));
        for (name, rect) in &self.regions {
            for region in out.regions.iter_mut().filter(|r| r.name == *name) {
                region.ranges = vec![*rect];
            }
        }
        out
    }
}

/// What a task of this suite is made of.
pub enum Entry {
    /// A skill as it is.
    Skill(Skill),
    /// A skill in a modified scene.
    Modified {
        /// The skill.
        skill: Skill,
        /// The challenge it belongs to, unless it was drawn.
        challenge: Option<&'static str>,
        /// What tells its scene from the skill's own, in words.
        title: String,
        /// How many modifications there are meant to be.
        count: usize,
        /// What is otherwise.
        change: Change,
    },
    /// Skills one after the other.
    Chain([Skill; 3]),
}

/// What an id of this suite stands for.
pub fn entry(id: &str) -> Option<Entry> {
    let name = id.strip_prefix("boss/")?;
    let skill_of = |rest: &str| skills().iter().position(|s| kebab(&s.title()) == rest);
    if let Some(i) = skill_of(name) {
        return Some(Entry::Skill(skills()[i]));
    }
    let modified = |i: usize, challenge, title, count: usize, text: &str, regions| {
        let skill = skills()[i];
        let facts = text.split(';').filter_map(Fact::words).collect();
        let change = Change { facts, regions, free: skill.scene.free };
        Entry::Modified { skill, challenge: Some(challenge), title, count, change }
    };
    if let Some(rest) = name.strip_prefix("c1-") {
        let i = (0..skills().len()).find(|i| c1_name(*i) == rest)?;
        let row = &released::C1[i];
        let regions = row.region.iter().copied().collect();
        return Some(modified(i, "C1", row.suffix.to_owned(), 1, row.facts, regions));
    }
    if let Some(rest) = name.strip_prefix("c2-") {
        let (count, rest) = rest.split_once('-')?;
        let i = skill_of(rest)?;
        let (two, three) = released::C2[i];
        let (count, text) = match count {
            "2" => (2, two),
            "3" => (3, three),
            _ => return None,
        };
        let mended = released::C2_MENDED.iter().filter(|m| (m.0, m.1) == (i, count));
        let regions = mended.map(|(_, _, region, rect)| (*region, *rect)).collect();
        let title = format!("{count} modifications");
        return Some(modified(i, "C2", title, count, text, regions));
    }
    if let Some(n) = name.strip_prefix("c3-") {
        let n: usize = n.parse().ok()?;
        let chain = released::C3.get(n.checked_sub(1)?)?;
        // `c3-01` is not another name for it.
        return (name == format!("c3-{n}")).then(|| Entry::Chain(chain.map(|i| skills()[i])));
    }
    let (k, rest) = name.strip_prefix("mod")?.split_once('-')?;
    let (n, rest) = rest.split_once('-')?;
    let (k, n): (usize, u64) = (k.parse().ok()?, n.parse().ok()?);
    let skill = skills()[skill_of(rest)?];
    if id != drawn_id(&skill, k, n) {
        return None;
    }
    let drawn = skill.drawn(k, n)?;
    let facts = drawn.into_iter().map(|m| m.fact).collect();
    let change = Change { facts, regions: Vec::new(), free: skill.scene.free };
    let title = format!("drawing {n} of {}", modifications(k));
    Some(Entry::Modified { skill, challenge: None, title, count: k, change })
}

/// `1 modification`, `2 modifications`.
fn modifications(count: usize) -> String {
    format!("{count} modification{}", if count == 1 { "" } else { "s" })
}

/// Id of the `n`-th drawing of `k` modifications of a skill.
pub fn drawn_id(skill: &Skill, k: usize, n: u64) -> String {
    format!("boss/mod{k}-{n}-{}", kebab(&skill.title()))
}

fn c1_name(i: usize) -> String {
    let with = released::C1[i].suffix.replace(' ', "-");
    format!("{}-{with}", kebab(&skills()[i].title()))
}

/// The problem of a task, where it is one: chains are not.
pub fn problem(id: &str) -> Option<Problem> {
    match entry(id)? {
        Entry::Skill(s) => Some(s.problem()),
        Entry::Modified { skill, change, .. } => Some(change.of(&skill.problem())),
        Entry::Chain(_) => None,
    }
}

fn task(id: &str) -> Option<TaskSpec> {
    let options = Options { horizon: HORIZON, ..Options::new(id) };
    Some(match entry(id)? {
        Entry::Skill(s) => {
            spec(&s.problem(), &options).source(source(format!("BOSS, {}", s.title())))
        }
        Entry::Modified { skill, count, change, .. } => {
            spec(&change.of(&skill.problem()), &options)
                .labels([modifications(count)])
                .source(source(format!("BOSS, {}", skill.title())))
        }
        Entry::Chain(skills) => chain(id, &skills),
    })
}

/// Skills one after the other in one scene, each told by its own sentence.
fn chain(id: &str, skills: &[Skill; 3]) -> TaskSpec {
    let each: Vec<TaskSpec> =
        skills.iter().map(|s| spec(&s.problem(), &Options::new(s.id()))).collect();
    let stages: Vec<Stage> = skills
        .iter()
        .zip(&each)
        .map(|(s, one)| {
            stage(s.task.sentence, whole(one)).saying(s.task.sentence).reset_arm_after()
        })
        .collect();
    let sentences: Vec<&str> = skills.iter().map(|s| s.task.sentence).collect();
    let mut out = spec(&skills[0].problem(), &Options::new(id))
        .instruction(sentences.join(", then "))
        .stages(stages)
        .plan(each.iter().fold(Plan::default(), |p, s| p.then(s.plan.clone())))
        .horizon(HORIZON * skills.len() as u32)
        .labels(["chain"])
        .source(source("BOSS, C3"));
    out.stepwise = true;
    for s in &each {
        out.interest.extend(s.interest.iter().cloned());
    }
    out.interest.sort();
    out.interest.dedup();
    out
}

/// What a skill asks for, as one condition.
fn whole(spec: &TaskSpec) -> Predicate {
    let Stages::Listed(stages) = &spec.stages else { return Predicate::Any(Vec::new()) };
    Predicate::All(
        stages
            .iter()
            .filter_map(|s| match &s.when {
                longarm_task::stage::When::Holds(p) => Some(p.clone()),
                longarm_task::stage::When::Times { .. } => None,
            })
            .collect(),
    )
}

fn ids() -> Vec<String> {
    let n = 0..skills().len();
    let mut out: Vec<String> = skills().iter().map(Skill::id).collect();
    out.extend(n.clone().map(|i| format!("boss/c1-{}", c1_name(i))));
    for count in [2, 3] {
        out.extend(n.clone().map(|i| format!("boss/c2-{count}-{}", kebab(&skills()[i].title()))));
    }
    out.extend((1..=released::C3.len()).map(|i| format!("boss/c3-{i}")));
    out
}

/// How a task is made of skills.
fn role(id: &str) -> Option<Role> {
    match entry(id)? {
        Entry::Skill(_) => None,
        Entry::Modified { skill, challenge, title, count, .. } => Some(Role::Modified {
            plain: skill.id(),
            count: count as u32,
            challenge: challenge.map(str::to_owned),
            title,
        }),
        Entry::Chain(skills) => Some(Role::Chain { parts: skills.iter().map(Skill::id).collect() }),
    }
}

impl From<&Skill> for Base {
    fn from(s: &Skill) -> Self {
        Self { id: s.id(), problem: s.problem(), free: s.scene.free }
    }
}

/// A skill by id or LIBERO's name, or any task of LIBERO.
fn base(name: &str) -> Option<Base> {
    let named = |s: &&Skill| s.id() == name || s.title().eq_ignore_ascii_case(name);
    if let Some(skill) = skills().iter().find(named) {
        return Some(skill.into());
    }
    let bare = name.split_once('/').map_or(name, |(_, n)| n);
    let (scene, task) = libero::tasks().into_iter().find(|(s, t)| kebab(&s.title(t)) == bare)?;
    Some(Base { id: name.to_owned(), problem: scene.problem(task), free: scene.free })
}

/// The n-th drawing of k modifications of a skill, as it is known by its id.
fn drawn(base: &Base, k: usize, n: u64) -> Option<Drawn> {
    let skill = skills().iter().find(|s| s.id() == base.id)?;
    let modifications = skill.drawn(k, n)?;
    let problem = skill.with(modifications.iter().map(|m| &m.fact));
    Some(Drawn { id: drawn_id(skill, k, n), problem, modifications })
}

/// What a task is in LIBERO's files: a skill, a changed skill, or skills one after the other.
fn original(id: &str) -> Option<Original> {
    let plain = |s: &Skill| {
        let suite = if s.task.ten { "libero_10" } else { "libero_90" };
        Original::of(suite, s.title())
    };
    Some(match entry(id)? {
        Entry::Skill(skill) => plain(&skill),
        Entry::Modified { skill, change, .. } => {
            Original { change: Some(Arc::new(move |p| change.of(p))), ..plain(&skill) }
        }
        Entry::Chain(skills) => {
            let then = skills[1..].iter().map(|s| plain(s).problem).collect();
            Original { then, ..plain(&skills[0]) }
        }
    })
}

/// The suite.
pub const SUITE: Suite = Suite {
    role,
    problem: Some(problem),
    options: &[libero::STRICT, libero::FAITHFUL, libero::PHYSICS, libero::SCRIPT],
    from_files: Some(PlayFiles {
        folders: originals::FOLDERS,
        apply: |tasks, folders| originals::play(tasks, folders, &originals::LIBERO, original),
    }),
    modifier: Some(Modifier {
        about: "BOSS: modifications of a skill, samples of them, and what they cost a policy",
        bases: || skills().iter().map(Base::from).collect(),
        base,
        draw: drawn,
    }),
    ..Suite::new(
        "boss",
        "BOSS: 44 skills, what earlier skills do to them, and chains of three, on a Panda",
        Table::Family(Family {
            ids: || {
                static IDS: LazyLock<Vec<String>> = LazyLock::new(ids);
                &IDS
            },
            task,
        }),
        || Protocol { title: "BOSS".to_owned(), episodes: ROLLOUTS, ..Protocol::default() },
    )
};
