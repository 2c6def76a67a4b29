//! The speed of soft matter: simulated time over CPU time of one thread, and what liquid adds to a picture.

use std::sync::Arc;

use anyhow::{Context, Result};
use cpu_time::ThreadTime;
use longarm_assets::RigName;
use longarm_sim::{CameraRig, Env, EnvSettings, ImageSettings};
use longarm_soft::MpmSpec;
use longarm_soft::scenes::{Act, ClothScene, PourScene, SqueezeScene};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{SUBSTEPS, Seed, TIMESTEP};

use crate::bench::{Figure, median, tape};
use crate::catalogue;

/// A rope of 40 links that an arm takes by one end and drags.
const ROPE: &str = "/straighten-rope";

/// Median rates of a few rounds.
pub(crate) fn rows(rounds: usize) -> Result<Vec<Figure>> {
    let cloths = [
        ("cloth_rtf_24_pinch", Act::Pinch, 24),
        ("cloth_rtf_24_fold", Act::Fold, 24),
        ("cloth_rtf_32_pinch", Act::Pinch, 32),
        ("cloth_rtf_32_fold", Act::Fold, 32),
    ];
    let mut rows = Vec::new();
    for (name, act, n) in cloths {
        rows.push(rate(name, rounds, || {
            let mut scene = ClothScene::new(act, n, Seed(0))?;
            while !scene.done() {
                scene.advance();
            }
            Ok(scene.duration())
        })?);
    }
    rows.push(rate("liquid_rtf_pour", rounds, || {
        let mut scene = PourScene::new()?;
        while !scene.done() {
            scene.advance();
        }
        Ok(scene.duration())
    })?);
    for (name, spec) in
        [("clay_rtf_squeeze", MpmSpec::clay()), ("sand_rtf_squeeze", MpmSpec::sand())]
    {
        rows.push(rate(name, rounds, || {
            let mut scene = SqueezeScene::new(spec.clone())?;
            while !scene.done() {
                scene.advance();
            }
            Ok(scene.duration())
        })?);
    }
    let mut tasks = catalogue::tasks(None)?.into_iter();
    let rope = tasks.find(|t| t.id.as_str().ends_with(ROPE)).context("no task drags a rope")?;
    let mut env = Env::new(Arc::new(rope), EnvSettings::default())?;
    env.reset(Seed(0))?;
    let actions = tape(&mut env)?;
    rows.push(rate("rope_rtf_drag", rounds, || {
        env.reset(Seed(0))?;
        for action in &actions {
            env.step(action)?;
        }
        Ok(actions.len() as f64 * f64::from(SUBSTEPS) * TIMESTEP)
    })?);
    let rig = env.task().rig;
    let dry = picture(rig, rounds, false)?;
    rows.push(Figure {
        name: "liquid_picture_cost",
        value: picture(rig, rounds, true)? / dry,
        unit: "x",
    });
    Ok(rows)
}

/// Median CPU seconds in which a scene with a full or an empty glass is drawn while the hand moves.
fn picture(rig: RigName, rounds: usize, full: bool) -> Result<f64> {
    const FRAMES: u32 = 12;
    let beaker = object("beaker", Beaker { radius: 0.05, height: 0.1 });
    let spot = region("spot", point([0.35, 0.0]));
    let mut task = TaskSpec::new("bench/picture", rig)
        .instruction("look")
        .place(&beaker, &spot)
        .stages([stage("look", hand_away(0.0))])
        .horizon(1000);
    if full {
        let water = object("water", Water::column(0.045, 0.06));
        task = task.place(&water, beaker.path("inside"));
    }
    let mut env = Env::new(Arc::new(task), EnvSettings::default())?;
    env.reset(Seed(0))?;
    let images = ImageSettings { size: Some((256, 256)), ..ImageSettings::default() };
    let mut cameras = CameraRig::new(env.world(), images)?;
    let mut noise = Seed(0).stream("pixels");
    let mut times = Vec::new();
    for _ in 0..rounds.max(3) {
        let mut spent = 0.0;
        for k in 0..FRAMES {
            let up = if k % 2 == 0 { 0.4 } else { -0.4 };
            env.world_mut().step(&[0.0, 0.0, up, 0.0, 0.0, 0.0, -1.0])?;
            let t = ThreadTime::now();
            cameras.draw(env.world(), &mut noise);
            spent += t.elapsed().as_secs_f64();
        }
        times.push(spent / f64::from(FRAMES));
    }
    Ok(median(&mut times))
}

/// The median rate of something that returns how many seconds it simulated.
fn rate(
    name: &'static str,
    rounds: usize,
    mut play: impl FnMut() -> Result<f64>,
) -> Result<Figure> {
    let mut rates = Vec::new();
    for _ in 0..rounds {
        let t = ThreadTime::now();
        rates.push(play()? / t.elapsed().as_secs_f64());
    }
    Ok(Figure { name, value: median(&mut rates), unit: "x" })
}
