//! From predicates over names to atoms over bodies. Validation is binding against each asset an
//! object may be.

use longarm_assets::{Region, RegionKind};
use longarm_types::{Bounds, DVec3, Pose};

use super::atom::{Area, Atom, Height, Patch, Solid, Span};
use super::bound::{BoundPredicate, Node};
use super::cast::{Bound, Member, Thing, floor, half_z, own_region, region_body, surface_point};
use super::margins::Sense;
use super::{Predicate, RegionTest};
use crate::goal::{BoundGoal, BoundObject, BoundSlot, MOST, Thing as Boxed};
use crate::{BodyId, Goal, RegionSpec, Slot, Snapshot, SpecError};

impl Bound {
    /// Resolves a predicate.
    pub fn predicate(&self, p: &Predicate) -> Result<BoundPredicate, SpecError> {
        self.node(p).map(BoundPredicate)
    }

    /// Applies `f` to a name, or to each member of a group: some member must do.
    fn each(
        &self,
        name: &str,
        f: &dyn Fn(&str) -> Result<Node, SpecError>,
    ) -> Result<Node, SpecError> {
        match self.groups.get(name) {
            Some(g) => Ok(Node::AtLeast(1, g.iter().map(|m| f(m)).collect::<Result<_, _>>()?)),
            None => f(name),
        }
    }

    /// Applies `f` to the body of a name; an atom about an absent object never holds.
    fn solid(
        &self,
        name: &str,
        place: &'static str,
        f: &dyn Fn(Solid, &Member) -> Result<Node, SpecError>,
    ) -> Result<Node, SpecError> {
        self.each(name, &|name| {
            let (m, offset, bounds) = match self.resolve(name)? {
                Thing::Object(m) => (m, 0, m.info.bounds),
                Thing::Part(m, p) => (m, 1 + p, Bounds::default()),
                _ => return Err(self.wrong(name, "an object or part", place)),
            };
            // Bound even when absent, so that a mistake shows in every scene.
            let node = f(Solid { id: m.body.unwrap_or(0) + offset, bounds }, m)?;
            Ok(if m.body.is_some() { node } else { Node::Atom(Atom::Never) })
        })
    }

