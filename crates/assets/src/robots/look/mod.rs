//! How robots look and where they are solid. Shapes are ours; proportions follow the real arms.

mod arx_r5;
mod leap;
mod panda;
mod parts;
mod tidybot;
mod ur5e;
mod xarm7;

use std::fmt;

use longarm_types::{DQuat, DVec3, Pose};

use crate::{Mjcf, Shape, Surface};

pub(super) use arx_r5::LOOK as ARX_LOOK;
pub(super) use leap::{LeapLook, OnArm};
pub(super) use panda::LOOK as PANDA_LOOK;
pub(super) use tidybot::LOOK as TIDYBOT_LOOK;
pub(super) use ur5e::UrLook;
pub(super) use xarm7::LOOK as XARM_LOOK;

/// The paints robots are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Paint {
    /// Brushed metal plates.
    Aluminium,
    /// Powder-coated columns.
    Riser,
    /// Finger pads and cups.
    Rubber,
    /// Satin black plastic.
    Black,
    /// Lenses.
    Glass,
    /// Panda's shells.
    White,
    /// Panda's joints and hand.
    Graphite,
    /// UR's tubes.
    Silver,
    /// UR's joint housings.
    Steel,
    /// UR's caps.
    Blue,
    /// ARX's links.
    Matte,
    /// ARX's joints.
    Slate,
    /// ARX's stripes.
    Accent,
}

impl Paint {
    /// The material, added to the model once.
    pub(super) fn surface(self, out: &mut Mjcf) -> Surface {
        let (name, [r, g, b], specular, shininess) = match self {
            Self::Aluminium => ("aluminium", [0.66, 0.67, 0.69], 0.4, 0.4),
            Self::Riser => ("riser", [0.34, 0.36, 0.39], 0.2, 0.3),
            Self::Rubber => ("rubber", [0.13, 0.13, 0.14], 0.05, 0.1),
            Self::Black => ("black", [0.10, 0.10, 0.11], 0.3, 0.4),
            Self::Glass => ("glass", [0.03, 0.04, 0.08], 0.9, 0.9),
            Self::White => ("white", [0.92, 0.92, 0.91], 0.35, 0.6),
            Self::Graphite => ("graphite", [0.25, 0.26, 0.28], 0.25, 0.4),
            Self::Silver => ("silver", [0.72, 0.73, 0.75], 0.45, 0.5),
            Self::Steel => ("steel", [0.56, 0.57, 0.59], 0.4, 0.5),
            Self::Blue => ("blue", [0.36, 0.60, 0.78], 0.3, 0.5),
            Self::Matte => ("matte", [0.145, 0.148, 0.156], 0.15, 0.25),
            Self::Slate => ("slate", [0.29, 0.295, 0.31], 0.25, 0.35),
            Self::Accent => ("accent", [0.80, 0.33, 0.16], 0.2, 0.4),
        };
        let attributes = format!("specular=\"{specular}\" shininess=\"{shininess}\"");
        out.material(&format!("robot_{name}"), [r, g, b, 1.0], &attributes)
    }
}

/// What a base needs to stand on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footprint {
    /// Half size along the world's x and y.
    pub half: [f64; 2],
    /// Where its middle is ahead of the base's axis.
    pub shift: f64,
}

/// How links look and where they are solid, by name.
pub trait Look: fmt::Debug + Send + Sync {
    /// Draw a link into the open body.
    fn link(&self, name: &str, out: &mut Mjcf);

    /// Return where a link is solid.
    fn solids(&self, name: &str) -> Vec<(Shape, Pose)>;

    /// Draw a gripper's finger; its pad's frame is given.
    fn finger(&self, _pad: &Pose, _out: &mut Mjcf) {}

    /// Return where a gripper's finger is solid besides its pad, in the pad's frame.
    fn finger_solids(&self) -> Vec<(Shape, Pose)> {
        Vec::new()
    }

    /// Return the plate under the first link.
    fn footprint(&self) -> Footprint;
}

/// The look of an arm with a gripper, function by function.
#[derive(Debug)]
pub(super) struct GripperLook {
    link: fn(&str, &mut Mjcf),
    solids: fn(&str) -> Vec<(Shape, Pose)>,
    finger: fn(&Pose, &mut Mjcf),
    finger_solids: fn() -> Vec<(Shape, Pose)>,
    footprint: Footprint,
}

impl Look for GripperLook {
    fn link(&self, name: &str, out: &mut Mjcf) {
        (self.link)(name, out);
    }

    fn solids(&self, name: &str) -> Vec<(Shape, Pose)> {
        (self.solids)(name)
    }

    fn finger(&self, pad: &Pose, out: &mut Mjcf) {
        (self.finger)(pad, out);
    }

    fn finger_solids(&self) -> Vec<(Shape, Pose)> {
        (self.finger_solids)()
    }

    fn footprint(&self) -> Footprint {
        self.footprint
    }
}

/// A capsule whose round ends are centred on two points.
fn rod(a: [f64; 3], b: [f64; 3], radius: f64) -> (Shape, Pose) {
    let (a, b) = (DVec3::from(a), DVec3::from(b));
    let d = b - a;
    let rot = DQuat::from_rotation_arc(DVec3::Z, d.normalize_or(DVec3::Z));
    (Shape::Capsule(radius, d.length() / 2.0), Pose::new((a + b) / 2.0, rot))
}

/// A box by half size and centre.
fn brick(half: [f64; 3], at: [f64; 3]) -> (Shape, Pose) {
    (Shape::Box(half), Pose::new(at.into(), DQuat::IDENTITY))
}
