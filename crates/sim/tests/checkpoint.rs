//! Saving and restoring against running straight on.

use std::cell::RefCell;
use std::sync::Arc;

use longarm_assets::RigName;
use longarm_sim::{Env, EnvSettings, ImageSettings, SimError, StepReport};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{Action, ActionSpec, Digest, EpisodeRecord, Seed};
use proptest::prelude::*;

fn task(rig: RigName) -> TaskSpec {
    let red = object("red", Block::cube(0.04)).colour(Colour::Red);
    let blue = object("blue", Block::cube(0.04)).colour(Colour::Blue);
    let mut task = TaskSpec::new("test/blocks", rig)
        .instruction("put the red block on the blue one")
        .place(&red, &region("left", rect([0.30, 0.08], [0.36, 0.14])).yaw(-0.5, 0.5))
        .place(&blue, &region("right", rect([0.30, -0.14], [0.36, -0.08])))
        .plan([pick(&red), put(&red).on(&blue)])
        .stages([
            stage("moved", not(back_at_start(&red).within(0.02))).saying("move the red block"),
            stage("stacked", on(&red, &blue)).saying("put it on the blue block").at_end(),
        ])
        .horizon(200);
    task.stepwise = true;
    task
}

fn env(rig: RigName, images: Option<ImageSettings>) -> Env {
    Env::new(Arc::new(task(rig)), EnvSettings { images }).unwrap()
}

fn noisy() -> Option<ImageSettings> {
    Some(ImageSettings { size: Some((24, 16)), noise: 8.0, ..ImageSettings::default() })
}

/// Everything that can be told of a moment.
type Moment = (StepReport, Digest, String, Digest, EpisodeRecord, String);

fn moment(env: &mut Env) -> Moment {
    let seen = env.observe();
    let mut bytes: Vec<u8> = seen.cameras.iter().flat_map(|c| c.rgb.clone()).collect();
    bytes.extend(format!("{:?} {} {}", seen.limbs, seen.step, seen.time).into_bytes());
    let said = seen.instruction.clone();
    let picked = format!("{:?}", env.picked());
    let record = env.record("test", None);
    (env.report(), env.world().state_hash(), said, Digest::of(&bytes), record, picked)
}

fn run(env: &mut Env, actions: &[Action]) -> Vec<Moment> {
    let step = |a: &Action| {
        env.step(a).unwrap();
        moment(env)
    };
    actions.iter().map(step).collect()
}

/// Runs straight on, from a checkpoint, and from the checkpoint in an environment that was elsewhere.
fn compare(envs: &mut [Env; 2], seed: u64, before: &[Action], after: &[Action]) {
    let [one, two] = envs;
    one.reset(Seed(seed)).unwrap();
    let first = run(one, before);
    let straight = run(one, after);
    one.reset(Seed(seed)).unwrap();
    assert_eq!(run(one, before), first, "looking is part of what is repeated");
    let saved = one.save();
    assert_eq!(run(one, after), straight, "saving disturbs nothing");
    one.restore(&saved).unwrap();
    assert_eq!(one.instruction(), saved_instruction(&first, one));
    assert_eq!(run(one, after), straight, "restored");
    two.reset(Seed(seed + 1)).unwrap();
    run(two, &before[..before.len() / 2]);
    two.restore(&saved).unwrap();
    assert_eq!(run(two, after), straight, "restored elsewhere");
    // A checkpoint is used up by nothing.
    two.restore(&saved).unwrap();
    assert_eq!(run(two, after), straight, "restored again");
}

fn saved_instruction<'a>(first: &'a [Moment], env: &'a Env) -> &'a str {
    first.last().map_or(env.instruction(), |m| &m.2)
}

/// Idle for a while, so that bodies fall asleep, then anything.
fn wild(idle: usize, n: usize, seed: u64) -> Vec<Action> {
    let mut rng = Seed(seed).stream("wild");
    let mut any = || {
        let v: [f32; 7] = std::array::from_fn(|_| rng.range(-1.0, 1.0) as f32);
        Action::new(&v)
    };
    let still = std::iter::repeat_n(ActionSpec::tool_delta(&["arm"]).idle(), idle);
    still.chain(std::iter::repeat_with(&mut any).take(n)).collect()
}

fn pick_place(pick: [f64; 3], place: [f64; 3]) -> Action {
    let mut v = [0.0f32; 14];
    for (slot, p) in v.chunks_exact_mut(7).zip([pick, place]) {
        for (s, x) in slot.iter_mut().zip(p) {
            *s = x as f32;
        }
        slot[3] = 1.0;
    }
    Action::new(&v)
}

