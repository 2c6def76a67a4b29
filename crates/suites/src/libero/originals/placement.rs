//! What a reset draws: LIBERO's own samplers, in LIBERO's own order.
//!
//! The original draws from NumPy's global generator: noise of the arm, joints of fixtures, places on the
//! table, then places on and in others. A stored state holds joints, not fixtures; so these are drawn here
//! even where everything else is known.

use longarm_assets::source::Element;
use longarm_task::bddl::{Fact, Problem, Region, Relation};
use longarm_types::{DQuat, DVec3, LegacyRandom, Pose};

use super::arena::Class;
use super::objects::Item;
use super::release::Release;
use super::success::Parts;
use super::turns::{rotate, turn};
use super::{OriginalError, unary};

/// How often a model was loaded by the end of the first reset. Each time, the original appends its
/// samplers of joints to those there are.
const LOADS: usize = 2;
/// How often an object's place is drawn before the original gives up and resets once more.
const TRIES: usize = 5000;
/// How often it may reset before there is no room; the original goes on for ever.
const RESETS: usize = 20;

/// Where everything is after a reset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawn {
    /// Fixtures and where they stand.
    pub fixtures: Vec<(String, Pose)>,
    /// Objects and where they lie; the quaternion as the original writes it, w first.
    pub objects: Vec<(String, DVec3, [f64; 4])>,
    /// Joints of fixtures and their positions.
    pub joints: Vec<(String, f64)>,
}

/// What is there to be placed, and how.
pub(super) struct Sampler<'a> {
    pub problem: &'a Problem,
    pub class: &'a Class,
    pub items: &'a [Item],
    pub parts: &'a Parts,
    pub release: &'a Release,
}

/// An object that has its place.
struct Placed<'a> {
    item: &'a Item,
    at: DVec3,
    quat: [f64; 4],
}

/// Where an object's place is drawn.
struct Spot {
    ranges: Vec<[f64; 4]>,
    /// How far it stays away from the edges.
    inset: f64,
    from: DVec3,
    /// It must not overlap with others.
    apart: bool,
}

impl Sampler<'_> {
    /// Draw as the first reset after `numpy.random.seed` does.
    pub(super) fn reset(&self, seed: u32) -> Result<Drawn, OriginalError> {
        let mut random = LegacyRandom::new(seed);
        let mut again = 0;
        loop {
            match self.once(&mut random, LOADS + again) {
                Err(OriginalError::Crowded { .. }) if again < RESETS => again += 1,
                other => return other,
            }
        }
    }

    fn once(&self, random: &mut LegacyRandom, loads: usize) -> Result<Drawn, OriginalError> {
        // The noise of the arm's joints, drawn even where it is none.
        for _ in 0..7 {
            random.normal();
        }
        let mut out = Drawn { joints: self.joints(random, loads), ..Drawn::default() };
        let mut placed: Vec<Placed> = Vec::new();
        for (fact, item, region) in self.on_table() {
            let inset = if item.movable && self.class.inside { item.extent.radius } else { 0.0 };
            let raised = if item.movable { 0.01 } else { self.class.fixture_lift };
            let from = DVec3::from(self.class.origin) + DVec3::Z * raised;
            let spot = Spot { ranges: region.ranges.clone(), inset, from, apart: item.movable };
            let at = place(random, fact, item, &spot, &placed)?;
            let quat = match item.movable {
                true => turn(item, random),
                false => {
                    let [a, b] = region.yaw.unwrap_or([0.0, 0.0]);
                    let half = random.uniform(a.min(b), a.max(b)) / 2.0;
                    [libm::cos(half), 0.0, 0.0, libm::sin(half)]
                }
            };
            placed.push(Placed { item, at, quat });
        }
        for (fact, inside) in self.on_sites().chain(self.in_sites()) {
            self.at_site(random, fact, inside, &out.joints, &mut placed)?;
        }
        for fact in self.on_objects() {
            let Some(item) = self.item(fact.subject()) else { continue };
            let Some(below) = placed.iter().find(|p| p.item.name == fact.place()) else { continue };
            let from = below.at + DVec3::Z * (below.item.extent.top + 0.01);
            let spot = Spot { ranges: vec![[0.0; 4]], inset: 0.0, from, apart: false };
            let at = place(random, fact, item, &spot, &placed)?;
            let quat = turn(item, random);
            placed.push(Placed { item, at, quat });
        }
        for Placed { item, at, quat } in placed {
            if item.movable {
                out.objects.push((item.name.clone(), at, quat));
            } else {
                let [w, x, y, z] = quat;
                out.fixtures.push((item.name.clone(), Pose::new(at, DQuat::from_xyzw(x, y, z, w))));
            }
        }
        Ok(out)
    }

    /// Draw joints of fixtures that are to be open, shut, on or off; the last draw of each counts.
    fn joints(&self, random: &mut LegacyRandom, loads: usize) -> Vec<(String, f64)> {
        let mut out: Vec<(String, f64)> = Vec::new();
        for _ in 0..loads {
            for fact in self.problem.init.iter().filter(|f| unary(f.relation)) {
                let Some((joints, [low, high])) = self.parts.state_of(fact) else { continue };
                let value = random.uniform(low, high);
                for joint in joints {
                    out.retain(|(known, _)| known != joint);
                    out.push((joint.clone(), value));
                }
            }
        }
        out
    }

    /// Place an object on or in a site of another.
    fn at_site<'a>(
        &'a self,
        random: &mut LegacyRandom,
        fact: &Fact,
        inside: bool,
        joints: &[(String, f64)],
        placed: &mut Vec<Placed<'a>>,
    ) -> Result<(), OriginalError> {
        let (site, region) = (fact.place(), self.problem.region(fact.place()));
        let owner = region.and_then(|r| placed.iter().find(|p| p.item.name == r.target));
        let half = self.parts.site_half(site);
        let (Some(item), Some(owner), Some(half)) = (self.item(fact.subject()), owner, half) else {
            return Err(OriginalError::Unknown {
                what: "place of the initial state",
                name: site.to_owned(),
                remedy: "its object has no place of its own, or no site of this name",
            });
        };
        let joint = |name: &str| joints.iter().find(|j| j.0 == name).map_or(0.0, |j| j.1);
        let offset = site_in(&owner.item.body, site, Pose::IDENTITY, &joint).unwrap_or_default();
        let (spread, inset, above) = match inside {
            true => (self.release.spread_inside, 0.0, 0.0),
            false => (true, item.extent.radius, owner.item.extent.top),
        };
        let half = if spread { half / 2.0 } else { DVec3::ZERO };
        let from = owner.at + rotate(owner.quat, offset) + DVec3::Z * above;
        let ranges = vec![[-half.x, -half.y, half.x, half.y]];
        let spot = Spot { ranges, inset, from, apart: true };
        let at = place(random, fact, item, &spot, placed)?;
        let quat = turn(item, random);
        placed.push(Placed { item, at, quat });
        Ok(())
    }

    fn item(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|i| i.name == name)
    }

    fn facts(&self, relation: Relation) -> impl Iterator<Item = &Fact> {
        self.problem.init.iter().filter(move |f| f.relation == relation)
    }

    /// Facts that put something into a region of the table.
    fn on_table(&self) -> impl Iterator<Item = (&Fact, &Item, &Region)> {
        self.facts(Relation::On).filter_map(|fact| {
            let region = self.problem.region(fact.place())?;
            let own = self.item(&region.target).is_none();
            own.then(|| Some((fact, self.item(fact.subject())?, region))).flatten()
        })
    }

    /// Facts that put something onto a site of another.
    fn on_sites(&self) -> impl Iterator<Item = (&Fact, bool)> {
        let sited = |f: &&Fact| {
            let region = self.problem.region(f.place());
            region.is_some_and(|r| self.item(&r.target).is_some())
        };
        self.facts(Relation::On).filter(sited).map(|f| (f, false))
    }

    fn in_sites(&self) -> impl Iterator<Item = (&Fact, bool)> {
        let known = |f: &&Fact| self.problem.region(f.place()).is_some();
        self.facts(Relation::In).filter(known).map(|f| (f, true))
    }

    /// Facts that put something onto an object as a whole.
    fn on_objects(&self) -> impl Iterator<Item = &Fact> {
        let whole = |f: &&Fact| self.problem.objects.iter().any(|o| o.name == f.place());
        self.facts(Relation::On).filter(whole)
    }
}

