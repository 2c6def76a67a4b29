//! RoboMemArena's tasks against those who do not do them: a hand that only tilts, one that only touches, one
//! that pours too often, and one that never grasps.

use std::sync::Arc;

use longarm_eval::probe;
use longarm_expert::{Expert, Memory};
use longarm_sim::{Env, EnvSettings};
use longarm_suites::robomemarena::SUITE;
use longarm_task::{Op, Outcome, TaskSpec};
use longarm_types::{Action, DQuat, DVec3, Pose, Seed, rotation_between};

fn env(task: TaskSpec, seed: u64) -> Env {
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
    env.reset(Seed(seed)).unwrap();
    env
}

/// Tasks with a pour, with the names of what is poured and into what.
fn pouring() -> Vec<(TaskSpec, String, String)> {
    let each = SUITE.tasks().filter_map(|task| {
        let (from, into) = task.ops().into_iter().find_map(|op| match op {
            Op::Pour { from, into } => Some((from.clone(), into.clone())),
            _ => None,
        })?;
        Some((task, from, into))
    });
    let all: Vec<_> = each.collect();
    assert!(all.len() >= 8);
    all
}

/// Bring the tool to a pose within some control steps, the gripper as commanded.
fn go(env: &mut Env, to: Pose, gripper: f32, steps: u32) {
    for _ in 0..steps {
        let at = env.snapshot().hands[0].commanded;
        let way = (to.pos - at.pos).clamp_length_max(0.02) / 0.05;
        let turn = rotation_between(at.rot, to.rot).clamp_length_max(0.1) / 0.5;
        let [x, y, z] = way.to_array().map(|v| v as f32);
        let [a, b, c] = turn.to_array().map(|v| v as f32);
        if env.step(&Action::new(&[x, y, z, a, b, c, gripper])).is_err() {
            return;
        }
    }
}

fn completed(env: &Env) -> Vec<String> {
    let done = env.tracker().records(env.snapshot()).into_iter().filter(|s| s.completed);
    done.map(|s| s.name).collect()
}

#[test]
fn a_tilted_hand_alone_pours_nothing() {
    for (task, _, into) in pouring() {
        let mut env = env(task, 7);
        let over = env.snapshot().bodies[env.bound().body(&into).unwrap()].pose.pos;
        let down = env.snapshot().hands[0].pose.rot;
        let above = over + DVec3::Z * 0.3;
        for gripper in [-1.0, 1.0] {
            go(&mut env, Pose::new(above, down), gripper, 60);
            for _ in 0..2 {
                let tilted = DQuat::from_rotation_x(1.2) * down;
                go(&mut env, Pose::new(above, tilted), gripper, 40);
                go(&mut env, Pose::new(above, down), gripper, 40);
            }
        }
        assert_eq!(completed(&env), Vec::<String>::new(), "{}", env.task().id);
    }
}

#[test]
fn touching_is_neither_picking_nor_placing() {
    for task in SUITE.tasks() {
        let picks: Vec<String> = task
            .ops()
            .into_iter()
            .filter_map(|op| match op {
                Op::Pick { object, .. } => Some(object.clone()),
                _ => None,
            })
            .collect();
        let mut env = env(task, 7);
        let down = env.snapshot().hands[0].pose.rot;
        for name in picks {
            // With the fist, from above and then from the side.
            let Some(body) = env.bound().body(&name) else { continue };
            let at = env.snapshot().bodies[body].pose.pos;
            go(&mut env, Pose::new(at + DVec3::Z * 0.3, down), 1.0, 50);
            go(&mut env, Pose::new(at + DVec3::Z * 0.02, down), 1.0, 40);
            go(&mut env, Pose::new(at + DVec3::new(0.05, 0.05, 0.02), down), 1.0, 15);
            go(&mut env, Pose::new(at + DVec3::Z * 0.3, down), 1.0, 40);
        }
        let touched = completed(&env);
        let wrong =
            |n: &&String| n.starts_with("pick") || n.starts_with("put") || n.starts_with("pour");
        assert_eq!(touched.iter().find(wrong), None, "{}", env.task().id);
    }
}

#[test]
fn a_third_pour_fails_and_takes_the_second_back() {
    for (task, ..) in pouring() {
        let names = task.stage_names();
        let pours: Vec<usize> =
            (0..names.len()).filter(|i| names[*i].starts_with("pour")).collect();
        let [first, second] = pours[..] else { panic!("two pours in {}", task.id) };
        let mut env = env(task, 7);
        let mut expert = Expert::new(Memory::Whole);
        expert.begin(&mut env).unwrap();
        let mut poured = Vec::new();
        while env.tracker().status().completed() <= second {
            let action = expert.act(&mut env).unwrap();
            if env.tracker().status().completed() == first + 1 {
                poured.push(action);
            }
            env.step(&action).unwrap();
            assert!(env.tracker().status().step < 3_000, "{}: it pours twice", env.task().id);
        }
        let before = env.tracker().status().completed();
        // The hand is where it was after the first pour: the same once more.
        for action in &poured {
            if env.tracker().status().ended() {
                break;
            }
            env.step(action).unwrap();
        }
        let status = env.tracker().status();
        assert!(matches!(status.outcome, Outcome::Forbidden(_)), "{}", env.task().id);
        assert_eq!(env.tracker().forbidden(), Some("a third pour"), "{}", env.task().id);
        assert_eq!(status.completed(), before - 1, "{}", env.task().id);
    }
}

#[test]
fn the_probe_finds_what_must_be_remembered() {
    let marks = |id: &str| -> String {
        let task = SUITE.tasks().find(|t| t.id.as_str().ends_with(id)).unwrap();
        let found = probe::subtasks(&Arc::new(task), 0..1, 2).unwrap();
        let mark = |s: &probe::SubtaskProbe| match (s.memory_dependent, s.exactly) {
            (false, _) => '-',
            (true, exactly) => {
                if exactly {
                    'M'
                } else {
                    'm'
                }
            }
        };
        found.iter().map(mark).collect()
    };
    // Where the first one went is out of sight; how often was poured, and from where, is nowhere to be seen.
    assert_eq!(marks("put-butter-popcorn-into-basket-in-order"), "---M");
    assert_eq!(marks("pour-wine-into-mug-twice"), "--MM");
    // Both plates hold one: which way they go is not seen, but for how they lie and where the hand is.
    assert_eq!(marks("transfer-butter-cheese"), "--m-");
}
