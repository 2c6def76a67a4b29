//! What is drawn for a policy in an ONNX file.

use longarm_onnx::Loaded;
use longarm_render::Channels;
use longarm_sim::ImageSettings;
use longarm_task::TaskSpec;
use longarm_types::{ObservationSpec, PictureKind};

/// Return the pictures that a model's manifest names, of the cameras it names; none if it names none.
pub(crate) fn images(model: &Loaded, task: &TaskSpec) -> Option<ImageSettings> {
    let all = Channels { color: true, depth: true, segment: true, normals: true };
    let all = ImageSettings { channels: all, ..ImageSettings::default() };
    let wanted = model.wanted(&all.observation(&task.rig()));
    let draws = |kind| wanted.kinds.contains(&kind);
    let channels = Channels {
        color: draws(PictureKind::Colour),
        depth: draws(PictureKind::Depth),
        segment: draws(PictureKind::Segment),
        normals: draws(PictureKind::Normals),
    };
    let only = Some(wanted.cameras.clone());
    let settings = ImageSettings { channels, only, ..ImageSettings::default() };
    (!wanted.cameras.is_empty()).then_some(settings)
}

/// Return what is observed of a task when a model acts in it.
pub(crate) fn observed(model: &Loaded, task: &TaskSpec) -> ObservationSpec {
    let rig = task.rig();
    match images(model, task) {
        Some(images) => images.observation(&rig),
        None => ObservationSpec { cameras: Vec::new(), ..rig.observation() },
    }
}