/// Draw until the object overlaps with nothing.
fn place(
    random: &mut LegacyRandom,
    fact: &Fact,
    item: &Item,
    spot: &Spot,
    placed: &[Placed],
) -> Result<DVec3, OriginalError> {
    let crowded = || OriginalError::Crowded { name: fact.subject().to_owned() };
    if spot.ranges.is_empty() {
        return Err(crowded());
    }
    for _ in 0..TRIES {
        let [x0, y0, x1, y1] = spot.ranges[random.below(spot.ranges.len() as u32) as usize];
        let x = random.uniform(x0 + spot.inset, x1 - spot.inset) + spot.from.x;
        let y = random.uniform(y0 + spot.inset, y1 - spot.inset) + spot.from.y;
        let at = DVec3::new(x, y, spot.from.z - item.extent.bottom);
        let free = |other: &Placed| {
            let apart = (at - other.at).truncate().length();
            apart > other.item.extent.radius + item.extent.radius
                || at.z - other.at.z > other.item.extent.top - item.extent.bottom
        };
        if !spot.apart || placed.iter().all(free) {
            return Ok(at);
        }
    }
    Err(crowded())
}

/// Where a site is while its object stands where its file puts it, with joints at these positions.
fn site_in(body: &Element, site: &str, parent: Pose, joint: &dyn Fn(&str) -> f64) -> Option<DVec3> {
    let vector = |e: &Element, name: &str| {
        let numbers = e.numbers(name)?;
        Some(DVec3::new(*numbers.first()?, *numbers.get(1)?, *numbers.get(2)?))
    };
    let quat = match body.numbers("quat").as_deref() {
        Some([w, x, y, z]) => DQuat::from_xyzw(*x, *y, *z, *w).normalize(),
        _ => DQuat::IDENTITY,
    };
    let mut here = parent * Pose::new(vector(body, "pos").unwrap_or_default(), quat);
    for e in body.children.iter().filter(|c| c.tag() == "joint") {
        let value = e.name().map_or(0.0, joint);
        let axis = vector(e, "axis").unwrap_or(DVec3::Z).normalize_or_zero();
        match e.get("type") {
            Some("slide") => here.pos += here.rot * axis * value,
            None | Some("hinge") if value != 0.0 => {
                let anchor = here.point(vector(e, "pos").unwrap_or_default());
                here.rot *= DQuat::from_axis_angle(axis, value);
                let moved = here.point(vector(e, "pos").unwrap_or_default());
                here.pos += anchor - moved;
            }
            _ => {}
        }
    }
    let found = body.children.iter().find(|c| c.tag() == "site" && c.name() == Some(site));
    if let Some(found) = found {
        return Some(here.point(vector(found, "pos").unwrap_or_default()));
    }
    let mut inner = body.children.iter().filter(|c| c.tag() == "body");
    inner.find_map(|b| site_in(b, site, here, joint))
}
