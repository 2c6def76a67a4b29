//! A skill of each kind, done by the expert; some with grasps that the cameras show.

use std::sync::Arc;

use longarm_eval::{Actor, Unwatched, images_for, run_episode};
use longarm_sim::{Env, EnvSettings};
use longarm_types::{EpisodeOutcome, Seed};

const SKILLS: [&str; 12] = [
    "kitchen-scene1-open-the-bottom-drawer-of-the-cabinet",
    "kitchen-scene1-put-the-black-bowl-on-the-plate",
    "kitchen-scene2-stack-the-middle-black-bowl-on-the-back-black-bowl",
    "kitchen-scene3-put-the-frying-pan-on-the-stove",
    "kitchen-scene3-turn-on-the-stove",
    "kitchen-scene4-close-the-bottom-drawer-of-the-cabinet",
    "kitchen-scene4-put-the-wine-bottle-on-the-wine-rack",
    "kitchen-scene5-put-the-black-bowl-in-the-top-drawer-of-the-cabinet",
    "kitchen-scene6-close-the-microwave",
    "kitchen-scene7-open-the-microwave",
    "kitchen-scene8-turn-off-the-stove",
    "living-room-scene5-put-the-red-mug-on-the-left-plate",
];

/// What cannot be done before something else is got out of the way.
const CLUTTERED: [&str; 4] = [
    // A box on the plate, and a drawer open beside it.
    "c2-2-kitchen-scene2-put-the-black-bowl-at-the-front-on-the-plate",
    // Three objects on the plate.
    "c2-3-living-room-scene6-put-the-white-mug-on-the-plate",
    // Two drawers open over the one that is wanted.
    "c2-2-kitchen-scene4-put-the-wine-bottle-in-the-bottom-drawer-of-the-cabinet",
    // A bottle must lie in the drawer that is shut after it.
    "c3-6",
];

/// What must be taken by its handle, set aside first, or by its rim.
const PERCEIVED: [&str; 3] = [
    "kitchen-scene9-put-the-frying-pan-on-the-cabinet-shelf",
    "kitchen-scene9-put-the-frying-pan-under-the-cabinet-shelf",
    "kitchen-scene9-put-the-white-bowl-on-top-of-the-cabinet",
];

#[test]
fn the_expert_does_every_kind_of_skill() {
    let seeds = SKILLS.iter().flat_map(|skill| (0..3).map(move |seed| (*skill, seed)));
    assert_solved("expert", seeds);
}

#[test]
fn handles_and_rims_are_seen() {
    assert_solved("expert?grasps=perceived", PERCEIVED.map(|name| (name, 500)));
}

#[test]
fn the_expert_clears_what_is_in_the_way() {
    assert_solved("expert", CLUTTERED.map(|name| (name, 0)));
}

fn assert_solved(policy: &str, episodes: impl IntoIterator<Item = (&'static str, u64)>) {
    let mut failed = Vec::new();
    for (name, seed) in episodes {
        let task = Arc::new(longarm_suites::task(&format!("boss/{name}")).unwrap());
        let mut env = Env::new(task, EnvSettings { images: images_for(policy) }).unwrap();
        env.reset(Seed(seed)).unwrap();
        let mut expert = Actor::named(policy).unwrap();
        let done = run_episode(&mut env, &mut expert, policy, &mut Unwatched);
        if done.outcome != EpisodeOutcome::Success {
            failed.push(format!("{name} seed {seed}: {:?} {:?}", done.reason, done.stages));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
