//! A skill of each kind, done by the expert.

use std::sync::Arc;

use longarm_eval::{Actor, Unwatched, run_episode};
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

#[test]
fn the_expert_does_every_kind_of_skill() {
    let mut failed = Vec::new();
    for skill in SKILLS {
        let task = Arc::new(longarm_suites::task(&format!("boss/{skill}")).unwrap());
        let mut env = Env::new(task, EnvSettings::default()).unwrap();
        for seed in 0..3 {
            env.reset(Seed(seed)).unwrap();
            let mut expert = Actor::named("expert").unwrap();
            let done = run_episode(&mut env, &mut expert, "expert", &mut Unwatched);
            if done.outcome != EpisodeOutcome::Success {
                failed.push(format!("{skill} seed {seed}: {:?} {:?}", done.reason, done.stages));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
