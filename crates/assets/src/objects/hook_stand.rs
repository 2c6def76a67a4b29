//! A stand with one hook: a post on a heavy foot, and an arm from its top that rises a little outwards.

use std::f64::consts::FRAC_PI_2;

use longarm_types::{Bounds, DQuat, DVec3, Pose};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Samples;
use super::common::{region, show, show_tinted};
use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Geom, Mjcf, Model, Region, RegionKind, Shape, Surface};

/// A stand for hanging cloth up, standing fixed; its hook points along +x.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookStand {
    /// Height at which the hook begins, metres.
    #[schemars(range(min = 0.2, max = 0.45))]
    pub height: f64,
}

/// Half the foot, and its thickness.
const FOOT: [f64; 3] = [0.075, 0.07, 0.016];
const POST: f64 = 0.01;
/// How long and thick the hook is, how steeply it rises, and the knob at its end.
const LENGTH: f64 = 0.1;
const HOOK: f64 = 0.007;
const RISE: f64 = 0.16;
const KNOB: f64 = 0.0095;
/// The foot reaches this far under the hook.
const UNDER: f64 = 0.03;

impl HookStand {
    /// The frame of the hook: in its middle, x outwards.
    fn hook(&self) -> Pose {
        let rot = DQuat::from_rotation_y(-RISE);
        Pose::new(DVec3::Z * self.height + rot * DVec3::X * LENGTH / 2.0, rot)
    }

    fn tip(&self) -> DVec3 {
        self.hook().point(DVec3::X * LENGTH / 2.0)
    }
}

impl Model for HookStand {
    fn noun(&self) -> &str {
        "hook stand"
    }

    fn info(&self) -> AssetInfo {
        let hook = Region {
            pose: self.hook(),
            access: Access::Hook,
            ..region("hook", RegionKind::Volume, [0.0; 3], [LENGTH / 2.0, HOOK, HOOK])
        };
        let (far, top) = (self.tip().x + KNOB, self.tip().z + KNOB);
        let back = FOOT[0] - UNDER;
        AssetInfo {
            regions: vec![hook],
            ..AssetInfo::fixture(Bounds {
                centre: [(far - back) / 2.0, 0.0, top / 2.0],
                half: [(far + back) / 2.0, FOOT[1], top / 2.0],
            })
        }
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.open(name, &Pose::IDENTITY);
        let [x, y, thick] = FOOT;
        let half = (self.height - thick) / 2.0;
        out.geom(Geom::solid(Shape::Box([x, y, thick / 2.0])).pos(UNDER, 0.0, thick / 2.0));
        out.geom(Geom::solid(Shape::Capsule(POST, half)).pos(0.0, 0.0, thick + half));
        let lie = Pose::new(DVec3::ZERO, DQuat::from_rotation_y(FRAC_PI_2));
        out.geom(Geom::solid(Shape::Capsule(HOOK, LENGTH / 2.0)).at(self.hook() * lie));
        let tip = self.tip();
        out.geom(Geom::solid(Shape::Sphere(KNOB)).pos(tip.x, tip.y, tip.z));
        let mesh = format!("hook_stand_{:.0}", 1000.0 * self.height);
        show_tinted(name, 0, &format!("{mesh}_post"), [0.30, 0.32, 0.36], out, || {
            let foot = TriMesh::rounded_box([x, y, thick / 2.0], 0.004, 3);
            let mut m = foot.without_uvs().moved(UNDER, 0.0, thick / 2.0);
            let top = DVec3::Z * self.height;
            m.merge(&TriMesh::tube(&[DVec3::Z * thick, top], POST, 20).without_uvs());
            m.merge(&TriMesh::sphere(POST, 20).without_uvs().moved(0.0, 0.0, self.height));
            m
        });
        show(&format!("{mesh}_hook"), Surface::rgb([0.78, 0.80, 0.83]), out, || {
            let mut m = TriMesh::tube(&[DVec3::Z * self.height, tip], HOOK, 18).without_uvs();
            m.merge(&TriMesh::sphere(KNOB, 18).without_uvs().moved(tip.x, tip.y, tip.z));
            m
        });
        out.close();
    }
}

impl Samples for HookStand {
    fn samples() -> Vec<Self> {
        vec![Self { height: 0.34 }]
    }
}
