//! True sentences about a scene.

use longarm_agent::{Noun, Sighting};
use longarm_assets::Tint;
use longarm_sim::Env;
use longarm_task::speech::Area;
use longarm_types::yaw;

/// True sentences about a scene: the objects that a person would report, as the detector words it.
pub(super) fn report(env: &Env) -> Vec<String> {
    let (scene, bound, now) = (env.scene(), env.bound(), env.snapshot());
    let workspace = &scene.structure.rig.workspace;
    let mut out = Vec::new();
    for (instance, tint) in scene.structure.instances.iter().zip(&scene.tints) {
        let Some(body) = bound.body(&instance.name) else { continue };
        let (info, pose) = (instance.asset.info(), now.bodies[body].pose);
        let Some(noun) = Noun::named(instance.asset.noun()) else {
            let [x, y, z] = pose.pos.to_array();
            out.push(format!("the {} is at ({x:.3}, {y:.3}), {z:.3} m high", instance.name));
            continue;
        };
        let (centre, half) = (info.bounds.centre_in(&pose), info.bounds.half);
        let (long, wide) = (half[0].max(half[1]), half[0].min(half[1]));
        let across = if half[0] >= half[1] { 0.0 } else { std::f64::consts::FRAC_PI_2 };
        let at = [centre.x, centre.y];
        let sighting = Sighting {
            noun: if noun == Noun::Zone && long > 8.0 * wide { Noun::Line } else { noun },
            colour: match tint {
                Tint::Named(c) => Some(*c),
                Tint::Own => None,
            },
            size: [2.0 * long, 2.0 * wide],
            at,
            heading: yaw(pose.rot) + across,
            top: centre.z + info.bounds.half_in(&pose).z,
            area: Some(Area::of(workspace, at)),
        };
        out.push(sighting.to_string());
    }
    out
}
