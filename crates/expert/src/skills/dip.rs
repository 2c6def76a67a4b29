//! Taking up some of what a container holds: a held cup is let down into it and raised full, a held shovel is drawn
//! through it, lip first.

use std::f64::consts::TAU;

use longarm_assets::{Mouth, RegionKind};
use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::pick::pick;
use super::withdraw::withdraw_holding;
use super::{Moment, Script, Skill};
use crate::cheapest::Cheapest;
use crate::motion::{Motion, Pace};
use crate::scene::SceneObject;

/// Headings tried.
const TURNS: u32 = 16;
/// How far under the surface the edge of a cup is let down, and the room kept above the floor.
const UNDER: f64 = 0.012;
const OFF_FLOOR: f64 = 0.005;
/// Control steps in which a cup fills.
const FILL: u32 = 12;
/// Heights above the container's edge where the way begins, and where it ends.
const BEFORE: f64 = 0.04;
const RAISED: f64 = 0.09;
/// Room that a tool drawn through keeps from the container's ends.
const FROM_END: f64 = 0.008;
/// How far a lip points down as it enters, half way and at the end, and up afterwards, radians.
const ENTERS: f64 = 0.35;
const HALF_WAY: f64 = 0.12;
const DRAWN: f64 = 0.02;
const KEEPS: f64 = -0.30;
/// Share of particles that the surface is above.
const BELOW_SURFACE: f64 = 0.9;

/// Takes up some of what a container holds, taking the tool first if need be.
pub(super) struct Dip<'a> {
    pub(super) tool: &'a str,
    pub(super) matter: &'a str,
    pub(super) from: &'a str,
}

/// The inside of a container: frame at the middle of its floor, half its size, heights of its surface and its edge.
struct Bed {
    floor: Pose,
    half: [f64; 2],
    surface: f64,
    edge: f64,
}

impl Skill for Dip<'_> {
    fn script(&self, now: &Moment<'_>) -> Option<Script> {
        let tool = now.scene.object(self.tool)?;
        let mouth = now.scene.info(tool.instance).mouth()?;
        if !now.scene.holds(tool.body) {
            return Some(Script::whole(pick(now, &tool)));
        }
        let bed = bed(now, self.from, self.matter)?;
        let held = now.scene.pose(tool.body).inverse() * now.scene.tool();
        let lip = DVec3::from(mouth.at).truncate().length() > 0.01;
        let way = match lip {
            true => drawn(now, &tool, &mouth, &held, &bed),
            false => dipped(now, &mouth, &held, &bed),
        };
        let Some(way) = way else { return Some(Script::part(withdraw_holding(now))) };
        let below = held.inverse().pos.z.abs().max(now.scene.tool().pos.z - tool.lowest());
        let mut out = now.travel(way.first()?, below, Some(tool.body));
        let last = way.len() - 1;
        for (k, pose) in way.iter().enumerate().skip(1) {
            out.push(match k == last {
                true => Motion::go(*pose, Pace::CAREFUL),
                false => Motion::go(*pose, Pace::GENTLE),
            });
            if k == 1 && !lip {
                out.push(Motion::Wait(FILL));
            }
        }
        out.push(Motion::Wait(4));
        Some(Script::part(out))
    }
}

fn bed(now: &Moment<'_>, container: &str, matter: &str) -> Option<Bed> {
    let object = now.scene.object(container)?;
    let info = now.scene.info(object.instance);
    let inside = info.regions.iter().find(|r| r.kind == RegionKind::Volume)?;
    let frame = now.scene.region_pose(object.instance, inside)?;
    let [hx, hy, hz] = inside.half;
    let soft = now.scene.soft(now.scene.body(matter)?)?;
    let within = |p: &&DVec3| {
        let q = frame.local(**p).abs();
        q.x < hx && q.y < hy && q.z < hz
    };
    let mut heights: Vec<f64> = soft.points.iter().filter(within).map(|p| p.z).collect();
    heights.sort_by(f64::total_cmp);
    let surface = *heights.get((BELOW_SURFACE * heights.len() as f64) as usize)?;
    let floor = Pose::new(frame.point(DVec3::Z * -hz), frame.rot);
    Some(Bed { floor, half: [hx, hy], surface, edge: frame.pos.z + hz })
}

