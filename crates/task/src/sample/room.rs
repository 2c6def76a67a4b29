//! The room that objects take.

use longarm_assets::AssetInfo;
use longarm_types::Pose;

use super::{Draw, Footprint, part_pose};

impl Draw<'_> {
    /// Return where an object at a pose stands, with what is open of it.
    pub(super) fn footprints(&self, i: usize, pose: &Pose) -> Vec<Footprint> {
        let info = &self.infos[i];
        let mut out = vec![Footprint::new(&info.bounds, info.symmetry == 0, pose)];
        // An open drawer needs room in front of the cabinet.
        for r in &info.regions {
            let part = r.part.as_deref().and_then(|n| info.part(n));
            let Some(part) = part else { continue };
            let value = self.part_value(i, &part.name);
            if value != 0.0 {
                let frame = *pose * part_pose(part, value) * r.pose;
                let bounds = longarm_types::Bounds { centre: [0.0; 3], half: r.half };
                out.push(Footprint::new(&bounds, false, &frame));
            }
        }
        out
    }
}

/// Whether an object does not fit between the walls of another.
pub(super) fn wider_than(a: &AssetInfo, b: &AssetInfo) -> bool {
    let ([ax, ay, _], [bx, by, _]) = (a.bounds.half, b.bounds.half);
    ax.min(ay) > bx.max(by)
}
