//! The speed of soft matter: simulated time over CPU time of one thread.

use std::sync::Arc;

use anyhow::{Context, Result};
use cpu_time::ThreadTime;
use longarm_sim::{Env, EnvSettings};
use longarm_soft::MpmSpec;
use longarm_soft::scenes::{Act, ClothScene, PourScene, SqueezeScene};
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
    Ok(rows)
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
