//! One contract for every task of every suite: it resets, settles, matches its specs, repeats to the
//! bit on any number of threads, is solved by its expert through the public action space, and by
//! nobody else.
//!
//! All tasks are reset; episodes are run for a sample of tasks and seeds that moves on with
//! `LONGARM_ROTATION` (`cargo xtask test` sets it to the number of commits) and comes round after
//! [`TURNS`]: the engine is exact, so what has passed once passes until something changes.
//! `cargo xtask sweep` runs everything at once; `cargo xtask golden` compares the expert's episodes of
//! all tasks with those of earlier builds.

use std::sync::Arc;

use longarm_eval::{Actor, Unwatched, Watcher, run_episode};
use longarm_sim::batch::{self, Job};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_suites::SUITES;
use longarm_task::TaskSpec;
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Seed};

/// How many samples there are.
const TURNS: usize = 4;

/// Which sample this run takes.
fn rotation() -> usize {
    let set = std::env::var("LONGARM_ROTATION").ok();
    set.and_then(|n| n.parse::<usize>().ok()).unwrap_or(0) % TURNS
}

/// `n` tasks spread over all suites, and another choice at every turn of the rotation.
fn sampled(n: usize) -> Vec<Arc<TaskSpec>> {
    let all: Vec<Arc<TaskSpec>> = longarm_suites::tasks().map(Arc::new).collect();
    let stride = all.len().div_ceil(n);
    all.into_iter().skip(rotation() * stride / TURNS).step_by(stride).collect()
}

/// Seeds that move on with the rotation, away from those experts were tuned on.
fn seeds(n: u64) -> impl Iterator<Item = Seed> {
    let first = 100_000 + rotation() as u64 * n;
    (first..first + n).map(Seed)
}

/// Run a policy on every task and seed, on both cores, in order.
fn episodes(tasks: &[Arc<TaskSpec>], n: u64, policy: &str, workers: usize) -> Vec<EpisodeRecord> {
    let all = |t: &Arc<TaskSpec>| {
        let task = Arc::clone(t);
        seeds(n).map(move |seed| Job { task: Arc::clone(&task), seed })
    };
    run(&tasks.iter().flat_map(all).collect::<Vec<_>>(), policy, workers)
}

fn run(jobs: &[Job], policy: &str, workers: usize) -> Vec<EpisodeRecord> {
    let mut out = Vec::new();
    let episode = |i: usize, env: Result<&mut Env, longarm_sim::SimError>| {
        let env = env.unwrap_or_else(|e| panic!("{} {:?}: {e}", jobs[i].task.id, jobs[i].seed));
        run_episode(env, &mut Actor::named(policy).unwrap(), policy, &mut Unwatched)
    };
    batch::run(jobs, workers, &EnvSettings::default(), episode, |_, r| {
        out.push(r);
        true
    });
    out
}

#[derive(Default)]
struct Tape(Vec<Action>);

impl Watcher for Tape {
    fn action(&mut self, action: &Action) {
        self.0.push(*action);
    }
}

#[test]
fn every_task_resets_and_matches_its_spec() {
    for task in longarm_suites::tasks().map(Arc::new) {
        let images = ImageSettings { size: Some((48, 32)), ..ImageSettings::default() };
        let mut env = Env::new(task.clone(), EnvSettings { images: Some(images) }).unwrap();
        for seed in seeds(2) {
            env.reset(seed).unwrap_or_else(|e| panic!("{} {seed:?}: {e}", task.id));
        }
        let cameras = task.rig().cameras;
        let obs = env.observe();
        assert_eq!(obs.cameras.len(), cameras.len(), "{}", task.id);
        for (image, spec) in obs.cameras.iter().zip(&cameras) {
            assert_eq!(image.name, spec.name);
            assert_eq!(image.rgb.len(), 48 * 32 * 3);
        }
        assert!(!obs.instruction.is_empty() && !obs.instruction.contains('{'), "{}", task.id);
        assert!(!env.tracker().status().ended());
        assert!(task.horizon > 0);
    }
}

/// Task, seed and outcome of the episodes in the golden table.
fn golden() -> Vec<(&'static str, &'static str, &'static str)> {
    let rows = include_str!("../golden.tsv").lines().map(|l| l.split('\t').collect::<Vec<_>>());
    rows.filter(|r| r[0] == "episode").map(|r| (r[1], r[2], r[3])).collect()
}

/// Ids of the tasks whose expert has solved a golden seed: of the others nothing is expected.
fn solvable() -> Vec<&'static str> {
    golden().into_iter().filter(|(.., outcome)| *outcome == "success").map(|(t, ..)| t).collect()
}

/// The suites whose tasks are written one by one: every one of them has its own limits.
fn written_tasks() -> Vec<Arc<TaskSpec>> {
    let suites = SUITES.iter().filter(|s| ["longbench", "lohoravens"].contains(&s.name));
    suites.flat_map(|s| s.tasks()).map(Arc::new).collect()
}

/// Seeds 0 and 1 are in the golden table, which `cargo xtask golden` compares to the bit; here the
/// table must hold nothing but successes, and seed 2 is run.
#[test]
fn experts_solve_every_written_task_on_the_first_three_seeds() {
    let tasks = written_tasks();
    assert_eq!(tasks.len(), 50);
    let golden = golden();
    for task in &tasks {
        for seed in ["0", "1"] {
            assert!(golden.contains(&(task.id.as_str(), seed, "success")), "{} {seed}", task.id);
        }
    }
    let jobs: Vec<Job> = tasks.into_iter().map(|task| Job { task, seed: Seed(2) }).collect();
    for r in run(&jobs, "expert", 2) {
        let why = (&r.reason, &r.stages);
        assert_eq!(r.outcome, EpisodeOutcome::Success, "{} seed 2: {why:#?}", r.task);
        assert_eq!(r.score, 100.0, "{} seed 2", r.task);
    }
}

