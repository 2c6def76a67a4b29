//! Lift bucket — a hand takes a bucket by the handle that arches over it and lifts it.
//!
//! Scene: a bucket whose handle stands up.
//! Randomization: its place, its heading, its colour.
//! Stages: 2 (the bucket is off the table, the bucket is lifted).
//! Success: it hangs from the hand 25 cm above the table, touching nothing else.
//! Source and deviations: LiftBucket-v1. The height is that of DexArt's Bucket; its handle hangs in hinges that must
//! be raised by 70 %, ours is stiff.

use longarm_task::prelude::*;

use super::{LEVEL_1, RIGID, SINGLE_DEX, rung};

/// How high it is lifted.
const LIFTED: f64 = 0.25;
/// How much higher the plan goes.
const SURE: f64 = 0.02;

pub(super) fn task() -> TaskSpec {
    let colours = [Colour::Blue, Colour::Red, Colour::Green, Colour::Yellow];
    let bucket = object("bucket", Bucket {}).colour(any_of(colours));
    let stands = region("bucket spot", rect([-0.1, -0.1], [0.02, 0.1])).yaw(-0.5, 0.5);
    let up = |height: f64| carried(&bucket, height);
    rung(
        "lift-bucket",
        RigName::STUDIO_PANDA_LEAP,
        [LEVEL_1, RIGID, SINGLE_DEX],
        "LiftBucket-v1",
        &["lifted is 25 cm, as for DexArt's Bucket; the handle is stiff"],
    )
    .instruction("lift the {bucket.colour} bucket by its handle")
    .place(&bucket, &stands)
    .plan([pick(&bucket).with_effect(up(LIFTED + SURE))])
    .stages([
        stage("take the bucket off the table", up(0.02)).hold(0.1),
        stage("lift the bucket", up(LIFTED)).hold(0.25),
    ])
    .horizon(400)
}
