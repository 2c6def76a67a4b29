//! The solid shapes of a world, as media meet them.

use std::sync::Arc;

use longarm_soft::{Field, Shape, Solid};
use longarm_types::{DMat3, DQuat, DVec3, Pose};
use mujoco_rs::prelude::*;

use crate::contacts::Owner;

/// A solid geom of the model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolidGeom {
    pub(crate) geom: usize,
    pub(crate) body: usize,
    /// It never moves within an episode.
    pub(crate) fixed: bool,
    pub(crate) owner: Owner,
}

/// Edges of boxes are rounded by this, where they are thick enough: a corner of cloth slides over.
const ROUND: f64 = 0.001;
/// Cells along the longest side of a sampled mesh.
const CELLS: f64 = 40.0;

/// Find the geoms that are felt, with their shapes.
pub(crate) fn solid_geoms(model: &MjModel, owners: &[Owner]) -> (Vec<SolidGeom>, Vec<Solid>) {
    let felt = |g: &usize| model.geom_contype()[*g] != 0 || model.geom_conaffinity()[*g] != 0;
    let solid = |geom: usize| {
        let body = model.geom_bodyid()[geom] as usize;
        let fixed = model.body_weldid()[body] == 0;
        let found = SolidGeom { geom, body, fixed, owner: owners[geom] };
        let friction = model.geom_friction()[geom][0];
        (found, Solid::new(shape(model, geom), Pose::IDENTITY, friction))
    };
    (0..model.ffi().ngeom as usize).filter(felt).map(solid).unzip()
}

fn shape(model: &MjModel, geom: usize) -> Shape {
    let [a, b, c] = model.geom_size()[geom];
    let cube = |half: DVec3| {
        let round = if half.min_element() > 2.0 * ROUND { ROUND } else { 0.0 };
        Shape::Box { half, round }
    };
    match model.geom_type()[geom] {
        MjtGeomBase::mjGEOM_PLANE => Shape::Plane,
        MjtGeomBase::mjGEOM_SPHERE => Shape::Sphere { radius: a },
        MjtGeomBase::mjGEOM_CAPSULE => Shape::Capsule { radius: a, half: b },
        MjtGeomBase::mjGEOM_CYLINDER => Shape::Cylinder { radius: a, half: b, round: 0.0 },
        MjtGeomBase::mjGEOM_BOX => cube(DVec3::new(a, b, c)),
        MjtGeomBase::mjGEOM_MESH => sampled(model, geom)
            .map_or_else(|| cube(DVec3::new(a, b, c)), |field| Shape::Sampled(Arc::new(field))),
        // Ellipsoids and height fields by their box.
        _ => cube(DVec3::new(a, b, c)),
    }
}

/// The distances of a mesh, if it is closed.
fn sampled(model: &MjModel, geom: usize) -> Option<Field> {
    let mesh = usize::try_from(model.geom_dataid()[geom]).ok()?;
    let (v, n) = (model.mesh_vertadr()[mesh] as usize, model.mesh_vertnum()[mesh] as usize);
    let (f, m) = (model.mesh_faceadr()[mesh] as usize, model.mesh_facenum()[mesh] as usize);
    let vertices: Vec<DVec3> =
        model.mesh_vert()[v..v + n].iter().map(|p| DVec3::from(p.map(f64::from))).collect();
    let triangles: Vec<[u32; 3]> =
        model.mesh_face()[f..f + m].iter().map(|t| t.map(|i| i as u32)).collect();
    let all = |f: fn(DVec3, DVec3) -> DVec3| vertices.iter().copied().reduce(f);
    let size = (all(DVec3::max)? - all(DVec3::min)?).max_element();
    Field::of_mesh(&vertices, &triangles, size / CELLS).ok()
}

/// Return where a geom is.
pub(crate) fn pose_of(data: &MjData<Box<MjModel>>, geom: usize) -> Pose {
    let m = data.geom_xmat()[geom];
    let m = DMat3::from_cols_array(&[m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]]);
    Pose::new(DVec3::from(data.geom_xpos()[geom]), DQuat::from_mat3(&m).normalize())
}

/// Push a body with a force and a torque about a point, for the physics step to come.
pub(crate) fn push(
    data: &mut MjData<Box<MjModel>>,
    body: usize,
    about: DVec3,
    [force, torque]: [DVec3; 2],
) {
    if force == DVec3::ZERO && torque == DVec3::ZERO {
        return;
    }
    let torque = torque + (about - DVec3::from(data.xipos()[body])).cross(force);
    let all = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
    for (sum, f) in data.xfrc_applied_mut()[body].iter_mut().zip(all) {
        *sum += f;
    }
}
