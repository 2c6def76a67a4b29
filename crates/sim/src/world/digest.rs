//! The hash over all states since the reset.

use longarm_types::Digest;

use super::World;
use super::handles::EndHandles;

impl World {
    pub(super) fn digest_state(&mut self) {
        self.hash.floats(&[self.data.time()]);
        self.hash.floats(self.data.qpos());
        self.hash.floats(self.data.qvel());
        for limb in &self.limbs {
            if let EndHandles::Suction { holding, .. } = limb.end {
                self.hash.bytes(&[holding.map_or(0, |b| b as u8)]);
            }
        }
        self.media.digest(&mut self.hash);
    }

    /// Hash over the states of all control steps since the reset.
    pub fn state_hash(&self) -> Digest {
        self.hash.digest()
    }
}