#[test]
fn experts_solve_their_tasks_and_their_traces_replay() {
    let solvable = solvable();
    let mut tasks = sampled(42);
    tasks.retain(|t| solvable.contains(&t.id.as_str()));
    let records = episodes(&tasks, 1, "expert", 2);
    let failed: Vec<String> = records
        .iter()
        .filter(|r| r.outcome != EpisodeOutcome::Success)
        .map(|r| format!("{} seed {} at {:.0}: {:?}", r.task, r.seed, r.score, r.reason))
        .collect();
    // Fresh seeds of all suites succeed in 95 of 100 (docs/measured.md); fewer than four of five by
    // chance comes about once in ten thousand runs.
    assert!(
        failed.len() * 5 <= records.len(),
        "{} of {}: {failed:#?}",
        failed.len(),
        records.len()
    );
    for r in &records {
        assert_eq!(r.clipped, 0, "{}: an expert stays within ±1", r.task);
        assert_eq!(r.outcome == EpisodeOutcome::Success, r.score == 100.0, "{}", r.task);
    }
    // A fresh environment, the recorded actions, no expert.
    for task in tasks.iter().step_by(6) {
        let run = |actor: &mut Actor, watcher: &mut dyn Watcher| {
            let mut env = Env::new(task.clone(), EnvSettings::default()).unwrap();
            env.reset(seeds(1).next().unwrap()).unwrap();
            run_episode(&mut env, actor, "expert", watcher)
        };
        let mut tape = Tape::default();
        let first = run(&mut Actor::named("expert").unwrap(), &mut tape);
        let second = run(&mut Actor::replay(tape.0), &mut Unwatched);
        assert_eq!(first, second, "{}", task.id);
    }
}

#[test]
fn the_number_of_threads_never_shows() {
    let tasks = sampled(8);
    let one = episodes(&tasks, 2, "expert", 1);
    assert_eq!(one, episodes(&tasks, 2, "expert", 4));
    assert_eq!(one.len(), 2 * tasks.len());
}

#[test]
fn doing_nothing_completes_nothing() {
    for r in episodes(&sampled(56), 1, "idle", 2) {
        assert_eq!(r.outcome, EpisodeOutcome::TaskFailure, "{} seed {}", r.task, r.seed);
        // Some goals of others name a fact that holds from the start: a stove that is on already.
        let done = r.stages.iter().filter(|s| s.completed && s.step != Some(1)).count();
        assert_eq!(done, 0, "{} seed {}: {:?}", r.task, r.seed, r.stages);
    }
}

/// A microwave's door that swings on for more than a second.
#[test]
fn a_scene_may_take_its_time_to_come_to_rest() {
    let task = "boss/c2-3-kitchen-scene7-put-the-white-bowl-to-the-right-of-the-plate";
    let task = Arc::new(longarm_suites::task(task).unwrap());
    Env::new(task, EnvSettings::default()).unwrap().reset(Seed(100_000)).unwrap();
}

#[test]
fn random_actions_score_next_to_nothing() {
    // Mean scores over a suite: single episodes have luck (an arm that flails shuts a drawer, one
    // pick-and-place of forty brings a block to the right quarter of the table).
    for suite in SUITES {
        let tasks: Vec<Arc<TaskSpec>> = suite.tasks().map(Arc::new).collect();
        let stride = tasks.len().div_ceil(10);
        let tasks: Vec<_> =
            tasks.into_iter().skip(rotation() * stride / TURNS).step_by(stride).collect();
        let records = episodes(&tasks, 2, "random", 2);
        let mean = records.iter().map(|r| r.score).sum::<f64>() / records.len() as f64;
        assert!(mean < 10.0, "{}: {mean}", suite.name);
        let won = records.iter().filter(|r| r.outcome == EpisodeOutcome::Success).count();
        assert!(won * 10 <= records.len(), "{}: {won} of {}", suite.name, records.len());
    }
}

/// Most that random actions may score on a task, as the mean of its seeds.
const RANDOM: f64 = 5.0;

/// Tasks where three seeds measure luck rather than the task, and the seeds they get instead: blocks
/// belong anywhere in a named corner or side of the table, so a random place is a right one for some
/// block now and then, and with three to five blocks that one is worth 20 to 33 points. The stage is
/// right to count it.
const LUCKY: &[(&str, u64)] = &[
    ("lohoravens/move-blocks-between-absolute-positions-by-color", 12),
    ("lohoravens/move-blocks-between-absolute-positions-by-size-and-color", 12),
];

#[test]
fn random_actions_stay_below_the_limit_of_every_written_task() {
    let tasks = written_tasks();
    for (id, _) in LUCKY {
        assert!(tasks.iter().any(|t| t.id.as_str() == *id), "{id} does not exist");
    }
    let mut jobs = Vec::new();
    for task in tasks.iter().skip(rotation()).step_by(TURNS) {
        let seeds = LUCKY.iter().find(|(id, _)| task.id.as_str() == *id).map_or(3, |(_, n)| *n);
        jobs.extend((0..seeds).map(|s| Job { task: Arc::clone(task), seed: Seed(s) }));
    }
    let records = run(&jobs, "random", 2);
    for of_task in records.chunk_by(|a, b| a.task == b.task) {
        let mean = of_task.iter().map(|r| r.score).sum::<f64>() / of_task.len() as f64;
        assert!(mean <= RANDOM, "{}: {mean} over {} seeds", of_task[0].task, of_task.len());
    }
}
