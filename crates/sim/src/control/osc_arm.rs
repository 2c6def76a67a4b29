//! Operational-space control as the controller of a limb.

use longarm_assets::kinematics::{Chain, Joints};
use longarm_assets::source::OscSettings;
use longarm_types::{ChannelKind, DQuat, Pose};

use super::{Controller, Drive, LimbState, Osc};

/// Drives a limb by torques that pull its tool to a goal; takes tool deltas.
#[derive(Clone, Debug, PartialEq)]
pub struct OscController {
    chain: Chain,
    settings: OscSettings,
    rest: Joints,
    /// Begins where the limb is found.
    osc: Option<Osc>,
    target: Pose,
}

impl OscController {
    /// A controller at rest in the posture `home`.
    pub fn new(chain: Chain, settings: OscSettings, home: &Joints) -> Self {
        let target = chain.forward(home);
        Self { chain, settings, rest: *home, osc: None, target }
    }

    fn osc(&mut self, state: &LimbState<'_>) -> &mut Osc {
        let (settings, rest) = (self.settings, self.rest);
        self.osc.get_or_insert_with(|| Osc::new(settings, rest, &state.reading()))
    }
}

impl Controller for OscController {
    fn reset(&mut self, home: &Joints) {
        self.rest = *home;
        self.osc = None;
        self.target = self.chain.forward(home);
    }

    fn command(&mut self, kind: ChannelKind, numbers: &[f64], state: &LimbState<'_>) {
        let (ChannelKind::ToolDelta(scale), Ok(delta)) = (kind, numbers.try_into()) else { return };
        let osc = self.osc(state);
        osc.command(delta, scale, || state.reading());
        let (position, rotation) = osc.goal();
        self.target = Pose::new(position, DQuat::from_mat3(&rotation).normalize());
    }

    fn drive(&mut self, k: u32, state: &LimbState<'_>, out: &mut Joints) -> Drive {
        self.osc(state).torques(k, &state.bias(), || state.reading(), out);
        Drive::Torque
    }

    fn target(&self) -> &Pose {
        &self.target
    }

    fn chain(&self) -> &Chain {
        &self.chain
    }

    fn needs_dynamics(&self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}
