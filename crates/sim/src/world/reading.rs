//! What an arm feels of itself, read from MuJoCo's arrays.

use longarm_assets::kinematics::MAX_JOINTS;
use longarm_types::{DMat3, DVec3};
use mujoco_rs::prelude::*;

use crate::control::ArmReading;

type Square = [[f64; MAX_JOINTS]; MAX_JOINTS];

/// Read joints, tool, Jacobian and inertia of an arm of hinges and slides.
pub(crate) fn read_arm(
    data: &MjData<Box<MjModel>>,
    qpos: &[usize],
    qvel: &[usize],
    tool: usize,
) -> ArmReading {
    let dof = qvel.len();
    let model = data.model();
    let position = DVec3::from(data.site_xpos()[tool]);
    let mut out = ArmReading {
        dof,
        joints: [0.0; MAX_JOINTS],
        velocities: [0.0; MAX_JOINTS],
        position,
        rotation: rows_to_mat(&data.site_xmat()[tool]),
        jacobian: [[0.0; MAX_JOINTS]; 6],
        mass: mass(data, qvel),
    };
    for i in 0..dof {
        out.joints[i] = data.qpos()[qpos[i]];
        out.velocities[i] = data.qvel()[qvel[i]];
        let joint = model.dof_jntid()[qvel[i]] as usize;
        let axis = DVec3::from(data.xaxis()[joint]);
        let (along, about) = match model.jnt_type()[joint] {
            MjtJoint::mjJNT_SLIDE => (axis, DVec3::ZERO),
            _ => (axis.cross(position - DVec3::from(data.xanchor()[joint])), axis),
        };
        for (k, value) in along.to_array().into_iter().chain(about.to_array()).enumerate() {
            out.jacobian[k][i] = value;
        }
    }
    out
}

/// Return the inertia that joints feel, and between each two of them.
pub(crate) fn mass(data: &MjData<Box<MjModel>>, qvel: &[usize]) -> Square {
    let model = data.model();
    let (rows, counts, columns) = (model.m_rowadr(), model.m_rownnz(), model.m_colind());
    let mut out = [[0.0; MAX_JOINTS]; MAX_JOINTS];
    for (i, dof) in qvel.iter().enumerate() {
        let from = rows[*dof] as usize;
        for at in from..from + counts[*dof] as usize {
            let column = columns[at] as usize;
            let Some(j) = qvel.iter().position(|d| *d == column) else { continue };
            // Only the lower triangle is stored.
            out[i][j] = data.m()[at];
            out[j][i] = out[i][j];
        }
    }
    out
}

/// A rotation matrix that is stored row by row.
pub(crate) fn rows_to_mat(m: &[f64; 9]) -> DMat3 {
    DMat3::from_cols_array(m).transpose()
}
