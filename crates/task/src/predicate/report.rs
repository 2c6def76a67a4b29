//! Where the measurements of an atom are written.

use longarm_types::{DVec3, Pose};

use super::bound::Sink;
use super::geometry::Patch;
use super::margins::{Gauge, Sense, Unit};
use crate::BodyId;

/// The measurements of one atom on their way to a sink.
pub(super) struct Report<'s, S: Sink> {
    pub out: &'s mut S,
    pub of: BodyId,
    pub to: BodyId,
    pub ok: bool,
}

impl<S: Sink> Report<'_, S> {
    pub fn add(&mut self, label: &'static str, value: f64, limit: f64, unit: Unit, sense: Sense) {
        let g =
            Gauge { label, of: self.of, to: self.to, value, limit, unit, sense, negated: false };
        self.ok &= g.holds();
        self.out.push(g);
    }
    pub fn truth(&mut self, label: &'static str, yes: bool) {
        self.add(label, f64::from(u8::from(yes)), 1.0, Unit::Truth, Sense::AtLeast);
    }
    pub fn at_most(&mut self, label: &'static str, value: f64, limit: f64) {
        self.add(label, value, limit, Unit::Metres, Sense::AtMost);
    }
    pub fn at_least(&mut self, label: &'static str, value: f64, limit: f64) {
        self.add(label, value, limit, Unit::Metres, Sense::AtLeast);
    }
    pub fn over(&mut self, patch: &Patch, frame: &Pose, point: DVec3) {
        let (value, limit) = patch.footprint(frame, point);
        if limit < f64::MAX {
            self.at_most("centre", value, limit);
        }
    }
}
