//! One contract for every task but those of LIBERO's scenes, which are hundreds and have tests of
//! their own: it resets, settles, matches its specs, repeats to the
//! bit, is solved by its expert through the public action space, and by nobody else.

use std::sync::Arc;

use longarm_eval::{Actor, Unwatched, Watcher, run_episode};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_suites::SUITES;
use longarm_task::TaskSpec;
use longarm_types::{Action, EpisodeOutcome, EpisodeRecord, Seed};

fn tasks() -> Vec<Arc<TaskSpec>> {
    let suites = SUITES.iter().filter(|s| !["libero-90", "libero-10", "boss"].contains(&s.name));
    suites.flat_map(|s| s.tasks()).map(Arc::new).collect()
}

fn run(env: &mut Env, policy: &str, seed: u64) -> EpisodeRecord {
    env.reset(Seed(seed)).unwrap_or_else(|e| panic!("{} seed {seed}: {e}", env.task().id));
    run_episode(env, &mut Actor::named(policy).unwrap(), policy, &mut Unwatched)
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
    for task in tasks() {
        let images = ImageSettings { size: Some((48, 32)), ..ImageSettings::default() };
        let mut env = Env::new(task.clone(), EnvSettings { images: Some(images) }).unwrap();
        for seed in 0..10 {
            env.reset(Seed(seed)).unwrap_or_else(|e| panic!("{} seed {seed}: {e}", task.id));
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

#[test]
fn experts_solve_their_tasks_and_their_traces_replay() {
    for task in tasks() {
        let mut env = Env::new(task.clone(), EnvSettings::default()).unwrap();
        for seed in [0, 1, 2] {
            env.reset(Seed(seed)).unwrap();
            let mut tape = Tape::default();
            let mut expert = Actor::named("expert").unwrap();
            let first = run_episode(&mut env, &mut expert, "expert", &mut tape);
            assert_eq!(
                first.outcome,
                EpisodeOutcome::Success,
                "{} seed {seed}: {:?} {:#?}",
                task.id,
                first.reason,
                first.stages
            );
            assert_eq!(first.score, 100.0);
            assert_eq!(first.clipped, 0, "{}: an expert stays within ±1", task.id);
            if seed > 0 {
                continue;
            }
            // A fresh environment, the recorded actions, no expert.
            let mut again = Env::new(task.clone(), EnvSettings::default()).unwrap();
            again.reset(Seed(seed)).unwrap();
            let replay = &mut Actor::replay(tape.0);
            let mut second = run_episode(&mut again, replay, "expert", &mut Unwatched);
            second.policy.clone_from(&first.policy);
            assert_eq!(first, second, "{}", task.id);
        }
    }
}

#[test]
fn doing_nothing_completes_nothing() {
    for task in tasks() {
        let mut env = Env::new(task.clone(), EnvSettings::default()).unwrap();
        let r = run(&mut env, "idle", 4);
        assert_eq!(r.score, 0.0, "{}: {:?}", task.id, r.stages);
        assert_eq!(r.outcome, EpisodeOutcome::TaskFailure);
    }
}

#[test]
fn random_actions_score_next_to_nothing() {
    for task in tasks() {
        let mut env = Env::new(task.clone(), EnvSettings::default()).unwrap();
        let total: f64 = (0..3).map(|s| run(&mut env, "random", s).score).sum();
        // One lucky pick-and-place brings one of a few blocks to the right quarter of the table.
        let most = if env.action_spec().whole_motions() { 20.0 } else { 5.0 };
        assert!(total / 3.0 < most, "{}: {}", task.id, total / 3.0);
    }
}