/// Tool poses that let a cup down in the middle, and raise it.
fn dipped(now: &Moment<'_>, mouth: &Mouth, held: &Pose, bed: &Bed) -> Option<Vec<Pose>> {
    let low = (bed.surface - UNDER - mouth.at[2]).max(bed.floor.pos.z + OFF_FLOOR);
    let heights = [bed.edge + BEFORE, low, bed.surface + 0.01, bed.edge + RAISED];
    let mut best = Cheapest::new();
    for k in 0..TURNS {
        let rot = DQuat::from_rotation_z(TAU * f64::from(k) / f64::from(TURNS));
        let way: Vec<Pose> =
            heights.iter().map(|z| Pose::new(bed.floor.pos.with_z(*z), rot) * *held).collect();
        let Some(cost) = now.limb.track(&way) else { continue };
        let twist = longarm_types::rotation_between(now.scene.tool().rot, way[0].rot).length();
        best.offer(cost + twist, way);
    }
    best.candidate()
}

/// Tool poses that draw a lip along the container's floor and raise it.
fn drawn(
    now: &Moment<'_>,
    tool: &SceneObject,
    mouth: &Mouth,
    held: &Pose,
    bed: &Bed,
) -> Option<Vec<Pose>> {
    let at = DVec3::from(mouth.at);
    let ahead = at.with_z(0.0).normalize();
    let info = now.scene.info(tool.instance);
    let inside = info.regions.iter().find(|r| r.kind == RegionKind::Volume)?;
    let long = 2.0 * (inside.half[0] * ahead.x.abs() + inside.half[1] * ahead.y.abs());
    let wide = mouth.rim? + FROM_END;
    let mut best = Cheapest::new();
    for k in 0..4 {
        let (side, turn) = (k % 2, DQuat::from_rotation_z(TAU * f64::from(k) / 4.0));
        if bed.half[1 - side as usize] < wide {
            continue;
        }
        let along = bed.floor.rot * turn * DVec3::X;
        let reach = bed.half[side as usize] - FROM_END;
        let (first, last) = (long - reach, reach);
        if first + 0.02 > last {
            continue;
        }
        // Its own axes: ahead along the way, up.
        let level = DQuat::from_mat3(&DMat3::from_cols(along, DVec3::Z.cross(along), DVec3::Z))
            * DQuat::from_mat3(&DMat3::from_cols(ahead, DVec3::Z.cross(ahead), DVec3::Z))
                .conjugate();
        let lateral = DVec3::Z.cross(along);
        let pose = |s: f64, z: f64, down: f64| {
            let rot = (DQuat::from_axis_angle(lateral, down) * level).normalize();
            let lip = (bed.floor.pos + along * s).with_z(z);
            Pose::new(lip - rot * at, rot) * *held
        };
        let floor = bed.floor.pos.z + OFF_FLOOR;
        let middle = f64::midpoint(first, last);
        let way = vec![
            pose(first, bed.edge + BEFORE, ENTERS),
            pose(first, floor, ENTERS),
            pose(middle, floor, HALF_WAY),
            pose(last, floor, DRAWN),
            pose(last - 0.004, floor + 0.02, KEEPS),
            pose(last - 0.02, bed.edge + RAISED, KEEPS),
        ];
        let Some(cost) = now.limb.track(&way) else { continue };
        let twist = longarm_types::rotation_between(now.scene.tool().rot, way[0].rot).length();
        best.offer(cost + twist, way);
    }
    best.candidate()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use longarm_assets::Asset;
    use longarm_assets::objects::{Ladle, Sand, Shovel, Trough};
    use longarm_task::{Op, SoftForm, SoftKind, SoftState};

    use super::*;
    use crate::fixture::{Bench, goals, gripper_rigs, middle};

    const DEEP: f64 = 0.035;

    /// A trough in which something is 3.5 cm deep, a tool held over it.
    fn bench(rig: longarm_assets::RigName, tool: Asset) -> Bench {
        let c = middle(rig);
        let at = |p: DVec3| Pose::new(p, Default::default());
        let size = [0.12, 0.18, 0.05];
        let objects = [
            ("trough", Asset::from(Trough { size }), at(c)),
            ("matter", Asset::from(Sand::bed([0.1, 0.1, DEEP])), at(c)),
            ("tool", tool, at(c + DVec3::Y * 0.2)),
        ];
        let mut bench = Bench::new(rig, &objects);
        let points: Vec<DVec3> = (0..36)
            .map(|k| c + DVec3::new(0.01 * f64::from(k % 6), 0.0, DEEP * f64::from(k / 6) / 5.0))
            .map(|p| p + DVec3::Z * 0.006)
            .collect();
        let kind = SoftKind::Particles { material: vec![0; points.len()] };
        let form = Arc::new(SoftForm { rest: points.clone(), radius: 0.002, kind });
        let body = bench.body("matter");
        bench.now.soft.push(SoftState { body, form, points, speed: 0.0 });
        bench.hold("tool", bench.limb.easy(c.with_z(0.25)));
        bench
    }

    fn scoop() -> Op {
        Op::Scoop { tool: "tool".into(), matter: "matter".into(), from: "trough".into() }
    }

    #[test]
    fn a_cup_goes_under_and_comes_up_level() {
        let mut dipped = 0;
        for rig in gripper_rigs() {
            let bench = bench(rig, Ladle { radius: 0.03, height: 0.025 }.into());
            let held =
                bench.now.bodies[bench.body("tool")].pose.inverse() * bench.now.hands[0].pose;
            let motions = bench.script(&scoop()).motions;
            if !motions.contains(&Motion::Wait(FILL)) {
                continue;
            }
            let cups: Vec<Pose> = goals(&motions).iter().map(|t| *t * held.inverse()).collect();
            let low = cups.iter().map(|c| c.pos.z).fold(f64::MAX, f64::min);
            assert!(low > 0.005 && low + 0.025 < 0.006 + DEEP, "{rig}: {low}");
            let last = cups.last().unwrap();
            assert!(last.pos.z > 0.1 && last.dir(DVec3::Z).z > 0.99, "{rig}: {last:?}");
            dipped += 1;
        }
        assert!(dipped > 0);
    }

    #[test]
    fn a_lip_goes_in_pointing_down_and_comes_out_pointing_up() {
        let mut drawn = 0;
        for rig in gripper_rigs() {
            let tool = Shovel { size: [0.07, 0.06, 0.03] };
            let bench = bench(rig, tool.into());
            let held =
                bench.now.bodies[bench.body("tool")].pose.inverse() * bench.now.hands[0].pose;
            let motions = bench.script(&scoop()).motions;
            let ways: Vec<Pose> = goals(&motions).iter().map(|t| *t * held.inverse()).collect();
            let lip = |p: &Pose| p.point(DVec3::new(0.035, 0.0, 0.003));
            let Some(deep) = ways.iter().position(|p| lip(p).z < 0.015) else { continue };
            assert!(ways[deep].dir(DVec3::X).z < -0.2, "{rig}: {:?}", ways[deep]);
            let last = ways.last().unwrap();
            assert!(last.dir(DVec3::X).z > 0.2 && lip(last).z > 0.1, "{rig}: {last:?}");
            let c = middle(rig);
            for p in &ways[deep..] {
                let off = (lip(p) - c).abs();
                assert!(off.x < 0.06 && off.y < 0.09, "{rig}: {off}");
            }
            drawn += 1;
        }
        assert!(drawn > 0);
    }
}