thread_local! {
    static BLIND: RefCell<[Env; 2]> =
        RefCell::new([env(RigName::ARX_R5, None), env(RigName::ARX_R5, None)]);
    static SEEING: RefCell<[Env; 2]> =
        RefCell::new([env(RigName::ARX_R5, noisy()), env(RigName::ARX_R5, noisy())]);
    static SUCTION: RefCell<[Env; 2]> =
        RefCell::new([env(RigName::UR5E_SUCTION, noisy()), env(RigName::UR5E_SUCTION, noisy())]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn restoring_is_running_on(
        seed in 0u64..1000,
        idle in prop::sample::select(vec![0usize, 3, 45]),
        before in 0usize..12,
        after in 1usize..20,
    ) {
        let all = wild(idle, before + after, seed);
        let (first, rest) = all.split_at(idle + before);
        BLIND.with_borrow_mut(|envs| compare(envs, seed, first, rest));
    }

    #[test]
    fn restoring_is_running_on_with_pixel_noise(
        seed in 0u64..1000,
        before in 0usize..8,
        after in 1usize..8,
    ) {
        let all = wild(0, before + after, seed);
        let (first, rest) = all.split_at(before);
        SEEING.with_borrow_mut(|envs| compare(envs, seed, first, rest));
    }

    #[test]
    fn restoring_is_running_on_with_suction(
        seed in 0u64..1000,
        poses in prop::collection::vec((0.3f64..0.6, -0.3f64..0.3, prop::bool::ANY), 2..4),
        cut in 0usize..3,
    ) {
        SUCTION.with_borrow_mut(|envs| {
            envs[0].reset(Seed(seed)).unwrap();
            let mut red = envs[0].snapshot().bodies[1].pose.pos;
            let blue = envs[0].snapshot().bodies[2].pose.pos;
            // Some picks meet the block, some nothing; the last puts it on the other one.
            let mut actions = Vec::new();
            for (x, y, meets) in &poses {
                let at = if *meets { [red.x, red.y, 0.04] } else { [0.7, 0.4, 0.04] };
                actions.push(pick_place(at, [*x, *y, 0.05]));
                if *meets {
                    (red.x, red.y) = (*x, *y);
                }
            }
            actions.push(pick_place([red.x, red.y, 0.04], [blue.x, blue.y, 0.08]));
            let (first, rest) = actions.split_at(cut.min(actions.len() - 1));
            compare(envs, seed, first, rest);
        });
    }
}

#[test]
fn what_is_attached_to_the_cup_stays_attached() {
    let mut e = env(RigName::UR5E_SUCTION, None);
    e.reset(Seed(3)).unwrap();
    let red = e.snapshot().bodies[1].pose.pos;
    // Saved in the middle of an action, while the block hangs in the air.
    let mut saved = None;
    let action = pick_place([red.x, red.y, 0.04], [0.5, 0.2, 0.05]);
    e.step_observed(&action, &mut |world| {
        let s = world.snapshot();
        if saved.is_none() && s.bodies[1].pose.pos.z > 0.05 {
            saved = Some((world.save(), s.clone()));
        }
    })
    .unwrap();
    let (saved, then) = saved.expect("it was carried");
    let world = e.world_mut();
    world.restore(&saved).unwrap();
    assert_eq!(*world.snapshot(), then);
    for _ in 0..10 {
        world.step(ActionSpec::tool_delta(&["arm"]).idle().values()).unwrap();
    }
    assert!(world.snapshot().bodies[1].pose.pos.z > 0.045, "it fell");
}

#[test]
fn a_foreign_checkpoint_is_refused_and_changes_nothing() {
    let mut here = env(RigName::ARX_R5, None);
    here.reset(Seed(1)).unwrap();
    let saved = here.save();
    let mut other = task(RigName::ARX_R5);
    other.id = "test/others".parse().unwrap();
    let mut there = Env::new(Arc::new(other), EnvSettings::default()).unwrap();
    there.reset(Seed(2)).unwrap();
    let before = moment(&mut there);
    let why = there.restore(&saved).unwrap_err();
    assert!(matches!(why, SimError::ForeignTask { .. }), "{why}");
    let said = why.to_string();
    assert!(said.contains("test/blocks") && said.contains("test/others"), "{said}");
    assert_eq!(moment(&mut there), before);
    // The same name with other contents is another task, too.
    let changed = task(RigName::ARX_R5).horizon(7);
    let mut there = Env::new(Arc::new(changed), EnvSettings::default()).unwrap();
    assert!(there.restore(&saved).unwrap_err().to_string().contains("other contents"));
    // One that was never reset may be restored into, with cameras of its own.
    let mut fresh = env(RigName::ARX_R5, noisy());
    fresh.restore(&saved).unwrap();
    assert!(fresh.last_observation().cameras.is_empty());
    assert_eq!(fresh.world().state_hash(), here.world().state_hash());
    assert_eq!(fresh.observe().cameras[0].width, 24);
}
