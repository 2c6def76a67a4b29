//! Two arms at one table: steps side by side, an object handed over, arms that keep apart.

use std::sync::Arc;

use longarm_expert::{Expert, Memory};
use longarm_sim::{Env, EnvSettings};
use longarm_task::TaskSpec;
use longarm_task::form::{self, Format, NoFiles};
use longarm_types::Seed;

/// Two blocks and two plates, each pair on a side of its own.
const TWO_BLOCKS: &str = r#"
rig = "two-pandas"
instruction = "put each block on the plate of its side"
plan = [
    { together = [
        { steps = ["pick red", "put red on left_plate"] },
        { steps = ["pick blue", "put blue on right_plate"] },
    ] },
]
goal = ["on(red, left_plate)", "on(blue, right_plate)"]
[objects.red]
asset = { kind = "block", size = [0.04, 0.04, 0.04] }
colour = "red"
at = [[0.40, 0.16], [0.46, 0.22]]
[objects.left_plate]
asset = { kind = "plate", radius = 0.07 }
at = [0.58, 0.24]
[objects.blue]
asset = { kind = "block", size = [0.04, 0.04, 0.04] }
colour = "blue"
at = [[0.40, -0.22], [0.46, -0.16]]
[objects.right_plate]
asset = { kind = "plate", radius = 0.07 }
at = [0.58, -0.24]
"#;

/// A rod that the left hand takes and the right hand puts on a plate out of the left one's reach.
const HANDOVER: &str = r#"
rig = "two-pandas"
instruction = "pass the rod to the right hand and put it on the plate"
plan = [
    "pick rod with left",
    "pass rod from left to right",
    "put rod on plate with right",
]
goal = "on(rod, plate)"
[objects.rod]
asset = { kind = "block", size = [0.2, 0.03, 0.03] }
colour = "green"
at = [[0.42, 0.22], [0.48, 0.28]]
yaw = [-0.2, 0.2]
[objects.plate]
asset = { kind = "plate", radius = 0.1 }
at = [0.5, -0.3]
"#;

fn task(text: &str) -> TaskSpec {
    form::read(text, Format::Toml, "test/two-arms", &NoFiles).unwrap().task
}

struct Run {
    env: Env,
    /// Control steps in which both hands moved.
    both: u32,
    /// Everything the expert said it was doing.
    said: Vec<String>,
}

fn run(task: TaskSpec, seed: u64) -> Run {
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).unwrap();
    env.reset(Seed(seed)).unwrap();
    let mut expert = Expert::new(Memory::Whole);
    expert.begin(&mut env).unwrap();
    let (mut both, mut said) = (0, Vec::new());
    while !env.report().done() {
        let action = expert.act(&mut env).unwrap();
        if said.last().map(String::as_str) != Some(expert.doing()) {
            said.push(expert.doing().to_owned());
        }
        env.step(&action).unwrap();
        let moves = |h: &longarm_task::Hand| h.twist.linear.length() > 0.05;
        both += u32::from(env.snapshot().hands.iter().all(moves));
    }
    Run { env, both, said }
}

#[test]
fn two_arms_place_two_blocks_at_once() {
    for seed in 0..6 {
        let Run { env, both, said } = run(task(TWO_BLOCKS), seed);
        assert!(env.report().success, "seed {seed}: {said:?} {:?}", env.tracker().status());
        assert!(both > 20, "seed {seed}: both moved in {both} control steps");
        let wanted = "pick up the red; pick up the blue";
        assert!(said.iter().any(|s| s == wanted), "{said:?}");
    }
    let stages = task(TWO_BLOCKS).stage_list(None).unwrap();
    let after: Vec<_> = stages.iter().map(|s| s.after.clone()).collect();
    assert_eq!(after, [vec![], vec![0], vec![], vec![2]], "each side in its own order");
}

#[test]
fn a_rod_goes_from_hand_to_hand() {
    for seed in 0..6 {
        let Run { env, said, .. } = run(task(HANDOVER), seed);
        assert!(env.report().success, "seed {seed}: {said:?} {:?}", env.tracker().status());
        let passed = "pass the rod from the left hand to the right hand";
        assert!(said.iter().any(|s| s == passed), "{said:?}");
    }
}

#[test]
fn a_hand_that_is_named_does_it_even_where_the_other_is_nearer() {
    let text = r#"
rig = "two-pandas"
instruction = "lift the block"
plan = ["pick block with right"]
[objects.block]
asset = { kind = "block", size = [0.04, 0.04, 0.04] }
at = [[0.42, 0.04], [0.44, 0.06]]
"#;
    let named = run(task(text), 1);
    assert!(named.env.report().success && named.env.snapshot().hands[1].holds[1]);
    let left = named.env.snapshot().hands[0].pose;
    let free = run(task(&text.replace(" with right", "")), 1);
    assert!(free.env.report().success && free.env.snapshot().hands[0].holds[1]);
    // The arm that has nothing to do holds still.
    let start = {
        let mut env = Env::new(Arc::new(task(text)), EnvSettings::default()).unwrap();
        env.reset(Seed(1)).unwrap();
        env.snapshot().hands[0].pose
    };
    let (far, turn) = left.error_to(&start);
    assert!(far < 2e-3 && turn < 0.01, "{far} m, {turn} rad");
}

/// Both blocks lie on the far side of the other arm's plate, so the arms must pass each other.
#[test]
fn arms_that_must_cross_do_not_touch() {
    let text = TWO_BLOCKS
        .replace("put red on left_plate\"", "put red on left_plate with right\"")
        .replace("\"pick red\"", "\"pick red with right\"")
        .replace("\"pick blue\"", "\"pick blue with left\"")
        .replace("put blue on right_plate\"", "put blue on right_plate with left\"")
        .replace("at = [0.58, 0.24]", "at = [0.56, 0.10]")
        .replace("at = [0.58, -0.24]", "at = [0.56, -0.10]")
        .replace("at = [[0.40, 0.16], [0.46, 0.22]]", "at = [[0.40, 0.05], [0.44, 0.09]]")
        .replace("at = [[0.40, -0.22], [0.46, -0.16]]", "at = [[0.40, -0.09], [0.44, -0.05]]");
    for seed in 0..3 {
        let Run { env, said, .. } = run(task(&text), seed);
        assert!(env.report().success, "seed {seed}: {said:?} {:?}", env.tracker().status());
    }
}

#[test]
fn mistakes_about_limbs_are_named() {
    let wrong = |from: &str, to: &str| {
        let text = TWO_BLOCKS.replace(from, to);
        form::read(&text, Format::Toml, "test/two-arms", &NoFiles).unwrap_err().to_string()
    };
    let unknown = wrong("\"pick red\"", "\"pick red with lefd\"");
    assert!(unknown.contains("limb") && unknown.contains("did you mean left"), "{unknown}");
    let few = wrong("\"two-pandas\"", "\"panda\"");
    assert!(few.contains("2 steps are done together") && few.contains("1 limb"), "{few}");
    let shared = TWO_BLOCKS
        .replace("\"pick red\"", "\"pick red with left\"")
        .replace("\"pick blue\"", "\"pick blue with left\"");
    let shared = form::read(&shared, Format::Toml, "test/two-arms", &NoFiles).unwrap_err();
    assert!(shared.to_string().contains("\"left\" has two"), "{shared}");
    let mixed = wrong("{ together = [", "{ repeat = 2, together = [");
    assert!(mixed.contains("does not go with"), "{mixed}");
}