    fn node(&self, p: &Predicate) -> Result<Node, SpecError> {
        use Predicate as P;
        let atom = |a| Ok(Node::Atom(a));
        match p {
            P::On { object, support, within } => self
                .solid(object, "on", &|a, _| self.each(support, &|b| self.carried(a, b, *within))),
            P::In { object, region } => {
                self.solid(object, "in", &|a, _| self.each(region, &|b| self.inside(a, b)))
            }
            P::At { object, region } => self.solid(object, "at", &|a, _| {
                self.each(region, &|b| match self.resolve(b)? {
                    Thing::Object(_) | Thing::Part(..) => Err(self.wrong(b, "a region", "at")),
                    _ => self.carried(a, b, None),
                })
            }),
            P::AtStart { object, of, within } => self.solid(object, "back at start", &|a, m| {
                let of = match of {
                    None => m,
                    Some(o) => match self.resolve(o)? {
                        Thing::Object(m) => m,
                        _ => return Err(self.wrong(o, "an object", "back at start")),
                    },
                };
                if of.body.is_none() {
                    return atom(Atom::Never);
                }
                let start = of.info.bounds.centre_in(&of.start);
                atom(Atom::Back { a, by: self.bodies_of(of.starts_on), start, within: *within })
            }),
            P::Grasped { object } => {
                self.solid(object, "grasped", &|a, _| atom(Atom::Grasped(a.id)))
            }
            P::Lifted { object, clearance, above } => self.solid(object, "lifted", &|a, m| {
                let over = match above {
                    None => Height::Fixed(bottom(&a.bounds, &m.start)),
                    Some(b) => self.surface(b)?,
                };
                atom(Atom::Lifted { a, span: span(m), over, clearance: *clearance })
            }),
            P::Open { part } => self.each(part, &|p| self.joint(p, true)),
            P::Closed { part } => self.each(part, &|p| self.joint(p, false)),
            P::HandEmpty => atom(Atom::Empty),
            P::HandAway { distance } => {
                let from = self.cast.iter().filter(|m| !m.info.fixed).flat_map(solids).collect();
                atom(Atom::Away { from, distance: *distance })
            }
            P::HandClearOf { object, distance } => self.solid(object, "hand clear of", &|a, m| {
                atom(Atom::Clear { a, span: span(m), distance: *distance })
            }),
            P::HandOver { object, within } => {
                self.solid(object, "hand over", &|a, _| atom(Atom::HandOver { a, within: *within }))
            }
            P::Still { object } => self.solid(object, "still", &|a, _| atom(Atom::Still(a.id))),
            P::Upright { object, within } => self
                .solid(object, "upright", &|a, _| atom(Atom::Upright { a: a.id, within: *within })),
            P::Above { object, below } => {
                self.solid(object, "above", &|a, _| self.each(below, &|b| self.above(a, b)))
            }
            P::OriginOn { object, support, region_test } => self.solid(object, "on", &|a, _| {
                self.each(support, &|b| self.origin_on(a, b, *region_test))
            }),
            P::OriginIn { object, region } => {
                self.solid(object, "in", &|a, _| self.each(region, &|b| self.origin_in(a, b)))
            }
            P::Touching { object, other } => self.solid(object, "touching", &|a, _| {
                self.solid(other, "touching", &|b, _| atom(Atom::Touching(a.id, b.id)))
            }),
            P::Near { object, other, within } => self.solid(object, "near", &|a, _| {
                self.solid(other, "near", &|b, _| atom(Atom::Near { a, b, within: *within }))
            }),
            P::Aligned { object, other, within } => self.solid(object, "aligned", &|a, m| {
                let n = f64::from(m.info.symmetry);
                let period = if n > 0.0 { std::f64::consts::TAU / n } else { 0.0 };
                self.solid(other, "aligned", &|b, _| {
                    atom(Atom::Aligned { a: a.id, b: b.id, period, within: *within })
                })
            }),
            P::Through { object, opening, past } => self.solid(object, "through", &|a, m| {
                let Thing::Region(om, r) = self.resolve(opening)? else {
                    return Err(self.wrong(opening, "an object's region", "through"));
                };
                let Some(patch) = patch_of(om, r) else { return atom(Atom::Never) };
                atom(Atom::Through { end: a.id, span: span(m), patch, past: *past })
            }),
            P::Placed { n, goal } => atom(Atom::Placed { n: *n, goal: Box::new(self.goal(goal)?) }),
            P::With { limb, that } => Ok(Node::With(self.limb(limb)?, Box::new(self.node(that)?))),
            P::Not(p) => Ok(Node::Not(Box::new(self.node(p)?))),
            P::All(of) => self.nodes(of.len(), of),
            P::Any(of) => self.nodes(1, of),
            P::AtLeast { n, of } => self.nodes(*n, of),
        }
    }

    fn goal(&self, goal: &Goal) -> Result<BoundGoal, SpecError> {
        let most = goal.objects.len().max(goal.slots.len());
        if most > MOST {
            let (task, what) = (self.task.clone(), "the size of the goal".to_owned());
            let wanted = "at most 32 objects and places";
            return Err(SpecError::BadNumber { task, what, value: most.to_string(), wanted });
        }
        let mut objects = Vec::new();
        for b in &goal.objects {
            self.movable(&b.object, "a goal")?;
            let (thing, m) = self.boxed(&b.object)?;
            let n = f64::from(m.info.symmetry);
            let period = if n > 0.0 { std::f64::consts::TAU / n } else { 0.0 };
            let may = b.slots.iter().filter(|j| **j < goal.slots.len()).fold(0, |m, j| m | 1 << j);
            objects.push(BoundObject { thing, period, may });
        }
        let slots = goal.slots.iter().map(|s| self.slot(s)).collect::<Result<_, _>>()?;
        Ok(BoundGoal { slots, objects, ceiling: self.ceiling })
    }

