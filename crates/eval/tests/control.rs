//! The expert solves a task in every control mode its rig offers, and replays follow the mode.

use std::sync::Arc;

use longarm_expert::{Expert, Memory};
use longarm_sim::{Env, EnvSettings};
use longarm_types::{ControlMode, Seed};

#[test]
fn the_expert_acts_in_every_control_mode() {
    let plain = longarm_suites::task("longbench/stack-block").unwrap();
    let mut hashes = vec![plain.hash()];
    assert_eq!(plain.clone().with_control(ControlMode::ToolDelta).unwrap(), plain);
    for mode in [ControlMode::JointTarget, ControlMode::JointDelta] {
        let task = plain.clone().with_control(mode).unwrap();
        hashes.push(task.hash());
        let read = longarm_task::TaskSpec::from_json(&serde_json::to_string(&task).unwrap());
        assert_eq!(read.unwrap(), task);
        let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
        assert_eq!(env.action_spec().dim(), 7, "six joints and a gripper");
        for seed in 0..3 {
            env.reset(Seed(seed)).unwrap();
            let mut expert = Expert::new(Memory::Whole);
            expert.begin(&mut env).unwrap();
            while !env.report().done() {
                let action = expert.act(&mut env).unwrap();
                env.step(&action).unwrap();
            }
            let record = env.record("expert", None);
            assert!(env.report().success, "{mode}, seed {seed}: {:?}", record.stages);
            assert_eq!(record.clipped, 0, "{mode}: actions are within bounds");
        }
    }
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 3, "a control mode is part of a task's hash");
    let suction = longarm_suites::task("lohoravens/pick-and-place").or_else(|| {
        longarm_suites::tasks().find(|t| t.rig() == longarm_assets::RigName::UR5E_SUCTION.rig())
    });
    let refused = suction.unwrap().with_control(ControlMode::JointDelta).unwrap_err();
    assert!(refused.to_string().contains("offers no control mode joint-delta"), "{refused}");
}
