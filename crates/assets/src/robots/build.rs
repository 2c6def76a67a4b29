//! From a robot's numbers to MJCF.

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::look::{self, Paint};
use super::{Finger, Gripper, RobotSpec, fingers};
use crate::mesh::TriMesh;
use crate::{CameraMount, CameraSpec, Geom, Joint, Mjcf, Shape};

/// Collision bits. Arm links feel the world, the base and the hand but not each other; the hand
/// feels everything but the links next to it.
const ARM_BITS: &str = "contype=\"2\" conaffinity=\"1\"";

/// Rubber: grips well, takes part in every contact with its own numbers.
const PAD: &str = "condim=\"4\" solref=\"0.004 1\" solimp=\"0.95 0.99 0.001\" priority=\"1\"";

/// Stiffness and damping of the gripper's servo, per finger travel: 0.2 s from open to closed.
const GRIP_KP: f64 = 5000.0;
const GRIP_KV: f64 = 200.0;
/// Limit of the servo, shared by both fingers.
const GRIP_FORCE: f64 = 60.0;

/// Writes the robot standing at `mount`, with the cameras that ride on its hand.
///
/// The arm's actuators are position servos named after their joints; `robot/gripper` takes the
/// travel of each finger in metres, 0 closed.
pub fn build(spec: &RobotSpec, mount: &Pose, cameras: &[CameraSpec], out: &mut Mjcf) {
    write_link(spec, 0, mount, cameras, out);
    for l in &spec.links {
        if let Some(j) = &l.joint {
            let [lo, hi] = j.range;
            out.section(
                "actuator",
                &format!(
                    "<position name=\"robot/{0}\" joint=\"robot/{0}\" kp=\"{1}\" kv=\"{2}\" ctrlrange=\"{lo} {hi}\" forcerange=\"-{3} {3}\"/>",
                    j.name, j.kp, j.kv, j.force
                ),
            );
        }
    }
    if let (Gripper::Parallel { opening, .. }, Some(pair)) = (&spec.gripper, fingers(spec.name)) {
        let [a, b] = pair.each_ref().map(|f| f.joint);
        out.section(
            "tendon",
            &format!(
                "<fixed name=\"robot/grip\"><joint joint=\"robot/{a}\" coef=\"0.5\"/><joint joint=\"robot/{b}\" coef=\"0.5\"/></fixed>"
            ),
        );
        out.section(
            "equality",
            &format!(
                "<joint name=\"robot/mirror\" joint1=\"robot/{a}\" joint2=\"robot/{b}\" polycoef=\"0 1 0 0 0\" solref=\"0.004 1\" solimp=\"0.95 0.99 0.001\"/>"
            ),
        );
        let travel = opening / 2.0;
        out.section(
            "actuator",
            &format!(
                "<position name=\"robot/gripper\" tendon=\"robot/grip\" kp=\"{GRIP_KP}\" kv=\"{GRIP_KV}\" ctrlrange=\"0 {travel}\" forcerange=\"-{GRIP_FORCE} {GRIP_FORCE}\"/>"
            ),
        );
    }
    excludes(spec, out);
}

/// Pairs that overlap by construction.
fn excludes(spec: &RobotSpec, out: &mut Mjcf) {
    let mut pair = |a: &str, b: &str| {
        out.section("contact", &format!("<exclude body1=\"robot/{a}\" body2=\"robot/{b}\"/>"));
    };
    let name = |i: usize| spec.links[i].name;
    // The base counts as world, so MuJoCo does not filter it against its child by itself.
    pair(name(0), name(1));
    pair(name(0), name(2));
    let near: Vec<&str> = (spec.hand.saturating_sub(3)..spec.hand).map(name).collect();
    for l in &near {
        pair(l, name(spec.hand));
    }
    if let Some([a, b]) = fingers(spec.name) {
        pair(a.name, b.name);
        for f in [a.name, b.name] {
            near.iter().for_each(|l| pair(l, f));
        }
    }
}

fn write_link(spec: &RobotSpec, i: usize, mount: &Pose, cameras: &[CameraSpec], out: &mut Mjcf) {
    let l = &spec.links[i];
    let pose = if l.parent.is_none() { *mount * l.pose } else { l.pose };
    out.open_with(&format!("robot/{}", l.name), &pose, "gravcomp=\"1\"");
    out.inertial(l.mass, &l.com, l.inertia);
    if let Some(j) = &l.joint {
        out.joint(&Joint {
            name: format!("robot/{}", j.name),
            hinge: true,
            axis: j.axis,
            pos: [0.0; 3],
            range: j.range,
            damping: j.damping,
            armature: j.armature,
            frictionloss: 0.0,
        });
    }
    look::link(spec.name, l.name, out);
    for (shape, pose) in look::solids(spec.name, l.name) {
        let solid = Geom::solid(shape).at(pose).friction([0.5, 0.005, 0.0001]);
        let arm = i != 0 && i != spec.hand;
        out.geom(if arm { solid.with(ARM_BITS) } else { solid });
    }
    if l.parent.is_none() {
        stand(spec, &pose, out);
    }
    if i == spec.hand {
        hand(spec, cameras, out);
    }
    for child in (0..spec.links.len()).filter(|&c| spec.links[c].parent == Some(i)) {
        write_link(spec, child, mount, cameras, out);
    }
    out.close();
}

