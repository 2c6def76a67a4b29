//! LIBERO's own test of success, on LIBERO's own sites, joints and contacts.

use std::collections::BTreeMap;

use longarm_assets::source::Element;
use longarm_task::bddl::{Fact, Instance, Problem, Relation};
use longarm_task::{Glow, SourceGoal, SourceNames, SourceView};
use longarm_types::DVec3;

use super::release::Release;
use super::{OriginalError, root_body, unary};

/// Sites and joints of the objects of a scene.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    sites: BTreeMap<String, Site>,
    /// Joints and category of each object.
    joints: BTreeMap<String, (String, Vec<String>)>,
}

/// A place of an object: its half size, whose it is, and the joints that move it.
#[derive(Clone, Debug, PartialEq)]
struct Site {
    half: DVec3,
    owner: Option<String>,
    joints: Vec<String>,
}

impl Parts {
    /// Note the sites and joints of an object.
    pub(super) fn add(&mut self, instance: &Instance, body: &Element) {
        let added =
            [format!("{}_default_site", instance.name), format!("{}_joint0", instance.name)];
        let own = |e: &&Element| e.name().is_none_or(|n| !added.iter().any(|a| a == n));
        let named = |e: &Element| e.name().map(str::to_owned);
        let all = body.all();
        let joints = all.iter().copied().filter(|e| e.tag() == "joint").filter(own);
        let joints = joints.filter_map(named).collect();
        self.joints.insert(instance.name.clone(), (instance.category.clone(), joints));
        // As LIBERO looks for them: bodies in the order of the file up to the first without a site below
        // it; a site belongs to the last body that has it.
        for part in all.iter().copied().filter(|e| e.tag() == "body") {
            let sites: Vec<&Element> =
                part.all().into_iter().filter(|e| e.tag() == "site").filter(own).collect();
            if sites.is_empty() {
                break;
            }
            let direct = part.children.iter().filter(|e| e.tag() == "joint").filter(own);
            let joints: Vec<String> = direct.filter_map(named).collect();
            for site in sites {
                let (Some(name), Some(size)) = (named(site), site.numbers("size")) else {
                    continue;
                };
                let half = |i: usize| size.get(i).copied().unwrap_or(0.0);
                let half = DVec3::new(half(0), half(1), half(2));
                let owner = Some(instance.name.clone());
                self.sites.insert(name, Site { half, owner, joints: joints.clone() });
            }
        }
    }
}

/// Between which positions a joint is drawn open and shut, by category. It counts as open beyond the end
/// that is nearer to shut, and as shut beyond the end that is nearer to open.
struct Ranges {
    category: &'static str,
    open: [f64; 2],
    shut: [f64; 2],
}

const fn ranges(category: &'static str, open: [f64; 2], shut: [f64; 2]) -> Ranges {
    Ranges { category, open, shut }
}

const RANGES: &[Ranges] = &[
    ranges("microwave", [-2.094, -1.3], [-0.005, 0.0]),
    ranges("short_cabinet", [0.10, 0.16], [-0.005, 0.0]),
    ranges("short_fridge", [2.0, 2.7], [-0.005, 0.0]),
    ranges("wooden_cabinet", [-0.16, -0.14], [0.0, 0.005]),
    ranges("wooden_cabinet_tall_bottom", [-0.16, -0.14], [0.0, 0.005]),
    ranges("white_cabinet", [-0.16, -0.14], [0.0, 0.005]),
];

impl Ranges {
    fn of(category: &str) -> Option<&'static Self> {
        RANGES.iter().find(|r| r.category == category)
    }

    fn is_open(&self, q: f64) -> bool {
        if self.open[0] < 0.0 { q < self.open[1] } else { q > self.open[0] }
    }

    fn is_shut(&self, q: f64) -> bool {
        if self.open[0] < 0.0 { q > self.shut[0] } else { q < self.shut[1] }
    }
}

const STOVE: &str = "flat_stove";
/// Between which positions its knob is drawn on, and off.
const ON: [f64; 2] = [0.5, 2.1];
const OFF: [f64; 2] = [-0.005, 0.0];

