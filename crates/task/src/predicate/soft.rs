//! Cloth: how far it is spread, what it covers, how it is folded, what it hangs on.

use longarm_assets::matter::{Cut, Matter};
use longarm_types::{DVec3, Pose};

use super::Predicate;
use super::bind::{patch_of, patches};
use super::bound::{Node, Sink};
use super::cast::{Bound, Member, Referent};
use super::geometry::{Patch, Span};
use super::margins::{Sense, Unit};
use super::report::Report;
use crate::plan::Spot;
use crate::{BodyId, RegionSpec, Snapshot, SoftKind, SpecError};

use Predicate as P;

/// Cells along a side of the grid on which footprints are counted.
const GRID: usize = 64;

/// A piece of cloth covers this share of its area seen from above, or more.
pub fn spread_out(object: impl Into<String>, share: f64) -> P {
    P::SpreadOut { object: object.into(), share }
}

/// A piece of cloth covers this share of a region seen from above, or more.
pub fn covers(object: impl Into<String>, region: impl Into<String>, share: f64) -> P {
    P::Covers { object: object.into(), region: region.into(), share }
}

/// The halves of a piece of cloth lie on each other, folded along a line through its middle that runs along
/// x or y of its own frame as cut; what mirrors each other is this far apart on average, or less.
pub fn folded(object: impl Into<String>, along: Axis, within: f64) -> P {
    P::Folded { object: object.into(), along, within }
}

/// This share of the points of a piece of cloth, or more, lies over a box of the frame in which it began: it is
/// folded into that.
pub fn lies_in(object: impl Into<String>, lower: [f64; 2], upper: [f64; 2], share: f64) -> P {
    P::LiesIn { object: object.into(), lower, upper, share }
}

/// A point of a piece of cloth lies where it should, 3 cm off at most.
pub fn point_at(object: impl Into<String>, point: [f64; 2], to: Spot) -> P {
    P::PointAt { object: object.into(), point, to, within: 0.03 }
}

/// A piece of cloth hangs on something: it touches it, no hand holds it, and its lowest point is this high
/// above the table.
pub fn hangs_on(object: impl Into<String>, on: impl Into<String>, clearance: f64) -> P {
    P::HangsOn { object: object.into(), on: on.into(), clearance }
}

/// An axis of a piece of cloth as cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// Its x.
    X,
    /// Its y.
    Y,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Soft {
    /// `area` is that as cut, `reach` the farthest corner from the middle.
    Spread {
        body: BodyId,
        area: f64,
        reach: f64,
        share: f64,
    },
    Covers {
        body: BodyId,
        patches: Vec<Patch>,
        share: f64,
    },
    /// Pairs of corners that mirror each other.
    Folded {
        body: BodyId,
        pairs: Vec<[u32; 2]>,
        within: f64,
    },
    /// `frame` is that in which it began.
    LiesIn {
        body: BodyId,
        frame: Pose,
        lower: [f64; 2],
        upper: [f64; 2],
        share: f64,
    },
    Point {
        body: BodyId,
        corner: u32,
        to: Aim,
        within: f64,
    },
    Hangs {
        body: BodyId,
        on: Span,
        clearance: f64,
    },
}

/// Where a point should lie.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Aim {
    Corner(u32),
    Place(DVec3),
    Patch(Patch, [f64; 2]),
}

impl Soft {
    /// The bodies an observer must see to judge it.
    pub fn about(&self) -> (BodyId, BodyId) {
        match self {
            Self::Spread { body, .. } | Self::Folded { body, .. } | Self::LiesIn { body, .. } => {
                (*body, 0)
            }
            Self::Point { body, to, .. } => match to {
                Aim::Patch(patch, _) => (*body, patch.body),
                Aim::Corner(_) | Aim::Place(_) => (*body, 0),
            },
            Self::Covers { body, patches, .. } => (*body, patches.first().map_or(0, |p| p.body)),
            Self::Hangs { body, on, .. } => (*body, on.0),
        }
    }

