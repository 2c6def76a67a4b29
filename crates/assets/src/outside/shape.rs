//! What was read of a model: checked numbers, meshes and pictures.

use std::collections::BTreeMap;

use longarm_types::{Bounds, DVec3, Pose};

use super::picture::Picture;
use crate::mesh::TriMesh;

/// The shape of a geom, MuJoCo's half sizes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form {
    Box([f64; 3]),
    Sphere(f64),
    Cylinder(f64, f64),
    Capsule(f64, f64),
    Ellipsoid([f64; 3]),
    Mesh(String, TriMesh),
}

impl Form {
    /// Volume, for masses.
    pub fn volume(&self) -> f64 {
        use std::f64::consts::PI;
        match self {
            Self::Box([x, y, z]) => 8.0 * x * y * z,
            Self::Sphere(r) => 4.0 / 3.0 * PI * r * r * r,
            Self::Cylinder(r, h) => 2.0 * PI * r * r * h,
            Self::Capsule(r, h) => 2.0 * PI * r * r * h + 4.0 / 3.0 * PI * r * r * r,
            Self::Ellipsoid([x, y, z]) => 4.0 / 3.0 * PI * x * y * z,
            Self::Mesh(_, m) => m.volume().abs(),
        }
    }

    /// Box around it, in the frame of a pose.
    pub fn bounds(&self, pose: &Pose) -> (DVec3, DVec3) {
        let half = match self {
            Self::Box(h) | Self::Ellipsoid(h) => *h,
            Self::Sphere(r) => [*r; 3],
            Self::Cylinder(r, h) => [*r, *r, *h],
            Self::Capsule(r, h) => [*r, *r, h + r],
            Self::Mesh(_, m) => {
                let all = m.positions.iter().map(|p| pose.point(DVec3::from(p.map(f64::from))));
                return span(all);
            }
        };
        if let Self::Sphere(r) = self {
            return (pose.pos - DVec3::splat(*r), pose.pos + DVec3::splat(*r));
        }
        let b = Bounds { centre: [0.0; 3], half };
        let (c, h) = (b.centre_in(pose), b.half_in(pose));
        (c - h, c + h)
    }
}

/// Lowest and highest corner of points.
pub(super) fn span(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::MAX, DVec3::MIN), |(lo, hi), p| (lo.min(p), hi.max(p)))
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Look {
    pub rgba: [f32; 4],
    pub specular: f64,
    pub shininess: f64,
    /// Path of a picture.
    pub texture: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct GeomRead {
    pub name: Option<String>,
    pub pose: Pose,
    pub form: Form,
    pub solid: bool,
    pub seen: bool,
    pub mass: Option<f64>,
    pub density: f64,
    pub friction: Option<[f64; 3]>,
    pub condim: i64,
    pub look: Look,
}

impl GeomRead {
    /// Mass before the object's own is shared out.
    pub fn weight(&self) -> f64 {
        if !self.solid {
            return 0.0;
        }
        self.mass.unwrap_or_else(|| self.density * self.form.volume())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct JointRead {
    pub hinge: bool,
    pub axis: [f64; 3],
    pub pos: [f64; 3],
    pub range: [f64; 2],
    pub damping: f64,
    pub armature: f64,
    pub frictionloss: f64,
}

/// A body with a joint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartRead {
    pub name: String,
    pub pose: Pose,
    pub joint: JointRead,
    pub geoms: Vec<GeomRead>,
}

/// A whole model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Tree {
    pub geoms: Vec<GeomRead>,
    pub parts: Vec<PartRead>,
    pub pictures: BTreeMap<String, Picture>,
    pub faces: usize,
}

impl Tree {
    /// Every geom with its pose in the object's frame.
    pub fn all(&self) -> impl Iterator<Item = (Pose, &GeomRead)> {
        let own = self.geoms.iter().map(|g| (g.pose, g));
        own.chain(self.parts.iter().flat_map(|p| p.geoms.iter().map(|g| (p.pose * g.pose, g))))
    }

    /// Move everything up.
    pub fn lift(&mut self, by: f64) {
        let up = DVec3::Z * by;
        self.geoms.iter_mut().for_each(|g| g.pose.pos += up);
        self.parts.iter_mut().for_each(|p| p.pose.pos += up);
    }
}
