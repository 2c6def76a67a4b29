//! The suction cup: a weld that is switched on and off.

use longarm_types::Pose;

use super::World;
use super::handles::HandHandles;

impl World {
    /// Attaches a tracked body to the suction cup where it is. False when it cannot be attached.
    pub(crate) fn attach(&mut self, body: usize) -> bool {
        let HandHandles::Suction { cup, welds, holding } = &mut self.robot.hand else {
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
    pub(crate) fn release(&mut self) {
        if let HandHandles::Suction { welds, holding, .. } = &mut self.robot.hand
            && let Some(weld) = holding.take().and_then(|b| welds[b])
        {
            self.data.eq_active_mut()[weld] = false;
        }
    }

    /// The body under the suction cup's lip, if it touches one that can be attached.
    pub(crate) fn cup_touches(&self) -> Option<usize> {
        let HandHandles::Suction { welds, .. } = &self.robot.hand else { return None };
        (1..self.bodies.len()).find(|&b| welds[b].is_some() && self.contacts.left_touches(b))
    }
}