/// Stoves glow while they are on.
pub(super) fn glows(problem: &Problem) -> Vec<Glow> {
    let all = problem.fixtures.iter().chain(&problem.objects);
    let glow = |i: &Instance| Glow {
        site: format!("{}_burner", i.name),
        joint: format!("{}_button", i.name),
        from: ON[0],
    };
    all.filter(|i| i.category == STOVE).map(glow).collect()
}

/// What a task asks for.
#[derive(Clone, Debug)]
pub struct OriginalGoal {
    facts: Vec<Fact>,
    parts: Parts,
    /// Root bodies by object.
    roots: BTreeMap<String, String>,
    /// How far above and below a region counts as inside.
    beyond: [f64; 2],
    /// How far from a container without a region, and between which heights above it, counts as inside.
    near: Option<[f64; 3]>,
}

impl SourceGoal for OriginalGoal {
    fn names(&self) -> SourceNames {
        let mut out = SourceNames::default();
        for fact in &self.facts {
            let places = [fact.subject(), fact.place()];
            for name in places {
                match self.parts.sites.get(name) {
                    Some(site) => {
                        out.sites.push(name.to_owned());
                        out.joints.extend(site.joints.iter().cloned());
                        out.objects.extend(site.owner.clone());
                    }
                    None => {
                        out.bodies.extend(self.roots.get(name).cloned());
                        let own = self.parts.joints.get(name);
                        out.joints.extend(own.iter().flat_map(|(_, joints)| joints.clone()));
                        out.objects.push(name.to_owned());
                    }
                }
            }
        }
        out
    }

    fn facts(&self) -> usize {
        self.facts.len()
    }

    fn holds(&self, fact: usize, view: &dyn SourceView) -> bool {
        self.facts.get(fact).is_some_and(|f| self.fact(f, view))
    }
}

impl OriginalGoal {
    pub(super) fn new(
        problem: &Problem,
        workspace: &str,
        mut parts: Parts,
        release: &Release,
    ) -> Result<Self, OriginalError> {
        for region in problem.regions.iter().filter(|r| r.key().contains(workspace)) {
            let Some([x0, y0, x1, y1]) = region.ranges.first().copied() else { continue };
            let half = DVec3::new((x1 - x0) / 2.0, (y1 - y0) / 2.0, 0.007);
            parts.sites.insert(region.key(), Site { half, owner: None, joints: Vec::new() });
        }
        let mut facts: Vec<Fact> = problem.goal.facts().into_iter().cloned().collect();
        if release.near.is_some() {
            facts.iter_mut().for_each(|fact| parts.whole_container(fact));
        }
        for fact in &facts {
            for name in &fact.args {
                if !parts.sites.contains_key(name) && !parts.joints.contains_key(name) {
                    return Err(OriginalError::Unknown {
                        what: "place or object of the goal",
                        name: name.clone(),
                        remedy: "its object has no site of this name",
                    });
                }
            }
            let place = fact.place();
            if fact.relation == Relation::In
                && !parts.sites.contains_key(place)
                && release.near.is_none()
            {
                return Err(OriginalError::Unknown {
                    what: "place of the goal",
                    name: place.to_owned(),
                    remedy: "an object is in a region of another, not in an object",
                });
            }
            let known = |category: &str| category == STOVE || Ranges::of(category).is_some();
            if unary(fact.relation) && !parts.category(place).is_some_and(known) {
                return Err(OriginalError::Unknown {
                    what: "object that opens or turns on",
                    name: place.to_owned(),
                    remedy: "its category has no joint with an open and a shut state",
                });
            }
        }
        let roots = parts.joints.keys().map(|n| (n.clone(), root_body(n))).collect();
        let (beyond, near) = ([release.above, release.below], release.near);
        Ok(Self { facts, parts, roots, beyond, near })
    }

    /// Return sites and joints of the scene.
    pub(super) fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Return whether all that is asked for holds.
    pub fn all_hold(&self, view: &dyn SourceView) -> bool {
        self.facts.iter().all(|fact| self.fact(fact, view))
    }