    fn slot(&self, slot: &Slot) -> Result<BoundSlot, SpecError> {
        let of = slot.of.as_ref().map(|o| self.boxed(o)).transpose()?.map(|(thing, _)| thing);
        Ok(BoundSlot { of, slot: slot.clone() })
    }

    /// Where the underside of what belongs in a slot should be now.
    pub fn slot_pose(&self, slot: &Slot, s: &Snapshot) -> Result<Pose, SpecError> {
        Ok(self.slot(slot)?.pose(s))
    }

    fn boxed(&self, name: &str) -> Result<(Boxed, &Member), SpecError> {
        match self.resolve(name)? {
            Thing::Object(m) => Ok((Boxed { body: m.body.unwrap_or(0), bounds: m.info.bounds }, m)),
            _ => Err(self.wrong(name, "an object", "a goal")),
        }
    }

    fn nodes(&self, n: usize, of: &[Predicate]) -> Result<Node, SpecError> {
        Ok(Node::AtLeast(n, of.iter().map(|p| self.node(p)).collect::<Result<_, _>>()?))
    }

    fn carried(&self, a: Solid, support: &str, within: Option<f64>) -> Result<Node, SpecError> {
        let area = |otherwise| within.map_or(otherwise, Area::Round);
        let atom = match self.resolve(support)? {
            Thing::Object(m) => {
                let Some(body) = m.body else { return Ok(Node::Atom(Atom::Never)) };
                let mut patch = carrying(m, body);
                patch.area = area(patch.area);
                Atom::Carried { a, by: carrier(m, span(m)), patch, level: false }
            }
            Thing::Part(m, p) => {
                let Some(body) = m.body else { return Ok(Node::Atom(Atom::Never)) };
                let body = body + 1 + p;
                let area = area(Area::Everywhere);
                let patch = Patch { body, pose: Pose::IDENTITY, half: DVec3::ZERO, area };
                Atom::Carried { a, by: (body, body), patch, level: false }
            }
            Thing::Region(_, r) if r.kind == RegionKind::Volume => {
                return self.inside(a, support);
            }
            Thing::Region(m, r) => {
                let Some(mut patch) = patch_of(m, r) else { return Ok(Node::Atom(Atom::Never)) };
                patch.area = area(patch.area);
                let by = if r.part.is_some() { (patch.body, patch.body) } else { span(m) };
                Atom::Carried { a, by: carrier(m, by), patch, level: true }
            }
            Thing::Table(r) => Atom::Within { a, patches: patches(r) },
        };
        Ok(Node::Atom(atom))
    }

    fn inside(&self, a: Solid, region: &str) -> Result<Node, SpecError> {
        let (m, r) = match self.resolve(region)? {
            Thing::Region(m, r) if r.kind == RegionKind::Volume => (m, r),
            Thing::Region(..) | Thing::Table(_) => return self.carried(a, region, None),
            Thing::Object(m) | Thing::Part(m, _) => match own_region(&m.info, RegionKind::Volume) {
                Some(r) => (m, r),
                None => {
                    let (task, name) = (self.task.clone(), region.to_owned());
                    return Err(SpecError::NoInside { task, name, noun: m.noun.clone() });
                }
            },
        };
        let Some(patch) = patch_of(m, r) else { return Ok(Node::Atom(Atom::Never)) };
        Ok(Node::Atom(Atom::Inside { a, patch }))
    }