    pub fn measure<S: Sink>(&self, s: &Snapshot, r: &mut Report<'_, S>) {
        match self {
            Self::Spread { body, area, reach, share } => {
                let cell = 2.0 * reach / GRID as f64;
                let centre = Pose::new(s.bodies[*body].pose.pos.with_z(0.0), Default::default());
                let half = DVec3::new(*reach, *reach, 0.0);
                let seen = footprint(s, *body, &centre, half) as f64 * cell * cell / area;
                r.add("spread", seen, *share, Unit::Plain, Sense::AtLeast);
            }
            Self::Covers { body, patches, share } => {
                let covered = |p: &Patch| {
                    footprint(s, *body, &p.world(s), p.half) as f64 / (GRID * GRID) as f64
                };
                let best = patches.iter().map(covered).fold(0.0, f64::max);
                r.add("covered", best, *share, Unit::Plain, Sense::AtLeast);
            }
            Self::Folded { body, pairs, within } => {
                let Some(soft) = s.soft_of(*body) else { return r.truth("cloth", false) };
                let apart = |[i, j]: &[u32; 2]| {
                    let way = soft.points[*i as usize] - soft.points[*j as usize];
                    way.truncate().length()
                };
                let mean = pairs.iter().map(apart).sum::<f64>() / pairs.len().max(1) as f64;
                r.at_most("halves apart", mean, *within);
            }
            Self::LiesIn { body, frame, lower, upper, share } => {
                let Some(soft) = s.soft_of(*body) else { return r.truth("cloth", false) };
                let inside = |p: &&DVec3| {
                    let p = frame.local(**p).to_array();
                    (0..2).all(|k| (lower[k]..=upper[k]).contains(&p[k]))
                };
                let count = soft.points.iter().filter(inside).count();
                let seen = count as f64 / soft.points.len().max(1) as f64;
                r.add("inside", seen, *share, Unit::Plain, Sense::AtLeast);
            }
            Self::Point { body, corner, to, within } => {
                let Some(soft) = s.soft_of(*body) else { return r.truth("cloth", false) };
                let to = match to {
                    Aim::Corner(c) => soft.points[*c as usize],
                    Aim::Place(p) => *p,
                    Aim::Patch(p, [x, y]) => {
                        p.world(s).point(DVec3::new(x * p.half.x, y * p.half.y, 0.0))
                    }
                };
                let way = soft.points[*corner as usize] - to;
                r.at_most("off its spot", way.truncate().length(), *within);
            }
            Self::Hangs { body, on, clearance } => {
                r.truth("let go", !s.held(*body));
                r.truth("touching it", (on.0..=on.1).any(|b| s.touching.get(*body, b)));
                r.at_least("lowest point", s.bodies[*body].pose.pos.z, *clearance);
            }
        }
    }
}

/// Count the cells of a box's footprint that a sheet covers seen along the box's z.
fn footprint(s: &Snapshot, body: BodyId, frame: &Pose, half: DVec3) -> usize {
    let Some(soft) = s.soft_of(body) else { return 0 };
    let SoftKind::Sheet { triangles } = &soft.form.kind else { return 0 };
    let mut rows = [0u64; GRID];
    let cell = [half.x, half.y].map(|h| (2.0 * h / GRID as f64).max(1e-9));
    // In cells, from the lower corner, middles at whole numbers.
    let at = |v: u32| {
        let p = frame.local(soft.points[v as usize]);
        [(p.x + half.x) / cell[0] - 0.5, (p.y + half.y) / cell[1] - 0.5]
    };
    for t in triangles {
        let [a, b, c] = t.map(at);
        let range = |k: usize| {
            let (lo, hi) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
            (libm::ceil(lo).max(0.0), libm::floor(hi).min(GRID as f64 - 1.0))
        };
        let ((x0, x1), (y0, y1)) = (range(0), range(1));
        if !(x0 <= x1 && y0 <= y1) {
            continue;
        }
        let cross = |p: [f64; 2], q: [f64; 2], x: f64, y: f64| {
            (p[0] - x) * (q[1] - y) - (p[1] - y) * (q[0] - x)
        };
        for j in y0 as usize..=y1 as usize {
            for i in x0 as usize..=x1 as usize {
                let (x, y) = (i as f64, j as f64);
                let w = [cross(a, b, x, y), cross(b, c, x, y), cross(c, a, x, y)];
                if w.iter().all(|w| *w >= 0.0) || w.iter().all(|w| *w <= 0.0) {
                    rows[j] |= 1 << i;
                }
            }
        }
    }
    rows.iter().map(|r| r.count_ones() as usize).sum()
}

impl Bound {
    pub(super) fn bind_spread_out(&self, object: &str, share: f64) -> Result<Node, SpecError> {
        self.cloth(object, "spread-out", &|body, cut| {
            let corner = |v: u32| DVec3::from(cut.corners[v as usize]);
            let size = |t: &[u32; 3]| {
                let [a, b, c] = t.map(corner);
                (b - a).cross(c - a).length() / 2.0
            };
            let area = cut.triangles.iter().map(size).sum();
            let far = cut.corners.iter().map(|c| DVec3::from(*c).length()).fold(0.0, f64::max);
            Ok(Soft::Spread { body, area, reach: 1.2 * far, share }.into())
        })
    }