    /// Where an object is.
    fn at(&self, object: &str, view: &dyn SourceView) -> DVec3 {
        self.roots.get(object).map_or(DVec3::NAN, |root| view.body(root))
    }

    fn fact(&self, fact: &Fact, view: &dyn SourceView) -> bool {
        let (subject, place) = (fact.subject(), fact.place());
        match (fact.relation, self.parts.sites.get(place)) {
            (Relation::On, Some(site)) => {
                let (at, turn) = view.site(place);
                // The original turns by the site's rotation, not back by it.
                let d = turn * (self.at(subject, view) - at);
                let above = d.z > site.half.z - 0.005 && d.z < site.half.z + 0.10;
                let beside = d.x.abs() < site.half.x && d.y.abs() < site.half.y;
                above && beside && site.owner.as_ref().is_none_or(|o| view.touch(o, subject))
            }
            (Relation::On, None) => {
                let (a, b) = (self.at(subject, view), self.at(place, view));
                let flat = (a - b).truncate().length();
                b.z <= a.z && flat < 0.03 && view.touch(place, subject)
            }
            (Relation::In, Some(site)) => {
                let (at, turn) = view.site(place);
                let half = (turn * site.half).abs();
                let [above, below] = self.beyond;
                let (low, high) = (at - half - DVec3::Z * below, at + half + DVec3::Z * above);
                let p = self.at(subject, view);
                p.cmpgt(low).all() && p.cmplt(high).all()
            }
            (Relation::In, None) => self.near.is_some_and(|[radius, low, high]| {
                let d = self.at(subject, view) - self.at(place, view);
                d.truncate().length() <= radius && low <= d.z && d.z <= high
            }),
            (relation, _) => self.state(relation, place, view),
        }
    }

    /// Whether a joint of an object or place is in a state.
    fn state(&self, relation: Relation, name: &str, view: &dyn SourceView) -> bool {
        let Some(category) = self.parts.category(name) else { return false };
        let Some(joints) = self.parts.joints_of(name) else { return false };
        let mut values = joints.iter().map(|j| view.joint(j));
        match (relation, Ranges::of(category)) {
            (Relation::Open, Some(r)) => values.any(|q| r.is_open(q)),
            (Relation::Close, Some(r)) => values.all(|q| r.is_shut(q)),
            (Relation::TurnOn, _) => values.any(|q| q >= ON[0]),
            (Relation::TurnOff, _) => values.all(|q| q < OFF[1]),
            _ => false,
        }
    }
}

impl Parts {
    /// Half the size of a site.
    pub(super) fn site_half(&self, name: &str) -> Option<DVec3> {
        self.sites.get(name).map(|s| s.half)
    }

    /// Joints that a fact about one object concerns, and between which positions they are drawn for it.
    pub(super) fn state_of(&self, fact: &Fact) -> Option<(&[String], [f64; 2])> {
        let name = fact.place();
        let ranges = Ranges::of(self.category(name)?);
        let range = match fact.relation {
            Relation::Open => ranges?.open,
            Relation::Close => ranges?.shut,
            Relation::TurnOn => ON,
            Relation::TurnOff => OFF,
            _ => return None,
        };
        Some((self.joints_of(name)?, range))
    }

    /// Let a fact about the region of a container that has none speak of the container.
    fn whole_container(&self, fact: &mut Fact) {
        let Some(place) = fact.args.last_mut().filter(|p| !self.sites.contains_key(*p)) else {
            return;
        };
        if let Some(whole) = place.strip_suffix("_contain_region")
            && self.joints.contains_key(whole)
        {
            *place = whole.to_owned();
        }
    }

    /// Joints of an object, or those that move a place.
    fn joints_of(&self, name: &str) -> Option<&[String]> {
        let own = || self.joints.get(name).map(|(_, joints)| joints.as_slice());
        self.sites.get(name).map(|s| s.joints.as_slice()).or_else(own)
    }

    /// The category of an object, or of the object a place belongs to.
    fn category(&self, name: &str) -> Option<&str> {
        let owner = self.sites.get(name).and_then(|s| s.owner.as_deref()).unwrap_or(name);
        self.joints.get(owner).map(|(category, _)| category.as_str())
    }
}
