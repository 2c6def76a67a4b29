//! From a robot's numbers to MJCF.

use longarm_types::{DMat3, DQuat, DVec3, Pose};

use super::look::Paint;
use super::{End, Gripper, GripperFinger, Hand, HandFinger, JointMotion, Limb, RobotJoint};
use crate::mesh::TriMesh;
use crate::{CameraMount, CameraSpec, Geom, Joint, Mjcf, Rig, RigLimb, Shape};

/// Rubber: grips well, takes part in every contact with its own numbers.
const PAD: &str = "condim=\"4\" solref=\"0.004 1\" solimp=\"0.95 0.99 0.001\" priority=\"1\"";

/// Stiffness and damping of the gripper's servo, per finger travel: 0.2 s from open to closed.
const GRIP_KP: f64 = 5000.0;
const GRIP_KV: f64 = 200.0;
/// Limit of the servo, shared by both fingers.
const GRIP_FORCE: f64 = 60.0;

/// Write a rig's robots with the cameras that ride on their hands.
///
/// Actuators are position servos named after their joints; `{prefix}gripper` takes the travel of
/// each finger in metres, 0 closed.
pub fn build(rig: &Rig, out: &mut Mjcf) {
    let limbs = rig.limbs();
    for (i, mounted) in rig.robots.iter().enumerate() {
        let robot = mounted.robot.spec();
        let prefix = rig.base_prefix(i);
        if let Some(base) = &robot.base {
            for (k, l) in base.links.iter().enumerate() {
                let pose = if k == 0 { mounted.mount * l.pose } else { l.pose };
                out.open(&format!("{prefix}{}", l.name), &pose);
                out.inertial(l.mass, &l.com, l.inertia);
                if let Some(j) = &l.joint {
                    joint(&prefix, j, out);
                    servo(&prefix, j, out);
                }
                base.look.link(&l.name, out);
                for (shape, pose) in base.look.solids(&l.name) {
                    out.geom(Geom::solid(shape).at(pose));
                }
            }
        }
        for limb in limbs.iter().filter(|l| l.robot == i) {
            let writer = Writer { rig: limb, limb: limb.spec(), cameras: &rig.cameras };
            writer.link(0, out);
            writer.servos(out);
            writer.excludes(out);
            if let Some(top) = robot.base.as_ref().and_then(|b| b.links.last()) {
                writer.clear_of(&format!("{prefix}{}", top.name), out);
            }
        }
        for _ in robot.base.iter().flat_map(|b| &b.links) {
            out.close();
        }
    }
}

/// Write a position servo.
fn servo(prefix: &str, j: &RobotJoint, out: &mut Mjcf) {
    let [lo, hi] = j.range;
    out.section(
        "actuator",
        &format!(
            "<position name=\"{prefix}{0}\" joint=\"{prefix}{0}\" kp=\"{1}\" kv=\"{2}\" ctrlrange=\"{lo} {hi}\" forcerange=\"-{3} {3}\"/>",
            j.name, j.kp, j.kv, j.force
        ),
    );
}

/// Write a joint into the open body.
fn joint(prefix: &str, j: &RobotJoint, out: &mut Mjcf) {
    out.joint(&Joint {
        name: format!("{prefix}{}", j.name),
        hinge: j.motion == JointMotion::Hinge,
        axis: j.axis,
        pos: [0.0; 3],
        range: j.range,
        damping: j.damping,
        armature: j.armature,
        frictionloss: 0.0,
    });
}

/// What a limb is written with.
struct Writer<'a> {
    rig: &'a RigLimb,
    limb: &'a Limb,
    cameras: &'a [CameraSpec],
}

