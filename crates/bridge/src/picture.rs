//! Observations as they travel, and as policies see them.

use longarm_types::{
    CameraImage, Meaning, Observation, ObservationSpec, PictureKind, Pose, Proprioception,
};

use crate::{PictureHead, Seen};

/// Write an observation's head.
pub fn seen(o: &Observation, spec: &ObservationSpec, step: u64, running: bool) -> Seen {
    let mut head = Seen { step, running, ..Seen::default() };
    for (i, limb) in o.limbs.iter().enumerate() {
        let (p, q) = (limb.tool.pos.to_array(), limb.tool.wxyz());
        let pose = vec![p[0], p[1], p[2], q[0], q[1], q[2], q[3]];
        for (meaning, numbers) in [
            (Meaning::JointPosition, limb.joints.clone()),
            (Meaning::JointVelocity, limb.velocities.clone()),
            (Meaning::ToolPose, pose),
            (Meaning::GripperOpening, vec![limb.opening]),
        ] {
            head.fields.insert(format!("{}{}", spec.prefix(i), meaning.name()), numbers);
        }
    }
    for c in spec.cameras.iter().filter(|c| c.pictures.contains(&PictureKind::Colour)) {
        head.pictures.push(PictureHead {
            camera: c.name.clone(),
            width: c.width,
            height: c.height,
        });
    }
    head
}

/// Read an observation of an arm; what the bridge must send and did not is an error.
pub fn observation(
    head: &Seen,
    pictures: &[&[u8]],
    spec: &ObservationSpec,
    rate: f64,
    instruction: &str,
) -> Result<Observation, String> {
    let mut limbs = Vec::with_capacity(spec.limbs.len());
    for (i, limb) in spec.limbs.iter().enumerate() {
        let field = |meaning: Meaning, length: usize| {
            let name = format!("{}{}", spec.prefix(i), meaning.name());
            match head.fields.get(&name) {
                None => Ok(None),
                Some(v) if v.len() == length && v.iter().all(|n| n.is_finite()) => Ok(Some(v)),
                Some(v) => {
                    Err(format!("{name} has {} numbers where {length} finite ones belong", v.len()))
                }
            }
        };
        let mut own = Proprioception::of(limb);
        let joints = field(Meaning::JointPosition, limb.joints)?;
        let joints = joints.ok_or_else(|| {
            format!("an observation lacks {}{}", spec.prefix(i), Meaning::JointPosition.name())
        })?;
        own.joints.clone_from(joints);
        if let Some(v) = field(Meaning::JointVelocity, limb.joints)? {
            own.velocities.clone_from(v);
        }
        if let Some(&[x, y, z, qw, qx, qy, qz]) = field(Meaning::ToolPose, 7)?.map(Vec::as_slice) {
            own.tool = Pose::from_arrays([x, y, z], [qw, qx, qy, qz]);
        }
        if let Some(&[opening]) = field(Meaning::GripperOpening, 1)?.map(Vec::as_slice) {
            own.opening = opening;
        }
        limbs.push(own);
    }
    let mut cameras = Vec::with_capacity(spec.cameras.len());
    for c in &spec.cameras {
        let at = head.pictures.iter().position(|p| p.camera == c.name);
        let found = at.and_then(|i| Some((&head.pictures[i], pictures.get(i)?)));
        let Some((p, rgb)) = found else {
            return Err(format!("an observation lacks the picture of {}", c.name));
        };
        if (p.width, p.height) != (c.width, c.height) {
            return Err(format!(
                "the picture of {} is {} × {}, not {} × {} as the bridge said",
                c.name, p.width, p.height, c.width, c.height
            ));
        }
        cameras.push(CameraImage {
            name: c.name.clone(),
            width: c.width,
            height: c.height,
            rgb: rgb.to_vec(),
            ..CameraImage::default()
        });
    }
    Ok(Observation {
        step: u32::try_from(head.step).unwrap_or(u32::MAX),
        time: head.step as f64 / rate,
        instruction: instruction.to_owned(),
        limbs,
        cameras,
        ..Observation::default()
    })
}
