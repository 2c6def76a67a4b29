use longarm_assets::{Asset, Grasp, RigName};
use longarm_task::Op;

use super::*;
use crate::fixture::{Bench, gripper_rigs, middle};

/// Return a fixture with a hinged part, its handle near the axis or far from it, and the part's name.
fn hinged(knob: bool) -> (Asset, String) {
    let near = |part: &Part, g: &Grasp| match part.motion {
        PartMotion::Hinge { axis, pivot } => {
            let r = part.rest.point(g.tool.pos) - DVec3::from(pivot);
            let axis = DVec3::from(axis);
            Some((r - axis * r.dot(axis)).length() < KNOB)
        }
        PartMotion::Slide { .. } => None,
    };
    let found = longarm_assets::objects::samples().into_iter().find_map(|asset| {
        let info = asset.info();
        let part = info.parts.iter().find(|p| {
            let mut own = info.grasps.iter().filter(|g| g.part.as_ref() == Some(&p.name));
            p.opens() && own.next().and_then(|g| near(p, g)) == Some(knob)
        })?;
        Some((asset.clone(), part.name.clone()))
    });
    found.expect("an asset with such a part")
}

/// Return the limb with an elbow to spare and a fixture before it.
fn bench(asset: Asset, away: DVec3, yaw: f64) -> Bench {
    let redundant = |rig: &RigName| crate::fixture::limb(*rig).redundant();
    let rig = gripper_rigs().into_iter().find(redundant).expect("an arm of seven joints");
    let at = Pose::new(middle(rig) + away, DQuat::from_rotation_z(yaw));
    Bench::new(rig, &[("fixture", asset, at)])
}

/// Return the poses at which the motions wait for the part's joint.
fn in_contact(motions: &[Motion]) -> Vec<Pose> {
    let waits = |m: &Motion| match m {
        Motion::Go { to, stop: Stop::JointAbove(..) | Stop::JointBelow(..), .. } => Some(*to),
        _ => None,
    };
    motions.iter().filter_map(waits).collect()
}

#[test]
fn a_knob_is_turned_on_the_spot() {
    let (asset, part) = hinged(true);
    let bench = bench(asset, DVec3::ZERO, 0.0);
    let path = format!("fixture/{part}");
    let motions = bench.script(&Op::TurnOn { part: path.clone() }).motions;
    let now = bench.moment();
    let h = Hinged::of(&now, now.scene.part(&path).unwrap()).unwrap();
    let poses = in_contact(&motions);
    let (first, last) = (poses[0], poses[poses.len() - 1]);
    assert!(poses.iter().all(|p| h.radius(p.pos).length() < KNOB), "{poses:?}");
    let turned = longarm_types::rotation_between(first.rot, last.rot);
    assert!(turned.dot(h.axis) > 0.3, "turned by {turned} about {}", h.axis);
}

#[test]
fn a_door_is_followed_along_its_arc() {
    let (asset, part) = hinged(false);
    let path = format!("fixture/{part}");
    let mut checked = 0;
    // Wherever it stands and whichever way it faces: what the hand follows is the handle's arc.
    for (k, open) in (0..16).flat_map(|k| [(k, true), (k, false)]) {
        let away = DVec3::new(0.08 * f64::from(k % 4) - 0.1, 0.1 * f64::from(k / 4) - 0.15, 0.0);
        for quarter in 0..4 {
            let mut bench = bench(asset.clone(), away, f64::from(quarter) * PI / 2.0);
            if !open {
                bench.turn(&path, 1.0);
            }
            let now = bench.moment();
            let id = now.scene.part(&path).unwrap();
            let h = Hinged::of(&now, id).unwrap();
            let found = if open { super::open(&now, id) } else { close(&now, id) };
            let Some(motions) = found else { continue };
            let poses = in_contact(&motions);
            let radius = h.radius(poses[0].pos).length();
            for p in &poses {
                assert!((h.radius(p.pos).length() - radius).abs() < 1e-6, "off the arc: {p:?}");
                assert!((p.pos.z - poses[0].pos.z).abs() < 1e-6, "a level arc: {p:?}");
            }
            let [a, b] = [poses[0].pos, poses[poses.len() - 1].pos].map(|p| h.radius(p));
            let turned = a.cross(b).dot(h.axis);
            assert!(if open { turned > 0.0 } else { turned < 0.0 }, "open {open}: {a} to {b}");
            checked += 1;
        }
    }
    assert!(checked > 4, "{checked} ways to move the door");
}