    pub(super) fn bind_covers(
        &self,
        object: &str,
        region: &str,
        share: f64,
    ) -> Result<Node, SpecError> {
        self.cloth(object, "covers", &|body, _| {
            let patches = self.places(region)?;
            if patches.is_empty() {
                return Err(self.wrong(region, "something with a region", "covers"));
            }
            Ok(Soft::Covers { body, patches, share }.into())
        })
    }

    pub(super) fn bind_folded(
        &self,
        object: &str,
        along: Axis,
        within: f64,
    ) -> Result<Node, SpecError> {
        self.cloth(object, "folded", &|body, cut| {
            let pairs = mirrored(cut, along);
            if pairs.is_empty() {
                return Err(self.wrong(object, "cloth with two halves alike", "folded"));
            }
            Ok(Soft::Folded { body, pairs, within }.into())
        })
    }

    pub(super) fn bind_point_at(
        &self,
        object: &str,
        point: [f64; 2],
        to: &Spot,
        within: f64,
    ) -> Result<Node, SpecError> {
        let start = self.began(object)?;
        self.cloth(object, "point-at", &|body, cut| {
            let to = match to {
                Spot::Point(p) => Aim::Corner(cut.nearest(*p)),
                Spot::Start([x, y]) => Aim::Place(start.point(DVec3::new(*x, *y, 0.0))),
                Spot::Region { name, at } => match self.places(name)?.first() {
                    Some(patch) => Aim::Patch(*patch, *at),
                    None => return Err(self.wrong(name, "something with a region", "point-at")),
                },
            };
            Ok(Soft::Point { body, corner: cut.nearest(point), to, within }.into())
        })
    }

    pub(super) fn bind_lies_in(
        &self,
        object: &str,
        [lower, upper]: [[f64; 2]; 2],
        share: f64,
    ) -> Result<Node, SpecError> {
        let frame = self.began(object)?;
        self.cloth(object, "lies-in", &|body, _| {
            Ok(Soft::LiesIn { body, frame, lower, upper, share }.into())
        })
    }

    /// The frame in which an object began.
    fn began(&self, object: &str) -> Result<Pose, SpecError> {
        Ok(match self.resolve(object)? {
            Referent::Object(m) => m.start,
            _ => Pose::IDENTITY,
        })
    }

    /// The patches of a region, or of an object's first one.
    pub(super) fn places(&self, region: &str) -> Result<Vec<Patch>, SpecError> {
        Ok(match self.resolve(region)? {
            // A tolerance is for objects beside it; cloth is counted within.
            Referent::Table(r) => patches(&RegionSpec { tolerance: 0.0, ..r.clone() }),
            Referent::Region(m, r) => patch_of(m, r).into_iter().collect(),
            Referent::Object(m) => {
                m.info.regions.first().and_then(|r| patch_of(m, r)).into_iter().collect()
            }
            Referent::Part(..) => Vec::new(),
        })
    }

    pub(super) fn bind_hangs_on(
        &self,
        object: &str,
        on: &str,
        clearance: f64,
    ) -> Result<Node, SpecError> {
        self.cloth(object, "hangs-on", &|body, _| {
            self.solid(on, "hangs-on", &|a, _| {
                Ok(Soft::Hangs { body, on: self.bodies_of(a.id), clearance }.into())
            })
        })
    }

    /// Applies `f` to the body of a piece of cloth.
    fn cloth(
        &self,
        name: &str,
        place: &'static str,
        f: &dyn Fn(BodyId, &Cut) -> Result<Node, SpecError>,
    ) -> Result<Node, SpecError> {
        self.solid(name, place, &|a, m: &Member| match m.info.matter.as_deref() {
            Some(Matter::Fabric(fabric)) => f(a.id, &fabric.cut),
            _ => Err(self.wrong(name, "cloth", place)),
        })
    }
}

/// Pairs of corners that mirror each other at a line through the middle.
fn mirrored(cut: &Cut, along: Axis) -> Vec<[u32; 2]> {
    let corner = |c: &[f64; 3]| DVec3::from(*c);
    let middle = |k: usize| {
        let values = cut.corners.iter().map(|c| c[k]);
        (values.clone().fold(f64::MAX, f64::min) + values.fold(f64::MIN, f64::max)) / 2.0
    };
    let k = match along {
        Axis::X => 1,
        Axis::Y => 0,
    };
    let at = middle(k);
    let mut pairs = Vec::new();
    for (i, c) in cut.corners.iter().enumerate().filter(|(_, c)| c[k] < at - 1e-6) {
        let mut image = corner(c);
        image[k] = 2.0 * at - image[k];
        let found = cut.corners.iter().position(|o| (corner(o) - image).length() < 1e-6);
        pairs.extend(found.map(|j| [i as u32, j as u32]));
    }
    pairs
}
