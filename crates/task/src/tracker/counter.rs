//! Counting events without counting jitter.

use longarm_types::DVec3;

use super::EPS;
use crate::predicate::BoundPredicate;
use crate::stage::MOMENT;
use crate::{BodyId, Snapshot};

/// Seconds without contact that end a stroke: a hand that trembles has not lifted the tool.
const LIFTED: f64 = 0.3;

/// What is counted, bound to a scene.
#[derive(Clone, Debug)]
pub(super) enum CounterKind {
    Rises(BoundPredicate),
    Strokes { tool: BodyId, surface: BodyId, length: f64 },
}

/// The state of one counter.
#[derive(Clone, Debug, Default)]
pub(super) struct Counter {
    pub count: u32,
    /// The level that counts; `None` before the first look.
    level: Option<bool>,
    /// Since when the raw value has differed from the level.
    differs: Option<f64>,
    stroke: Option<Stroke>,
}

#[derive(Clone, Copy, Debug)]
struct Stroke {
    /// Where the present stroke began.
    start: DVec3,
    /// The farthest point of a completed stroke: where the next one begins.
    far: Option<DVec3>,
}

impl Counter {
    /// Takes in one moment. What is already so when counting begins has not become so.
    pub fn update(&mut self, kind: &CounterKind, active: bool, s: &Snapshot) {
        if !active {
            (self.level, self.differs, self.stroke) = (None, None, None);
            return;
        }
        match kind {
            CounterKind::Rises(p) => {
                let rose = self.settle(p.holds(s), s.time, MOMENT);
                self.count += u32::from(rose);
            }
            CounterKind::Strokes { tool, surface, length } => {
                let contact = s.held(*tool) && s.touching.get(*tool, *surface);
                if self.level.is_none() {
                    self.level = Some(false);
                }
                self.settle(contact, s.time, LIFTED);
                if self.level == Some(false) {
                    self.stroke = None;
                } else if contact {
                    let at = s.bodies[*surface].pose.local(s.bodies[*tool].pose.pos);
                    self.count += u32::from(self.travel(at, *length));
                }
            }
        }
    }

    /// Follows a raw value up once it has lasted for a moment and down once it has for `fall`
    /// seconds; says whether the level rose.
    fn settle(&mut self, raw: bool, time: f64, fall: f64) -> bool {
        let level = *self.level.get_or_insert(raw);
        if raw == level {
            self.differs = None;
            return false;
        }
        let since = *self.differs.get_or_insert(time);
        if time - since + EPS < if raw { MOMENT } else { fall } {
            return false;
        }
        self.level = Some(raw);
        self.differs = None;
        raw
    }

    /// Moves on along a stroke; says whether one was completed.
    fn travel(&mut self, at: DVec3, length: f64) -> bool {
        let Some(stroke) = &mut self.stroke else {
            self.stroke = Some(Stroke { start: at, far: None });
            return false;
        };
        let apart = |a: DVec3, b: DVec3| libm::hypot(a.x - b.x, a.y - b.y);
        match stroke.far {
            None if apart(at, stroke.start) >= length => {
                stroke.far = Some(at);
                true
            }
            None => false,
            // Going on in the same direction lengthens the stroke; coming back makes a new one.
            Some(far) if apart(at, stroke.start) > apart(far, stroke.start) => {
                stroke.far = Some(at);
                false
            }
            Some(far) if apart(at, far) >= length => {
                *stroke = Stroke { start: far, far: Some(at) };
                true
            }
            Some(_) => false,
        }
    }
}
