//! A task that is played in a world from files, through the environment.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_assets::RigName;
use longarm_sim::{Env, EnvSettings};
use longarm_task::prelude::*;
use longarm_task::{
    FromFiles, Predicate, SourceGoal, SourceNames, SourceScene, SourceStart, SourceState,
    SourceTiming, SourceView, TaskSpec,
};
use longarm_types::{Pose, Seed};

use crate::{counting, osc, wild};

/// The block is off the floor; it touches the shelf.
#[derive(Debug)]
struct Lifted;

impl SourceGoal for Lifted {
    fn names(&self) -> SourceNames {
        SourceNames {
            bodies: vec!["block_main".into()],
            sites: vec!["top".into()],
            joints: vec!["j3".into()],
            objects: vec!["block".into(), "shelf".into()],
        }
    }

    fn facts(&self) -> usize {
        2
    }

    fn holds(&self, fact: usize, view: &dyn SourceView) -> bool {
        match fact {
            0 => view.body("block_main").z > view.site("top").0.z.min(view.joint("j3") + 9.0),
            _ => view.touch("block", "shelf"),
        }
    }
}

fn scene(state: SourceState, settle: usize) -> SourceScene {
    SourceScene {
        model: osc::model(),
        robot: osc::robot(),
        cameras: Vec::new(),
        origin: [0.0; 3],
        glows: Vec::new(),
        goal: Arc::new(Lifted),
        starts: Arc::new(move |seed: Seed| {
            let at = Pose::at(-1.0, seed.0 as f64, 0.5);
            Ok(SourceStart { fixed: vec![("shelf".into(), at)], state: state.clone() })
        }),
        timing: SourceTiming { unaware: true, sampled: Some(24), settle: vec![[0.0; 7]; settle] },
    }
}

fn env(state: SourceState, settle: usize) -> Env {
    let mut task = TaskSpec::new("test/files", RigName::PANDA)
        .instruction("lift the block")
        .stages([
            stage("lifted", Predicate::Stated { fact: 0 }).at_end(),
            stage("on the shelf", Predicate::Stated { fact: 1 }).at_end(),
        ])
        .horizon(400);
    task.files = Some(FromFiles::new(BTreeMap::new(), move |_| Ok(scene(state.clone(), settle))));
    Env::new(Arc::new(task), EnvSettings::default()).unwrap()
}

fn lying(z: f64) -> SourceState {
    let block = vec![0.5, 1.0, z, 1.0, 0.0, 0.0, 0.0];
    SourceState::Joints(vec![("block_joint".into(), block), ("j3".into(), vec![0.7])])
}

#[test]
fn its_step_loop_does_not_allocate() {
    let mut e = env(lying(0.05), 2);
    e.reset(Seed(0)).unwrap();
    for k in 0..10 {
        e.step(&wild(k)).unwrap();
    }
    let n = counting::allocations(|| {
        for k in 10..40 {
            e.step(&wild(k)).unwrap();
        }
    });
    assert_eq!(n, 0, "allocations in 30 steps");
}

#[test]
fn it_begins_where_joints_were_drawn_and_is_judged_by_its_own_rule() {
    let mut e = env(lying(3.0), 0);
    e.reset(Seed(0)).unwrap();
    assert_eq!(e.snapshot().facts, [true, false], "far above the shelf");
    let high = e.world().state_hash();
    e.reset(Seed(1)).unwrap();
    e.reset(Seed(0)).unwrap();
    assert_eq!(e.world().state_hash(), high, "nothing is left of another episode");
    let mut low = env(lying(0.05), 0);
    low.reset(Seed(0)).unwrap();
    assert_eq!(low.snapshot().facts, [false, false]);
    let short = SourceState::Joints(vec![("block_joint".into(), vec![0.0; 3])]);
    let refused = env(short, 0).reset(Seed(0)).unwrap_err().to_string();
    assert!(refused.contains('3') && refused.contains('7'), "{refused}");
}