    fn origin_on(&self, a: Solid, support: &str, test: RegionTest) -> Result<Node, SpecError> {
        let never = Ok(Node::Atom(Atom::Never));
        Ok(Node::Atom(match self.resolve(support)? {
            Thing::Object(m) => match m.body {
                None => return never,
                Some(b) => Atom::Atop { a: a.id, b, by: span(m) },
            },
            Thing::Part(m, p) => match m.body {
                None => return never,
                Some(b) => Atom::Atop { a: a.id, b: b + 1 + p, by: (b + 1 + p, b + 1 + p) },
            },
            Thing::Region(_, r) if r.kind == RegionKind::Volume => {
                return self.origin_in(a, support);
            }
            Thing::Region(m, r) => match patch_of(m, r) {
                None => return never,
                Some(patch) => Atom::OnSite { a: a.id, patches: vec![patch], by: Some(span(m)) },
            },
            Thing::Table(r) => {
                let carried = test == RegionTest::Carried;
                let tolerance = if carried { r.tolerance } else { 0.0 };
                let region = RegionSpec { tolerance, ..r.clone() };
                let by = carried.then_some((0, 0));
                Atom::OnSite { a: a.id, patches: patches(&region), by }
            }
        }))
    }

    fn origin_in(&self, a: Solid, region: &str) -> Result<Node, SpecError> {
        let (m, r, by) = match self.resolve(region)? {
            Thing::Region(m, r) => (m, r, None),
            Thing::Object(m) => match own_region(&m.info, RegionKind::Volume) {
                Some(r) => (m, r, Some(span(m))),
                None => {
                    let (task, name) = (self.task.clone(), region.to_owned());
                    return Err(SpecError::NoInside { task, name, noun: m.noun.clone() });
                }
            },
            _ => return Err(self.wrong(region, "an object or a region of one", "in")),
        };
        let Some(patch) = patch_of(m, r) else { return Ok(Node::Atom(Atom::Never)) };
        Ok(Node::Atom(Atom::InSite { a: a.id, patch, by }))
    }

    fn above(&self, a: Solid, below: &str) -> Result<Node, SpecError> {
        let never = Node::Atom(Atom::Never);
        Ok(match self.resolve(below)? {
            Thing::Object(m) | Thing::Part(m, _) => {
                let Some(body) = m.body else { return Ok(never) };
                let b = &m.info.bounds;
                let patch = footprint(m, body);
                let top = DVec3::from(b.centre) + DVec3::Z * b.half[2];
                Node::Atom(Atom::Above { a, patch, top: Height::Point(body, top) })
            }
            Thing::Region(m, r) => {
                let Some(patch) = patch_of(m, r) else { return Ok(never) };
                let up = if r.kind == RegionKind::Volume { half_z(r) } else { 0.0 };
                let top = Height::Point(patch.body, r.pose.pos + DVec3::Z * up);
                Node::Atom(Atom::Above { a, patch, top })
            }
            Thing::Table(r) => {
                let top = Height::Fixed(r.z);
                let atoms =
                    patches(r).into_iter().map(|patch| Node::Atom(Atom::Above { a, patch, top }));
                Node::AtLeast(1, atoms.collect())
            }
        })
    }

    /// The height things stand at on an object or region.
    fn surface(&self, path: &str) -> Result<Height, SpecError> {
        // Any member of a group will do: they are of a kind.
        let first = self.groups.get(path).and_then(|g| g.first());
        let path = first.map_or(path, String::as_str);
        Ok(match self.resolve(path)? {
            Thing::Table(r) => Height::Fixed(r.z),
            Thing::Part(m, p) => Height::Point(m.body.unwrap_or(0) + 1 + p, DVec3::ZERO),
            Thing::Region(m, r) => Height::Point(region_body(m, r).unwrap_or(0), floor(r)),
            Thing::Object(m) => Height::Point(m.body.unwrap_or(0), surface_point(&m.info)),
        })
    }

