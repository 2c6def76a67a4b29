//! How much room objects take, and how fast they are.

use mujoco_rs::prelude::*;

use super::World;

impl World {
    /// How high objects reach above a disc of the table, or anywhere; 0 is the table's own height.
    pub(crate) fn top(&self, disc: Option<([f64; 2], f64)>, except: Option<usize>) -> f64 {
        let mut top = 0.0f64;
        for (i, b) in self.boxes.iter().enumerate() {
            let Some(b) = b.filter(|_| Some(i) != except) else { continue };
            let pose = &self.snapshot.bodies[i].pose;
            let (c, h) = (b.centre_in(pose), b.half_in(pose));
            let over = disc
                .is_none_or(|([x, y], r)| (c.x - x).abs() <= h.x + r && (c.y - y).abs() <= h.y + r);
            if over {
                top = top.max(c.z + h.z);
            }
        }
        top
    }

    /// Height of a tracked object, and half its diagonal, as it is now.
    pub(crate) fn extent(&self, body: usize) -> (f64, f64) {
        let Some(b) = self.boxes[body] else { return (0.0, 0.0) };
        let h = b.half_in(&self.snapshot.bodies[body].pose);
        (2.0 * h.z, libm::hypot(h.x, h.y))
    }

    /// Return how deep the deepest contact goes, metres.
    pub fn penetration(&self) -> f64 {
        let felt = self.data.contact().iter().filter(|c| c.exclude == 0);
        felt.map(|c| -c.dist).fold(0.0, f64::max)
    }

    /// Return the names of the bodies whose contact goes deepest; of a flex, its number.
    pub fn deepest_pair(&self) -> Option<[String; 2]> {
        let felt = self.data.contact().iter().filter(|c| c.exclude == 0);
        let c = felt.min_by(|a, b| a.dist.total_cmp(&b.dist))?;
        let model = self.data.model();
        Some([0, 1].map(|i| match usize::try_from(c.geom[i]) {
            Ok(geom) => {
                let body = model.geom_bodyid()[geom] as usize;
                model.id_to_name(MjtObjBase::mjOBJ_BODY, body).unwrap_or("world").to_owned()
            }
            Err(_) => format!("flex {}", c.flex[i]),
        }))
    }

    /// Speed of the fastest object that is free to move.
    pub(crate) fn speed(&self) -> f64 {
        self.fastest().0
    }
}
