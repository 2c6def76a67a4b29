//! Counting events without counting jitter.

use longarm_types::DVec3;

use super::EPS;
use crate::predicate::BoundPredicate;
use crate::stage::MOMENT;
use crate::{BodyId, Snapshot};

/// Seconds without contact that end a stroke: a hand that trembles has not lifted the tool.
const LIFTED: f64 = 0.3;
/// Seconds for which a vessel must spill to have poured.
const SPILLS: f64 = 0.5;

/// What is counted, bound to a scene.
#[derive(Clone, Debug)]
pub(super) enum CounterKind {
    Rises(BoundPredicate),
    Strokes { tool: BodyId, surface: BodyId, length: f64 },
    Pours { pouring: BoundPredicate, upright: BoundPredicate },
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
    /// A pour has spilt long enough and the vessel is not upright yet.
    spilt: bool,
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
            (self.level, self.differs, self.stroke, self.spilt) = (None, None, None, false);
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
            CounterKind::Pours { pouring, upright } => {
                if self.spilt {
                    if upright.holds(s) {
                        (self.spilt, self.differs) = (false, None);
                        self.count += 1;
                    }
                } else if pouring.holds(s) {
                    let since = *self.differs.get_or_insert(s.time);
                    self.spilt = s.time - since + EPS >= SPILLS;
                } else {
                    self.differs = None;
                }
            }
        }
    }

    /// How often it has begun to happen: a pour counts once it has spilt.
    pub fn begun(&self) -> u32 {
        self.count + u32::from(self.spilt)
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
