//! The shape and the height of what has no shape of its own: likeness to a footprint, how much of it is raised, how
//! low it hangs.

use longarm_assets::matter::Matter;
use longarm_types::DVec3;

use super::Predicate as P;
use super::bound::{Node, Sink};
use super::cast::{Bound, Member};
use super::geometry::Patch;
use super::margins::{Sense, Unit};
use super::report::Report;
use crate::{BodyId, Snapshot, SoftState, SpecError};

/// Cells along a side of the grid on which footprints are compared.
const GRID: usize = 64;
/// How far the grid reaches beyond the footprint, as a multiple of its longer half.
const BEYOND: f64 = 1.6;
/// How far a particle reaches, as a multiple of its radius: neighbours overlap a little.
const REACH: f64 = 1.2;

/// Liquid, clay or sand has the shape of a region seen from above: what both cover is this share of what either covers.
pub fn moulded(matter: impl Into<String>, region: impl Into<String>, overlap: f64) -> P {
    P::Moulded { matter: matter.into(), region: region.into(), overlap }
}

/// This share of liquid, clay or sand, or more, is this high above the table.
pub fn raised(matter: impl Into<String>, height: f64, share: f64) -> P {
    P::Raised { matter: matter.into(), height, share }
}

/// The lowest point of what is soft is this high above the table, or higher.
pub fn lowest(object: impl Into<String>, height: f64) -> P {
    P::Lowest { object: object.into(), height }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Lump {
    Moulded { body: BodyId, patches: Vec<Patch>, overlap: f64 },
    Raised { body: BodyId, height: f64, share: f64 },
    Lowest { body: BodyId, height: f64 },
}

impl Lump {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Moulded { body, patches, .. } => (*body, patches.first().map_or(0, |p| p.body)),
            Self::Raised { body, .. } | Self::Lowest { body, .. } => (*body, 0),
        }
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        let (Self::Moulded { body, .. } | Self::Raised { body, .. } | Self::Lowest { body, .. }) =
            self;
        let Some(soft) = s.soft_of(*body) else { return r.truth("matter", false) };
        match self {
            Self::Moulded { patches, overlap, .. } => {
                let seen = likeness(s, soft, patches);
                r.add("overlap", seen, *overlap, Unit::Plain, Sense::AtLeast);
            }
            Self::Raised { height, share, .. } => {
                let high = soft.points.iter().filter(|p| p.z >= *height).count();
                let seen = high as f64 / soft.points.len().max(1) as f64;
                r.add("share raised", seen, *share, Unit::Plain, Sense::AtLeast);
            }
            Self::Lowest { height, .. } => {
                let z = soft.points.iter().map(|p| p.z).fold(f64::MAX, f64::min);
                r.at_least("lowest point", z - soft.form.radius, *height);
            }
        }
    }
}

/// What particles and patches both cover as a share of what either covers, seen along the first patch's z. What lies
/// outside of the grid counts at its edge.
fn likeness(s: &Snapshot, soft: &SoftState, patches: &[Patch]) -> f64 {
    let Some(first) = patches.first() else { return 0.0 };
    let frame = first.world(s);
    let local = patches.iter().map(|p| (frame.inverse() * p.world(s), p.half));
    let far = local.clone().map(|(at, half)| at.pos.truncate().length() + half.x.max(half.y));
    let side = BEYOND * far.fold(0.0, f64::max);
    let cell = (2.0 * side / GRID as f64).max(1e-9);
    let (mut matter, mut target) = ([0u64; GRID], [0u64; GRID]);
    let reach = REACH * soft.form.radius;
    for p in &soft.points {
        let p = frame.local(*p);
        // The cells whose middles are within reach.
        let range = |c: f64| {
            let c = c.clamp(-side, side - cell);
            let last = (GRID - 1) as f64;
            let low = libm::ceil((c - reach + side) / cell - 0.5).clamp(0.0, last);
            let high = libm::floor((c + reach + side) / cell - 0.5).clamp(low, last);
            (low as usize, high as usize)
        };
        let ((x0, x1), (y0, y1)) = (range(p.x), range(p.y));
        let row = (u64::MAX >> (GRID - 1 - x1)) & (u64::MAX << x0);
        matter[y0..=y1].iter_mut().for_each(|r| *r |= row);
    }
    for (j, row) in target.iter_mut().enumerate() {
        for i in 0..GRID {
            let [x, y] = [i, j].map(|k| (k as f64 + 0.5) * cell - side);
            let within = |(at, half): (longarm_types::Pose, DVec3)| {
                let q = at.local(DVec3::new(x, y, 0.0)).abs();
                q.x <= half.x && q.y <= half.y
            };
            if local.clone().any(within) {
                *row |= 1 << i;
            }
        }
    }
    let count = |f: &dyn Fn(u64, u64) -> u64| -> u32 {
        matter.iter().zip(&target).map(|(a, b)| f(*a, *b).count_ones()).sum()
    };
    f64::from(count(&|a, b| a & b)) / f64::from(count(&|a, b| a | b).max(1))
}

impl Bound {
    pub(super) fn bind_moulded(
        &self,
        matter: &str,
        region: &str,
        overlap: f64,
    ) -> Result<Node, SpecError> {
        let patches = self.places(region)?;
        if patches.is_empty() {
            return Err(self.wrong(region, "something with a region", "moulded"));
        }
        self.particles(matter, "moulded", &|body| {
            Lump::Moulded { body, patches: patches.clone(), overlap }.into()
        })
    }

    pub(super) fn bind_raised(
        &self,
        matter: &str,
        height: f64,
        share: f64,
    ) -> Result<Node, SpecError> {
        self.particles(matter, "raised", &|body| Lump::Raised { body, height, share }.into())
    }

    pub(super) fn bind_lowest(&self, object: &str, height: f64) -> Result<Node, SpecError> {
        self.solid(object, "lowest", &|a, m: &Member| match m.info.matter {
            Some(_) => Ok(Lump::Lowest { body: a.id, height }.into()),
            None => Err(self.wrong(object, "something soft", "lowest")),
        })
    }

    /// Applies `f` to the body of liquid, clay or sand.
    pub(super) fn particles(
        &self,
        matter: &str,
        place: &'static str,
        f: &dyn Fn(BodyId) -> Node,
    ) -> Result<Node, SpecError> {
        self.solid(matter, place, &|a, m: &Member| match m.info.matter.as_deref() {
            Some(Matter::Bulk(_)) => Ok(f(a.id)),
            _ => Err(self.wrong(matter, "liquid, clay or sand", place)),
        })
    }
}
