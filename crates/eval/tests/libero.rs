//! LIBERO's scenes in the simulator: they come to rest as they are said to begin.

use std::sync::Arc;

use longarm_eval::settles;
use longarm_eval::vec_env::{Buffer, Cameras, Command, ObservationView, Preset, VecEnv};
use longarm_sim::{Env, EnvSettings};
use longarm_suites::libero;
use longarm_task::bddl::{Options, load};
use longarm_task::prelude::hand_empty;
use longarm_task::stage::Stages;
use longarm_types::{Action, Seed};

/// The twenty scenes once, and every beginning of the others.
#[test]
fn every_scene_settles_into_what_it_says() {
    let mut failed = Vec::new();
    let twenty = libero::scenes().map(|s| (s, &s.tasks[0], 3));
    let others = libero::further_scenes().flat_map(|s| {
        let own = s.tasks.iter().filter(|t| !t.start.is_empty()).map(move |t| (s, t, 1));
        own.chain([(s, &s.tasks[0], 3)])
    });
    for (scene, task, seeds) in twenty.chain(others) {
        let problem = scene.problem(task);
        let spec = Arc::new(load(&problem, &Options::new("libero/test")).unwrap().task);
        for seed in 0..seeds {
            if let Err(e) = settles(&spec, &problem, Seed(seed)) {
                failed.push(format!("{} seed {seed}: {e}", scene.title(task)));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Between two skills the arm is home again, nothing else has moved, and the next one is told.
#[test]
fn chains_set_the_arm_back_and_nothing_else() {
    let mut spec = longarm_suites::task("boss/c3-1").unwrap();
    let Stages::Listed(stages) = &mut spec.stages else { panic!("chains list their stages") };
    assert_eq!(stages.len(), 3);
    // The first skill counts as done after half a second, wherever the arm is then.
    stages[0].when = hand_empty().into();
    stages[0].hold = 0.5;
    let mut env = Env::new(Arc::new(spec), EnvSettings::default()).unwrap();
    env.reset(Seed(0)).unwrap();
    let home = env.snapshot().hands[0].pose.pos;
    assert_eq!(env.observe().instruction, "open the bottom drawer of the cabinet");
    let down = Action::new(&[0.3, 0.3, -0.3, 0.0, 0.0, 0.2, 1.0]);
    while env.tracker().status().completed() == 0 {
        let before = env.snapshot().hands[0].pose.pos;
        env.step(&down).unwrap();
        assert!(env.snapshot().step < 40, "the stage never completes");
        if env.tracker().status().completed() == 0 {
            assert!(before != home || env.snapshot().step == 1);
        } else {
            assert!((before - home).length() > 0.02, "the arm has not moved at all");
        }
    }
    let after = env.snapshot();
    assert!(
        (after.hands[0].pose.pos - home).length() < 2e-3,
        "{:?}",
        after.hands[0].pose.pos - home
    );
    assert!(after.hands[0].opening > 0.07, "the hand is not open");
    let bowl = env.bound().body("akita_black_bowl_1").unwrap();
    assert!(after.bodies[bowl].twist.linear.length() < 1e-3);
    assert_eq!(env.observe().instruction, "open the top drawer of the cabinet");
    let idle = env.action_spec().idle();
    env.step(&idle).unwrap();
    assert!((env.snapshot().hands[0].pose.pos - home).length() < 5e-3, "the arm flies off");
}

/// A policy that was trained in LIBERO is told of the hand where LIBERO would have it. Wanted: robosuite's
/// `grip_site` by forward kinematics from LIBERO's first joint angles, at LIBERO's bases.
#[test]
fn the_hand_starts_where_liberos_does() {
    for (scene, want) in [
        ("kitchen-scene1", [-0.2085, 0.0, 1.1733]),
        ("living-room-scene1", [-0.0585, 0.0, 0.6813]),
        ("study-scene1", [-0.2985, 0.0, 1.1733]),
        ("put-the-bowl-on-the-plate", [-0.2085, 0.0, 1.1733]),
    ] {
        let id = longarm_suites::ids().find(|id| id.starts_with("libero-") && id.contains(scene));
        let task = Arc::new(longarm_suites::task(id.unwrap()).unwrap());
        let view = ObservationView {
            preset: Preset::Robosuite,
            cameras: Cameras::None,
            ..ObservationView::default()
        };
        let mut envs = VecEnv::new(&[Arc::clone(&task)], 1, &view, 1).unwrap();
        let fields = envs.fields().to_vec();
        let mut rows: Vec<Vec<f32>> = fields.iter().map(|f| vec![0.0; f.len()]).collect();
        let out = rows.iter_mut().map(|r| Buffer::Numbers(r)).collect();
        envs.advance(&[Command::Reset { task, seed: Seed(0) }], &[0.0; 7], out).unwrap();
        let at = fields.iter().position(|f| f.path == ["robot0_eef_pos"]).unwrap();
        for (got, want) in rows[at].iter().zip(want) {
            assert!((f64::from(*got) - want).abs() < 0.005, "{scene}: {:?}", rows[at]);
        }
    }
}