impl Writer<'_> {
    /// The name of something of this limb in the model.
    fn name(&self, what: &str) -> String {
        format!("{}{what}", self.rig.prefix)
    }

    /// The name of a mesh of this limb.
    fn mesh(&self, what: &str) -> String {
        self.name(what).replace('/', "_")
    }

    fn servos(&self, out: &mut Mjcf) {
        let prefix = self.rig.prefix.as_str();
        for j in self.limb.joints() {
            servo(prefix, j, out);
        }
        match &self.limb.end {
            End::Suction(_) => {}
            End::Hand(hand) => {
                for (finger, j) in hand.joints() {
                    servo(&self.name(&format!("{finger}/")), j, out);
                }
            }
            End::Gripper(gripper) => {
                let [a, b] = gripper.fingers.each_ref().map(|f| &f.joint);
                out.section(
                    "tendon",
                    &format!(
                        "<fixed name=\"{prefix}grip\"><joint joint=\"{prefix}{a}\" coef=\"0.5\"/><joint joint=\"{prefix}{b}\" coef=\"0.5\"/></fixed>"
                    ),
                );
                out.section(
                    "equality",
                    &format!(
                        "<joint name=\"{prefix}mirror\" joint1=\"{prefix}{a}\" joint2=\"{prefix}{b}\" polycoef=\"0 1 0 0 0\" solref=\"0.004 1\" solimp=\"0.95 0.99 0.001\"/>"
                    ),
                );
                let travel = gripper.opening / 2.0;
                out.section(
                    "actuator",
                    &format!(
                        "<position name=\"{prefix}gripper\" tendon=\"{prefix}grip\" kp=\"{GRIP_KP}\" kv=\"{GRIP_KV}\" ctrlrange=\"0 {travel}\" forcerange=\"-{GRIP_FORCE} {GRIP_FORCE}\"/>"
                    ),
                );
            }
        }
    }

    /// Exclude pairs that overlap by construction.
    fn excludes(&self, out: &mut Mjcf) {
        let prefix = self.rig.prefix.as_str();
        let mut pair = |a: &str, b: &str| {
            out.section(
                "contact",
                &format!("<exclude body1=\"{prefix}{a}\" body2=\"{prefix}{b}\"/>"),
            );
        };
        let name = |i: usize| self.limb.links[i].name.as_str();
        // The base counts as world, so MuJoCo does not filter it against its child by itself.
        for i in 1..self.limb.links.len().min(3) {
            pair(name(0), name(i));
        }
        let hand = self.limb.hand;
        let near: Vec<&str> = (hand.saturating_sub(3)..hand).map(name).collect();
        for l in &near {
            pair(l, name(hand));
        }
        match &self.limb.end {
            End::Suction(_) => {}
            End::Gripper(gripper) => {
                let [a, b] = gripper.fingers.each_ref().map(|f| f.name.as_str());
                pair(a, b);
                for f in [a, b] {
                    near.iter().for_each(|l| pair(l, f));
                }
            }
            End::Hand(end) => {
                // The roots of fingers overlap the palm; their tips may touch each other.
                for f in &end.fingers {
                    for l in f.links.iter().take(2) {
                        let l = format!("{}/{}", f.name, l.name);
                        near.iter().chain([&name(hand)]).for_each(|n| pair(n, &l));
                    }
                }
            }
        }
    }

    /// Exclude the limb's lowest links against the base they stand on.
    fn clear_of(&self, base: &str, out: &mut Mjcf) {
        for link in self.limb.links.iter().take(3) {
            let link = self.name(&link.name);
            let pair = format!("<exclude body1=\"{base}\" body2=\"{link}\"/>");
            out.section("contact", &pair);
        }
    }

    fn link(&self, i: usize, out: &mut Mjcf) {
        let limb = self.limb;
        let l = &limb.links[i];
        let pose = match l.parent {
            Some(_) => l.pose,
            None if self.rig.rides() => limb.mount * l.pose,
            None => limb.standing(&self.rig.mount) * l.pose,
        };
        out.open_with(&self.name(&l.name), &pose, "gravcomp=\"1\"");
        out.inertial(l.mass, &l.com, l.inertia);
        if let Some(j) = &l.joint {
            joint(&self.rig.prefix, j, out);
        }
        limb.look.link(&l.name, out);
        for (shape, pose) in limb.look.solids(&l.name) {
            let solid = Geom::solid(shape).at(pose).friction([0.5, 0.005, 0.0001]);
            let arm = i != 0 && i != limb.hand;
            out.geom(if arm { solid.with(&self.rig.arm_bits()) } else { solid });
        }
        if l.parent.is_none() && !self.rig.rides() {
            self.stand(&pose, out);
        }
        if i == limb.hand {
            self.hand(out);
        }
        for child in (0..limb.links.len()).filter(|&c| limb.links[c].parent == Some(i)) {
            self.link(child, out);
        }
        out.close();
    }

    /// What the base stands on: a plate on the table, on a column if the mount is above it.
    fn stand(&self, base: &Pose, out: &mut Mjcf) {
        let paint = Paint::Aluminium.surface(out);
        let world = base.inverse();
        let foot = self.limb.look.footprint();
        let height = base.pos.z;
        let place = |z: f64| {
            world * Pose::new(DVec3::new(base.pos.x + foot.shift, base.pos.y, z), DQuat::IDENTITY)
        };
        let plate =
            |half: [f64; 2], thick: f64| TriMesh::rounded_box([half[0], half[1], thick], 0.002, 1);
        const T: f64 = 0.004;
        if height > 0.03 {
            let [x, y] = foot.half;
            let low = out.mesh(&self.mesh("foot"), || plate([x + 0.025, y + 0.025], T));
            out.geom(Geom::visual(low, paint.clone()).at(place(T)));
            let high = out.mesh(&self.mesh("plate"), || plate([x, y], T));
            out.geom(Geom::visual(high, paint.clone()).at(place(height - T)));
            let (cx, cy, ch) = (x - 0.015, y - 0.015, height / 2.0);
            let column =
                out.mesh(&self.mesh("column"), || TriMesh::rounded_box([cx, cy, ch - T], 0.006, 2));
            let riser = Paint::Riser.surface(out);
            out.geom(Geom::visual(column, riser).at(place(ch)));
            out.geom(Geom::solid(Shape::Box([x, y, ch])).at(place(ch)));
        } else {
            let [x, y] = foot.half;
            let thick = (height / 2.0).max(T);
            let low = out.mesh(&self.mesh("foot"), || plate([x + 0.02, y + 0.02], thick));
            out.geom(Geom::visual(low, paint).at(place(thick)));
        }
    }

    fn hand(&self, out: &mut Mjcf) {
        out.site(&self.name("tool"), &self.limb.tool);
        for c in self.cameras {
            if let CameraMount::Tool { limb, pose } = &c.mount
                && *limb == self.rig.name
            {
                let pose = self.limb.tool * *pose;
                out.camera(&c.name, &pose, c.fovy);
                self.camera_body(&pose, out);
            }
        }
        match &self.limb.end {
            End::Suction(_) => {}
            End::Gripper(gripper) => {
                for (finger, side) in gripper.fingers.iter().zip(["left", "right"]) {
                    self.finger(finger, side, gripper, out);
                }
            }
            End::Hand(hand) => {
                out.site(&self.name("palm"), &hand.palm);
                for finger in &hand.fingers {
                    self.finger_link(hand, finger, 0, out);
                }
            }
        }
    }

    /// Write a link of a hand's finger and those that hang on it.
    fn finger_link(&self, hand: &Hand, finger: &HandFinger, i: usize, out: &mut Mjcf) {
        let l = &finger.links[i];
        let name = format!("{}/{}", finger.name, l.name);
        out.open_with(&self.name(&name), &l.pose, "gravcomp=\"1\"");
        out.inertial(l.mass, &l.com, l.inertia);
        if let Some(j) = &l.joint {
            joint(&self.name(&format!("{}/", finger.name)), j, out);
        }
        hand.look.link(&name, out);
        for (shape, pose) in hand.look.solids(&name) {
            out.geom(Geom::solid(shape).at(pose).friction([1.0, 0.02, 0.0001]).with(PAD));
        }
        if i + 1 == finger.links.len() {
            out.site(&self.name(&format!("{}/tip", finger.name)), &finger.tip);
        }
        for child in (0..finger.links.len()).filter(|&c| finger.links[c].parent == Some(i)) {
            self.finger_link(hand, finger, child, out);
        }
        out.close();
    }

    fn finger(&self, f: &GripperFinger, side: &str, gripper: &Gripper, out: &mut Mjcf) {
        let pad = gripper.pad;
        out.open_with(&self.name(&f.name), &f.pose, "gravcomp=\"1\"");
        out.inertial(f.mass, &f.com, f.inertia);
        out.joint(&Joint {
            name: self.name(&f.joint),
            hinge: false,
            axis: f.axis,
            pos: [0.0; 3],
            range: [0.0, gripper.opening / 2.0],
            damping: 1.0,
            armature: 0.05,
            frictionloss: 0.0,
        });
        self.limb.look.finger(&f.pad, out);
        for (shape, pose) in self.limb.look.finger_solids() {
            out.geom(Geom::solid(shape).at(f.pad * pose).friction([0.5, 0.005, 0.0001]));
        }
        const THICK: f64 = 0.0025;
        let solid = Geom::solid(Shape::Box([pad[0], THICK, pad[1]]))
            .at(f.pad * Pose::at(0.0, THICK, 0.0))
            .friction([1.0, 0.02, 0.0001])
            .with(PAD)
            .named(self.name(&format!("pad_{side}")));
        out.geom(solid);
        let shape =
            out.mesh(&self.mesh("pad"), || TriMesh::rounded_box([pad[0], THICK, pad[1]], 0.001, 1));
        let rubber = Paint::Rubber.surface(out);
        out.geom(Geom::visual(shape, rubber).at(f.pad * Pose::at(0.0, THICK, 0.0)));
        out.close();
    }

    /// A small camera whose lens looks along the camera's −z, and the bracket that carries it.
    fn camera_body(&self, camera: &Pose, out: &mut Mjcf) {
        let black = Paint::Black.surface(out);
        let glass = Paint::Glass.surface(out);
        let silver = Paint::Aluminium.surface(out);
        // Everything lies behind the lens plane, out of its own view.
        let case = out
            .mesh(&self.mesh("camera"), || TriMesh::rounded_box([0.036, 0.0115, 0.0105], 0.008, 2));
        out.geom(Geom::visual(case, silver).at(*camera * Pose::at(0.0, 0.0, 0.0125)));
        let front = out.mesh(&self.mesh("camera_front"), || {
            TriMesh::rounded_box([0.033, 0.0085, 0.001], 0.001, 1)
        });
        out.geom(Geom::visual(front, black.clone()).at(*camera * Pose::at(0.0, 0.0, 0.0022)));
        let lens =
            out.mesh(&self.mesh("camera_lens"), || TriMesh::cylinder(0.0055, 0.0006, 0.0003, 20));
        for x in [-0.02, 0.0, 0.02] {
            out.geom(
                Geom::visual(lens.clone(), glass.clone()).at(*camera * Pose::at(x, 0.0, 0.0012)),
            );
        }
        // The bracket runs from the back of the case to the nearest point of the hand's axis.
        let start = camera.point(DVec3::new(0.0, 0.0, 0.02));
        let axis = self.limb.tool.dir(DVec3::Z);
        let along = (start - self.limb.tool.pos).dot(axis);
        let end = self.limb.tool.pos + axis * (along - 0.01);
        let span = end - start;
        let length = span.length();
        if length > 0.02 {
            let z = span / length;
            let y = self.limb.tool.dir(DVec3::Y);
            let y = (y - z * y.dot(z)).normalize_or(DVec3::Y);
            let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
            let arm = out.mesh(&self.mesh("camera_arm"), || {
                TriMesh::rounded_box([0.003, 0.012, length / 2.0], 0.0015, 1)
            });
            out.geom(Geom::visual(arm, black).at(Pose::new(start + span / 2.0, rot)));
        }
    }
}
