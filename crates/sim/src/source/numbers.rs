//! A compiled model as plain numbers, to be compared with another.

use mujoco_rs::prelude::*;

use super::SourceWorld;

/// Names and numbers of a compiled model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelNumbers {
    /// How many of each kind of element there are.
    pub sizes: Vec<(&'static str, i64)>,
    /// Bodies, in order.
    pub bodies: Vec<ElementNumbers>,
    /// Joints, in order.
    pub joints: Vec<ElementNumbers>,
    /// Geoms, in order.
    pub geoms: Vec<ElementNumbers>,
}

/// An element's name and its numbers by what they are.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementNumbers {
    /// Its name; empty if it has none.
    pub name: String,
    /// What its numbers are, and these.
    pub numbers: Vec<(&'static str, Vec<f64>)>,
}

impl SourceWorld {
    /// Return the compiled model's numbers.
    pub fn numbers(&self) -> ModelNumbers {
        let model = self.data.model();
        let m = model.ffi();
        let name = |kind, i| model.id_to_name(kind, i).unwrap_or("").to_owned();
        let body = |i: usize| ElementNumbers {
            name: name(MjtObjBase::mjOBJ_BODY, i),
            numbers: vec![
                ("parent", vec![f64::from(model.body_parentid()[i])]),
                ("pos", model.body_pos()[i].to_vec()),
                ("quat", model.body_quat()[i].to_vec()),
                ("mass", vec![model.body_mass()[i]]),
                ("inertia", model.body_inertia()[i].to_vec()),
            ],
        };
        let joint = |i: usize| {
            let dof = model.jnt_dofadr()[i] as usize;
            ElementNumbers {
                name: name(MjtObjBase::mjOBJ_JOINT, i),
                numbers: vec![
                    ("axis", model.jnt_axis()[i].to_vec()),
                    ("range", model.jnt_range()[i].to_vec()),
                    ("frictionloss", vec![model.dof_frictionloss()[dof]]),
                    ("armature", vec![model.dof_armature()[dof]]),
                ],
            }
        };
        let geom = |i: usize| ElementNumbers {
            name: name(MjtObjBase::mjOBJ_GEOM, i),
            numbers: vec![
                ("body", vec![f64::from(model.geom_bodyid()[i])]),
                ("pos", model.geom_pos()[i].to_vec()),
                ("group", vec![f64::from(model.geom_group()[i])]),
                ("contype", vec![f64::from(model.geom_contype()[i])]),
                ("conaffinity", vec![f64::from(model.geom_conaffinity()[i])]),
                ("condim", vec![f64::from(model.geom_condim()[i])]),
                ("friction", model.geom_friction()[i].to_vec()),
                ("solref", model.geom_solref()[i].to_vec()),
                ("solimp", model.geom_solimp()[i].to_vec()),
            ],
        };
        let sizes = vec![
            ("nq", m.nq),
            ("nv", m.nv),
            ("nu", m.nu),
            ("nbody", m.nbody),
            ("njnt", m.njnt),
            ("ngeom", m.ngeom),
            ("nsite", m.nsite),
            ("ncam", m.ncam),
            ("nlight", m.nlight),
            ("nmesh", m.nmesh),
            ("ntex", m.ntex),
            ("nmat", m.nmat),
            ("nsensor", m.nsensor),
        ];
        ModelNumbers {
            sizes,
            bodies: (0..m.nbody as usize).map(body).collect(),
            joints: (0..m.njnt as usize).map(joint).collect(),
            geoms: (0..m.ngeom as usize).map(geom).collect(),
        }
    }
}
