//! The solid shapes of a world, as media meet them.

use longarm_task::BodyId;
use longarm_types::{DMat3, DQuat, DVec3, Pose};
use mujoco_rs::prelude::*;

use crate::contacts::Owner;

/// A solid shape about its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolidShape {
    /// Everything below z = 0.
    Plane,
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A rod with round ends along z.
    Capsule {
        /// Radius.
        radius: f64,
        /// From the middle to the centre of either end.
        half: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Half its length.
        half: f64,
    },
    /// A box by half its size.
    Box(DVec3),
    /// Anything else, by the ball around it.
    Other {
        /// Radius of the ball.
        radius: f64,
    },
}

impl SolidShape {
    /// Return the distance of a point of the shape's frame from its surface, negative inside, and
    /// the direction away from it.
    pub fn distance(&self, p: DVec3) -> (f64, DVec3) {
        let from = |centre: DVec3, radius: f64| {
            let d = p - centre;
            (d.length() - radius, d.normalize_or(DVec3::Z))
        };
        match *self {
            Self::Plane => (p.z, DVec3::Z),
            Self::Sphere { radius } | Self::Other { radius } => from(DVec3::ZERO, radius),
            Self::Capsule { radius, half } => from(DVec3::Z * p.z.clamp(-half, half), radius),
            Self::Cylinder { radius, half } => {
                let flat = DVec3::new(p.x, p.y, 0.0);
                let side = flat.normalize_or(DVec3::X);
                let along = DVec3::Z * p.z.signum();
                let (out, up) = (flat.length() - radius, p.z.abs() - half);
                match (out > 0.0, up > 0.0) {
                    (true, true) => {
                        let d = side * out + along * up;
                        (d.length(), d.normalize_or(DVec3::Z))
                    }
                    _ if out > up => (out, side),
                    _ => (up, along),
                }
            }
            Self::Box(half) => {
                let d = p.abs() - half;
                let sign = DVec3::new(p.x.signum(), p.y.signum(), p.z.signum());
                let outside = d.max(DVec3::ZERO);
                if outside != DVec3::ZERO {
                    return (outside.length(), (outside * sign).normalize_or(DVec3::Z));
                }
                let axis = [DVec3::X, DVec3::Y, DVec3::Z];
                let nearest = (0..3).max_by(|&i, &j| d[i].total_cmp(&d[j])).unwrap_or(2);
                (d[nearest], axis[nearest] * sign[nearest])
            }
        }
    }
}

/// A solid geom of the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolidGeom {
    geom: usize,
    body: usize,
    shape: SolidShape,
    owner: Owner,
}

/// Finds the geoms that are felt.
pub(crate) fn solid_geoms(model: &MjModel, owners: &[Owner]) -> Vec<SolidGeom> {
    let felt = |g: &usize| model.geom_contype()[*g] != 0 || model.geom_conaffinity()[*g] != 0;
    let solid = |geom: usize| {
        let [a, b, c] = model.geom_size()[geom];
        let shape = match model.geom_type()[geom] {
            MjtGeomBase::mjGEOM_PLANE => SolidShape::Plane,
            MjtGeomBase::mjGEOM_SPHERE => SolidShape::Sphere { radius: a },
            MjtGeomBase::mjGEOM_CAPSULE => SolidShape::Capsule { radius: a, half: b },
            MjtGeomBase::mjGEOM_CYLINDER => SolidShape::Cylinder { radius: a, half: b },
            MjtGeomBase::mjGEOM_BOX => SolidShape::Box(DVec3::new(a, b, c)),
            _ => SolidShape::Other { radius: model.geom_rbound()[geom] },
        };
        let body = model.geom_bodyid()[geom] as usize;
        SolidGeom { geom, body, shape, owner: owners[geom] }
    };
    (0..model.ffi().ngeom as usize).filter(felt).map(solid).collect()
}

/// The solid shapes of a world at one moment, numbered from 0.
pub struct Solids<'a> {
    pub(crate) data: &'a mut MjData<Box<MjModel>>,
    pub(crate) geoms: &'a [SolidGeom],
}

impl Solids<'_> {
    /// Return how many there are.
    pub fn len(&self) -> usize {
        self.geoms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.geoms.is_empty()
    }

    /// Return a shape.
    pub fn shape(&self, solid: usize) -> SolidShape {
        self.geoms[solid].shape
    }

    /// Return the tracked body it belongs to; `None` for a robot.
    pub fn body(&self, solid: usize) -> Option<BodyId> {
        match self.geoms[solid].owner {
            Owner::Body(b) => Some(b),
            Owner::Limb { .. } => None,
        }
    }

    /// Return where a shape is.
    pub fn pose(&self, solid: usize) -> Pose {
        let geom = self.geoms[solid].geom;
        let m = self.data.geom_xmat()[geom];
        let m = DMat3::from_cols_array(&[m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]]);
        Pose::new(DVec3::from(self.data.geom_xpos()[geom]), DQuat::from_mat3(&m).normalize())
    }

    /// Return the velocity of the point of its body that is at `point` now.
    pub fn velocity(&self, solid: usize, point: DVec3) -> DVec3 {
        let body = self.geoms[solid].body;
        let [rx, ry, rz, x, y, z] = self.data.cvel()[body];
        let root = self.data.model().body_rootid()[body] as usize;
        let about = DVec3::from(self.data.subtree_com()[root]);
        DVec3::new(x, y, z) + DVec3::new(rx, ry, rz).cross(point - about)
    }

    /// Push its body with a force at a point for this physics step.
    pub fn push(&mut self, solid: usize, point: DVec3, force: DVec3) {
        let body = self.geoms[solid].body;
        let arm = point - DVec3::from(self.data.xipos()[body]);
        let torque = arm.cross(force);
        let all = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
        for (sum, f) in self.data.xfrc_applied_mut()[body].iter_mut().zip(all) {
            *sum += f;
        }
    }
}
