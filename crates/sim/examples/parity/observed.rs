//! What a policy is told through the environment, against what the original told.

use std::sync::Arc;

use longarm_assets::source::AssetFolders;
use longarm_sim::{Env, EnvSettings};
use longarm_task::SourceState;
use longarm_types::{Action, DVec3, Seed};

use crate::recording::Recording;

/// Actions that are compared: before anything is touched.
const ACTIONS: usize = 15;
/// How far our tool is ahead of the site that the original tells of.
const AHEAD: f64 = 0.0064;

/// Return the greatest difference of a number of a policy's own body, metres or radians, over the first
/// actions of a recording; `None` if it is one of no task of a suite, or of no stored state.
pub fn apart(r: &Recording, folders: &AssetFolders) -> Result<Option<f64>, String> {
    let suite = r.suite.replace('_', "-");
    let id = format!("{suite}/{}", r.task.to_lowercase().replace('_', "-"));
    let files = longarm_suites::suite(&suite).and_then(|s| s.from_files.as_ref());
    let (Some(task), Some(files)) = (longarm_suites::task(&id), files) else { return Ok(None) };
    let task = (files.apply)(vec![task], folders).map_err(|e| e.to_string())?.pop();
    let Some(task) = task else { return Ok(None) };
    let task = longarm_suites::apply_options(task, [("script", "none")]);
    let Some(files) = &task.files else { return Ok(None) };
    let starts = files.scene().map_err(|e| e.to_string())?.starts;
    let begins = |seed: &u64| {
        starts(Seed(*seed)).is_ok_and(|s| s.state == SourceState::Whole(r.init_state.clone()))
    };
    let Some(seed) = (0..50).find(begins) else { return Ok(None) };
    let frames = task.rig().frames;
    let origin = frames.first().map_or(DVec3::ZERO, |f| DVec3::from(f.origin));
    let fail = |e: longarm_sim::SimError| e.to_string();
    let mut env = Env::new(Arc::new(task), EnvSettings::default()).map_err(fail)?;
    env.reset(Seed(seed)).map_err(fail)?;
    let mut worst = 0.0f64;
    for (i, action) in r.actions.iter().enumerate().take(ACTIONS) {
        let action = Action::new(&action.map(|v| v as f32));
        env.step(&action).map_err(fail)?;
        let own = &env.observe().limbs[0];
        let at = own.tool.pos - own.tool.rot * DVec3::Z * AHEAD + origin;
        let turn = own.tool.rot.to_array();
        let want = r.steps.obs_eef_quat[i];
        let sign = turn.iter().zip(want).map(|(a, b)| a * b).sum::<f64>().signum();
        let fingers = own.fingers.unwrap_or([f64::NAN; 2]);
        let pairs = own.joints.iter().copied().zip(r.steps.obs_q[i]);
        let pairs = pairs.chain(fingers.into_iter().zip(r.steps.obs_grip[i]));
        let pairs = pairs.chain(at.to_array().into_iter().zip(r.steps.obs_eef_pos[i]));
        let pairs = pairs.chain(turn.map(|v| v * sign).into_iter().zip(want));
        worst = pairs.map(|(a, b)| (a - b).abs()).fold(worst, f64::max);
    }
    Ok(Some(worst))
}
