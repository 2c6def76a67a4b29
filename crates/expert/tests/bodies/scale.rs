//! Tasks that declare another scale of tool deltas.

use std::sync::Arc;

use longarm_expert::{Expert, Memory};
use longarm_sim::{Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_task::form::{self, Format, NoFiles};
use longarm_types::{ControlMode, Seed, ToolScale};

const FILE: &str = r#"
rig = "panda"
instruction = "put the block on the plate"
SCALE
goal = "on(block, plate)"
plan = ["pick block", "put block on plate", "withdraw"]
[objects.block]
asset = { kind = "block", size = [0.04, 0.04, 0.04] }
at = [[0.42, -0.12], [0.46, -0.08]]
[objects.plate]
asset = { kind = "plate", radius = 0.07 }
at = [0.5, 0.12]
"#;

fn task(scale: &str) -> TaskSpec {
    let text = FILE.replace("SCALE", scale);
    form::read(&text, Format::Toml, "test/scale", &NoFiles).unwrap().task
}

fn run(task: TaskSpec) -> (Env, u32) {
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
    env.reset(Seed(3)).unwrap();
    let mut expert = Expert::new(Memory::Whole);
    expert.begin(&mut env).unwrap();
    let mut clipped = 0;
    while !env.report().done() {
        let action = expert.act(&mut env).unwrap();
        clipped += u32::from(action.values().iter().take(6).any(|v| v.abs() > 1.0 + 1e-6));
        env.step(&action).unwrap();
    }
    (env, clipped)
}

#[test]
fn the_hash_knows_the_scale_only_where_it_is_unusual() {
    let plain = task("");
    assert_eq!(task("tool_scale = { metres = 0.05, radians = 0.5 }").hash(), plain.hash());
    let wide = task("tool_scale = { metres = 0.12 }");
    assert_ne!(wide.hash(), plain.hash());
    assert_eq!(wide.tool_scale, ToolScale { metres: 0.12, radians: 0.5 });
    assert_eq!(TaskSpec::from_json(&wide.to_json()).unwrap(), wide);
    assert!(!plain.to_json().contains("tool_scale"));
    assert_eq!(wide.rig().action.tool_scale().metres, 0.12);
    let joints = wide.clone().with_control(ControlMode::JointTarget).unwrap();
    assert_eq!(joints.rig().tool_actions().tool_scale().metres, 0.12);
    let refused = form::read(
        &FILE.replace("SCALE", "tool_scale = { metres = 0 }"),
        Format::Toml,
        "test/scale",
        &NoFiles,
    );
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("tool_scale.metres") && refused.contains("0.001"), "{refused}");
}

#[test]
fn experts_act_in_the_scale_of_the_task() {
    for scale in [
        "",
        "tool_scale = { metres = 0.12, radians = 1.0 }",
        "tool_scale = { metres = 0.01, radians = 0.05 }",
    ] {
        let (env, clipped) = run(task(scale));
        assert!(env.report().success, "{scale}: {:?}", env.tracker().status());
        assert_eq!(clipped, 0, "{scale}: actions stay within their bounds");
    }
}

#[test]
fn a_whole_action_moves_the_tool_by_the_scale() {
    for metres in [0.02, 0.05] {
        let task = task(&format!("tool_scale = {{ metres = {metres} }}"));
        let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
        env.reset(Seed(0)).unwrap();
        let start = env.snapshot().hands[0].commanded.pos;
        let mut action = env.action_spec().idle();
        action.values_mut()[2] = 1.0;
        for _ in 0..3 {
            env.step(&action).unwrap();
        }
        let idle = env.action_spec().idle();
        for _ in 0..20 {
            env.step(&idle).unwrap();
        }
        let rose = env.snapshot().hands[0].pose.pos.z - start.z;
        assert!((rose - 3.0 * metres).abs() < 3e-3, "{metres}: {rose}");
    }
}
