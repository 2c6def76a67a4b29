//! Why a predicate holds or does not: numbers against limits.

use std::fmt::Write;

use longarm_types::Margin;

use crate::BodyId;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 1 for yes, 0 for no.
    Truth,
    /// Metres, told in millimetres.
    Metres,
    /// Radians, told in degrees.
    Radians,
    /// Metres per second.
    Speed,
    /// Seconds.
    Seconds,
    /// A joint value or a count.
    Plain,
}

impl Unit {
    /// A number as people are told it, rounded, and never −0.
    fn number(self, v: f64) -> f64 {
        let rounded = |v: f64, per_one: f64| (per_one * v).round() / per_one + 0.0;
        match self {
            Self::Metres => rounded(1000.0 * v, 1.0),
            Self::Radians => rounded(v.to_degrees(), 1.0),
            Self::Seconds => rounded(v, 10.0),
            Self::Truth | Self::Speed | Self::Plain => rounded(v, 1000.0),
        }
    }

    /// What stands behind the number.
    fn suffix(self) -> &'static str {
        match self {
            Self::Metres => " mm",
            Self::Radians => "°",
            Self::Speed => " m/s",
            Self::Seconds => " s",
            Self::Truth | Self::Plain => "",
        }
    }
}

/// Which side of the limit is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// The value must not be larger.
    AtMost,
    /// The value must not be smaller.
    AtLeast,
}

/// One measurement: no strings, so that taking it allocates nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    /// What was measured.
    pub label: &'static str,
    /// Of which body; 0 where it is about the hand alone.
    pub of: BodyId,
    /// Against which body; 0 for the world or none.
    pub to: BodyId,
    /// Measurement.
    pub value: f64,
    /// Limit.
    pub limit: f64,
    /// Unit of both.
    pub unit: Unit,
    /// Right side of the limit.
    pub sense: Sense,
    /// It stands under a `not`: what is wanted is that it fails.
    pub negated: bool,
}

impl Gauge {
    /// How far on the right side of the limit, negative on the wrong one.
    pub fn slack(&self) -> f64 {
        let s = match self.sense {
            Sense::AtMost => self.limit - self.value,
            Sense::AtLeast => self.value - self.limit,
        };
        if self.negated { -s } else { s }
    }

    /// Whether it is as wanted.
    pub fn holds(&self) -> bool {
        let met = match self.sense {
            Sense::AtMost => self.value <= self.limit,
            Sense::AtLeast => self.value >= self.limit,
        };
        met != self.negated
    }
}

/// A reusable list of measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Margins {
    gauges: Vec<Gauge>,
}

impl Margins {
    /// A list with room for this many.
    pub fn with_capacity(n: usize) -> Self {
        Self { gauges: Vec::with_capacity(n) }
    }

    /// Empties it, keeping its room.
    pub fn clear(&mut self) {
        self.gauges.clear();
    }

    /// Adds one.
    pub fn push(&mut self, gauge: Gauge) {
        self.gauges.push(gauge);
    }

    /// The measurements.
    pub fn gauges(&self) -> &[Gauge] {
        &self.gauges
    }

    /// Takes over another list without giving up room.
    pub fn copy_from(&mut self, other: &Self) {
        self.gauges.clear();
        self.gauges.extend_from_slice(&other.gauges);
    }

    pub(crate) fn negate_from(&mut self, start: usize) {
        for g in &mut self.gauges[start..] {
            g.negated = !g.negated;
        }
    }

    /// With names, for records; `names` are those of the bodies.
    pub fn named(&self, names: &[String]) -> Vec<Margin> {
        self.gauges
            .iter()
            .map(|g| Margin {
                name: title(g, names),
                value: g.value,
                limit: g.limit,
                holds: g.holds(),
            })
            .collect()
    }

    /// For people: measured numbers, and of the yes-or-no parts those that fail.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for g in &self.gauges {
            let told = g.unit != Unit::Truth || !g.holds();
            if !told {
                continue;
            }
            if !out.is_empty() {
                out.push_str(", ");
            }
            let [value, limit] = [g.value, g.limit].map(|v| g.unit.number(v));
            let unit = g.unit.suffix();
            let _ = match g.unit {
                Unit::Truth if g.negated => write!(out, "{}", g.label),
                Unit::Truth => write!(out, "not {}", g.label),
                Unit::Seconds => write!(out, "{} {value}{unit}", g.label),
                _ => write!(out, "{} {value}{unit} of {limit}", g.label),
            };
        }
        out
    }

    /// For people: what is not as wanted, and what is wanted; `names` are those of the bodies.
    pub fn unmet(&self, names: &[String]) -> String {
        let told = |g: &Gauge| {
            let not = g.unit == Unit::Truth && !g.negated;
            let what = title(&Gauge { negated: not, ..*g }, names);
            if g.unit == Unit::Truth {
                return what;
            }
            let wanted = match (g.sense, g.negated) {
                (Sense::AtMost, false) => "at most",
                (Sense::AtLeast, false) => "at least",
                (Sense::AtMost, true) => "more than",
                (Sense::AtLeast, true) => "less than",
            };
            let [value, limit] = [g.value, g.limit].map(|v| g.unit.number(v));
            let unit = g.unit.suffix();
            format!("{what} {value}{unit}, wanted {wanted} {limit}{unit}")
        };
        let parts = self.gauges.iter().filter(|g| !g.holds()).map(told);
        parts.collect::<Vec<_>>().join("; ")
    }
}

fn title(g: &Gauge, names: &[String]) -> String {
    let name = |id: BodyId| names.get(id).map_or("?", String::as_str);
    let not = if g.negated { "not " } else { "" };
    match (g.of, g.to) {
        (0, 0) => format!("{not}{}", g.label),
        (0, b) => format!("{not}{}: {}", g.label, name(b)),
        (a, 0) => format!("{}: {not}{}", name(a), g.label),
        (a, b) => format!("{}, {}: {not}{}", name(a), name(b), g.label),
    }
}