/// What the base stands on: a plate on the table, on a column if the mount is above it.
fn stand(spec: &RobotSpec, base: &Pose, out: &mut Mjcf) {
    let paint = Paint::Aluminium.surface(out);
    let world = base.inverse();
    let foot = look::footprint(spec.name);
    let height = base.pos.z;
    let place = |z: f64| {
        world * Pose::new(DVec3::new(base.pos.x + foot.shift, base.pos.y, z), DQuat::IDENTITY)
    };
    let plate =
        |half: [f64; 2], thick: f64| TriMesh::rounded_box([half[0], half[1], thick], 0.002, 1);
    const T: f64 = 0.004;
    if height > 0.03 {
        let [x, y] = foot.half;
        let low = out.mesh("robot_foot", || plate([x + 0.025, y + 0.025], T));
        out.geom(Geom::visual(low, paint.clone()).at(place(T)));
        let high = out.mesh("robot_plate", || plate([x, y], T));
        out.geom(Geom::visual(high, paint.clone()).at(place(height - T)));
        let (cx, cy, ch) = (x - 0.015, y - 0.015, height / 2.0);
        let column = out.mesh("robot_column", || TriMesh::rounded_box([cx, cy, ch - T], 0.006, 2));
        let riser = Paint::Riser.surface(out);
        out.geom(Geom::visual(column, riser).at(place(ch)));
        out.geom(Geom::solid(Shape::Box([x, y, ch])).at(place(ch)));
    } else {
        let [x, y] = foot.half;
        let thick = (height / 2.0).max(T);
        let low = out.mesh("robot_foot", || plate([x + 0.02, y + 0.02], thick));
        out.geom(Geom::visual(low, paint).at(place(thick)));
    }
}

fn hand(spec: &RobotSpec, cameras: &[CameraSpec], out: &mut Mjcf) {
    out.site("robot/tool", &spec.tool);
    for c in cameras {
        if let CameraMount::Tool(pose) = &c.mount {
            let pose = spec.tool * *pose;
            out.camera(&c.name, &pose, c.fovy);
            camera_body(spec, &pose, out);
        }
    }
    if let (Gripper::Parallel { opening, pad }, Some(pair)) = (&spec.gripper, fingers(spec.name)) {
        for (finger, side) in pair.iter().zip(["left", "right"]) {
            write_finger(spec, finger, side, opening / 2.0, *pad, out);
        }
    }
}

fn write_finger(
    spec: &RobotSpec,
    f: &Finger,
    side: &str,
    travel: f64,
    pad: [f64; 2],
    out: &mut Mjcf,
) {
    out.open_with(&format!("robot/{}", f.name), &f.pose, "gravcomp=\"1\"");
    out.inertial(f.mass, &f.com, f.inertia);
    out.joint(&Joint {
        name: format!("robot/{}", f.joint),
        hinge: false,
        axis: f.axis,
        pos: [0.0; 3],
        range: [0.0, travel],
        damping: 1.0,
        armature: 0.05,
        frictionloss: 0.0,
    });
    look::finger(spec.name, &f.pad, out);
    for (shape, pose) in look::finger_solids(spec.name) {
        out.geom(Geom::solid(shape).at(f.pad * pose).friction([0.5, 0.005, 0.0001]));
    }
    const THICK: f64 = 0.0025;
    let solid = Geom::solid(Shape::Box([pad[0], THICK, pad[1]]))
        .at(f.pad * Pose::at(0.0, THICK, 0.0))
        .friction([1.0, 0.02, 0.0001])
        .with(PAD)
        .named(format!("robot/pad_{side}"));
    out.geom(solid);
    let shape = out.mesh("robot_pad", || TriMesh::rounded_box([pad[0], THICK, pad[1]], 0.001, 1));
    let rubber = Paint::Rubber.surface(out);
    out.geom(Geom::visual(shape, rubber).at(f.pad * Pose::at(0.0, THICK, 0.0)));
    out.close();
}

/// A small camera whose lens looks along the camera's −z, and the bracket that carries it.
fn camera_body(spec: &RobotSpec, camera: &Pose, out: &mut Mjcf) {
    let black = Paint::Black.surface(out);
    let glass = Paint::Glass.surface(out);
    let silver = Paint::Aluminium.surface(out);
    // Everything lies behind the lens plane, out of its own view.
    let case = out.mesh("robot_camera", || TriMesh::rounded_box([0.036, 0.0115, 0.0105], 0.008, 2));
    out.geom(Geom::visual(case, silver).at(*camera * Pose::at(0.0, 0.0, 0.0125)));
    let front =
        out.mesh("robot_camera_front", || TriMesh::rounded_box([0.033, 0.0085, 0.001], 0.001, 1));
    out.geom(Geom::visual(front, black.clone()).at(*camera * Pose::at(0.0, 0.0, 0.0022)));
    let lens = out.mesh("robot_camera_lens", || TriMesh::cylinder(0.0055, 0.0006, 0.0003, 20));
    for x in [-0.02, 0.0, 0.02] {
        out.geom(Geom::visual(lens.clone(), glass.clone()).at(*camera * Pose::at(x, 0.0, 0.0012)));
    }
    // The bracket runs from the back of the case to the nearest point of the hand's axis.
    let start = camera.point(DVec3::new(0.0, 0.0, 0.02));
    let axis = spec.tool.dir(DVec3::Z);
    let along = (start - spec.tool.pos).dot(axis);
    let end = spec.tool.pos + axis * (along - 0.01);
    let span = end - start;
    let length = span.length();
    if length > 0.02 {
        let z = span / length;
        let y = spec.tool.dir(DVec3::Y);
        let y = (y - z * y.dot(z)).normalize_or(DVec3::Y);
        let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
        let arm = out.mesh("robot_camera_arm", || {
            TriMesh::rounded_box([0.003, 0.012, length / 2.0], 0.0015, 1)
        });
        out.geom(Geom::visual(arm, black).at(Pose::new(start + span / 2.0, rot)));
    }
}
