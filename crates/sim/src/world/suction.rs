//! The suction cup: a weld that is switched on and off.

use longarm_task::LimbId;
use longarm_types::Pose;

use super::World;
use super::handles::EndHandles;

impl World {
    /// Attaches a tracked body to the suction cup where it is. False when it cannot be attached.
    pub(crate) fn attach(&mut self, limb: LimbId, body: usize) -> bool {
        let EndHandles::Suction { cup, welds, holding } = &mut self.limbs[limb].end else {
            return false;
        };
        let Some(weld) = welds[body] else { return false };
        let at = |b: usize| Pose::from_arrays(self.data.xpos()[b], self.data.xquat()[b]);
        let relative = at(*cup).inverse() * at(self.handles[body].body);
        *holding = Some(body);
        // SAFETY: constraint data may change between steps; no size or index of the model does.
        #[allow(unsafe_code)]
        let data = unsafe { &mut self.data.model_mut().eq_data_mut()[weld] };
        data[..3].fill(0.0);
        data[3..6].copy_from_slice(&relative.pos.to_array());
        data[6..10].copy_from_slice(&relative.wxyz());
        self.data.eq_active_mut()[weld] = true;
        true
    }

    /// Lets go of what the suction cup holds.
    pub(crate) fn release(&mut self, limb: LimbId) {
        if let EndHandles::Suction { welds, holding, .. } = &mut self.limbs[limb].end
            && let Some(weld) = holding.take().and_then(|b| welds[b])
        {
            self.data.eq_active_mut()[weld] = false;
        }
    }

    /// The body under the suction cup's lip, if it touches one that can be attached.
    pub(crate) fn cup_touches(&self, limb: LimbId) -> Option<usize> {
        let EndHandles::Suction { welds, .. } = &self.limbs[limb].end else { return None };
        (1..self.bodies.len()).find(|&b| welds[b].is_some() && self.contacts.fingers(limb, b) > 0)
    }
}