    fn joint(&self, path: &str, open: bool) -> Result<Node, SpecError> {
        let not_openable = |m: &Member| SpecError::NotOpenable {
            task: self.task.clone(),
            name: path.to_owned(),
            noun: m.noun.clone(),
        };
        let (m, parts): (&Member, Vec<usize>) = match self.resolve(path)? {
            Thing::Part(m, p) => (m, vec![p]),
            Thing::Object(m) => (m, (0..m.info.parts.len()).collect()),
            Thing::Region(m, r) => (
                m,
                m.info
                    .parts
                    .iter()
                    .position(|p| Some(&p.name) == r.part.as_ref())
                    .into_iter()
                    .collect(),
            ),
            Thing::Table(_) => return Err(self.wrong(path, "a part", "open or closed")),
        };
        if parts.is_empty() {
            return Err(not_openable(m));
        }
        let Some(body) = m.body else { return Ok(Node::Atom(Atom::Never)) };
        let want = if open { 1 } else { parts.len() };
        let label = if open { "open" } else { "closed" };
        let each = parts.into_iter().map(|i| {
            let part = &m.info.parts[i];
            let [lo, hi] = if open { part.open } else { part.closed };
            // A joint may overshoot its stop a little: the bound at the stop is no bound.
            let at =
                |limit, sense| Node::Atom(Atom::Joint { body: body + 1 + i, limit, sense, label });
            let mut ends = Vec::new();
            if lo > part.range[0] + 1e-9 {
                ends.push(at(lo, Sense::AtLeast));
            }
            if hi < part.range[1] - 1e-9 {
                ends.push(at(hi, Sense::AtMost));
            }
            Node::AtLeast(ends.len(), ends)
        });
        Ok(Node::AtLeast(want, each.collect()))
    }
}

fn span(m: &Member) -> Span {
    let b = m.body.unwrap_or(0);
    (b, b + m.info.parts.len())
}

/// What carries a thing on `m`: a zone is paint, the table below it carries.
fn carrier(m: &Member, bodies: Span) -> Span {
    if m.info.flat { (0, 0) } else { bodies }
}

/// A thing's boxes; one that bends is its bodies.
fn solids(m: &Member) -> Vec<Solid> {
    let Some(body) = m.body else { return Vec::new() };
    if m.info.parts.is_empty() {
        return vec![Solid { id: body, bounds: m.info.bounds }];
    }
    (body..=body + m.info.parts.len()).map(|id| Solid { id, bounds: Bounds::default() }).collect()
}

fn bottom(b: &Bounds, pose: &Pose) -> f64 {
    b.centre_in(pose).z - b.half_in(pose).z
}

fn patch_of(m: &Member, r: &Region) -> Option<Patch> {
    let body = region_body(m, r)?;
    Some(Patch { body, pose: r.pose, half: r.half.into(), area: Area::Box })
}

fn patches(r: &RegionSpec) -> Vec<Patch> {
    let each = r.rects.iter().map(|rect| {
        let ([x, y], [hx, hy]) = (rect.centre(), rect.half());
        let half = DVec3::new(hx + r.tolerance, hy + r.tolerance, 0.0);
        Patch { body: 0, pose: Pose::at(x, y, r.z), half, area: Area::Box }
    });
    each.collect()
}

/// The footprint of a whole object.
fn footprint(m: &Member, body: BodyId) -> Patch {
    let b = &m.info.bounds;
    let area = if m.info.symmetry == 0 { Area::Round(b.half[0].min(b.half[1])) } else { Area::Box };
    Patch { body, pose: Pose::new(b.centre.into(), Default::default()), half: b.half.into(), area }
}

/// Where on an object things stand: its own surface if it has one, else its whole footprint.
fn carrying(m: &Member, body: BodyId) -> Patch {
    let whole = footprint(m, body);
    match own_region(&m.info, RegionKind::Surface) {
        None => whole,
        Some(r) => {
            let area = match whole.area {
                Area::Round(_) => Area::Round(r.half[0].min(r.half[1])),
                other => other,
            };
            Patch { body, pose: r.pose, half: r.half.into(), area }
        }
    }
}
