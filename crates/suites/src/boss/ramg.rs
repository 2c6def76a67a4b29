//! The rule-based generator of modifications: what an earlier skill may have left behind.
//!
//! A modification is one fact of the scene that is otherwise. Its rules never touch what the skill
//! is about, except that rule 3 fills the container in use.

use longarm_task::bddl::{At, Fact, Instance, Problem, Region, Relation};
use longarm_types::Rng;
use serde::Serialize;

use crate::libero::category;

/// Small enough for a container.
const SMALL: [&str; 6] = ["onion", "egg", "chocolate_pudding", "lemon", "popcorn", "potato"];
/// Only for the table and other surfaces.
const LARGE: [&str; 5] =
    ["corn", "white_yellow_mug", "red_coffee_mug", "porcelain_mug", "chefmate_8_frypan"];
/// What small objects are put into.
const CONTAINERS: [&str; 3] = ["plate", "akita_black_bowl", "chefmate_8_frypan"];
/// Draws before a skill is said to have no more modifications.
const DRAWS: usize = 10_000;

/// The rule a modification follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// An object stands elsewhere.
    Move,
    /// A new object on a free region.
    AddOnRegion,
    /// A new object on the table.
    AddOnTable,
    /// A new object in a container that is not in use.
    AddInContainer,
    /// A drawer or door is open, a stove on.
    State,
    /// A new object in the container in use.
    Fill,
}

impl Rule {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Move,
        Self::AddOnRegion,
        Self::AddOnTable,
        Self::AddInContainer,
        Self::State,
        Self::Fill,
    ];
}

/// One modification: a fact, and the rule it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Modification {
    /// Where it comes from.
    pub rule: Rule,
    /// What is so now.
    pub fact: Fact,
}

/// What the rules choose from in one problem.
struct Choices<'a> {
    problem: &'a Problem,
    table: &'a str,
    /// Objects the skill is not about.
    existing: Vec<&'a str>,
    /// Regions nothing is in and the goal is not about.
    open: Vec<String>,
    /// Open drawers and containers not in use.
    containers: Vec<String>,
    /// Containers in use.
    used: Vec<&'a str>,
    states: Vec<Fact>,
}

impl<'a> Choices<'a> {
    fn new(problem: &'a Problem) -> Self {
        let mine = |name: &str| problem.interest.iter().any(|i| i == name);
        let goal: Vec<&str> = problem.goal.facts().iter().map(|f| f.place()).collect();
        let occupied = |key: &str| problem.init.iter().any(|f| f.place() == key);
        let drawer = |r: &Region| r.target.contains("cabinet") && r.name.contains("region");
        let objects = || problem.objects.iter().map(|o| o.name.as_str());
        let contains = |o: &str| CONTAINERS.contains(&category(o));
        let mut open = Vec::new();
        let mut containers = Vec::new();
        let mut states: Vec<Fact> = Vec::new();
        for r in &problem.regions {
            let key = r.key();
            let stateful = ["microwave", "stove"].iter().any(|w| r.target.contains(w));
            if drawer(r) {
                let is_open = |f: &Fact| f.relation == Relation::Open && f.subject() == key;
                if problem.init.iter().any(is_open) {
                    containers.push(key.clone());
                }
                if !goal.contains(&&*key) {
                    states.push(Fact::new(Relation::Open, [key]));
                }
            } else {
                if stateful && !r.target.contains("table") && !goal.contains(&&*r.target) {
                    let stove = r.target.contains("stove");
                    let relation = if stove { Relation::TurnOn } else { Relation::Open };
                    let fact = Fact::new(relation, [r.target.clone()]);
                    if !states.contains(&fact) {
                        states.push(fact);
                    }
                }
                // The rules know the goal's place only where it is not a cabinet's.
                let wanted = goal.contains(&&*key) && !key.contains("cabinet");
                if !wanted && !occupied(&key) {
                    open.push(key);
                }
            }
        }
        containers.extend(objects().filter(|o| contains(o) && !mine(o)).map(str::to_owned));
        Self {
            problem,
            table: problem.table().map_or("", |t| &*t.name),
            existing: objects().filter(|o| !mine(o)).collect(),
            open,
            containers,
            used: objects().filter(|o| contains(o) && mine(o)).collect(),
            states,
        }
    }

    /// Categories of this list that the scene has none of.
    fn absent(&self, of: &[&'static str]) -> Vec<&'static str> {
        let there = |c: &str| self.problem.objects.iter().any(|o| o.category == c);
        of.iter().copied().filter(|c| !there(c)).collect()
    }

    fn of(&self, rule: Rule, free_table: bool) -> Vec<Modification> {
        let small = || self.absent(&SMALL);
        let all = || [small(), self.absent(&LARGE)].concat();
        let new = |c: &str| format!("{c}_1");
        let on = |o: String, place: &str| Fact::new(Relation::On, [o, place.to_owned()]);
        let each = |what: Vec<String>, places: &[String]| -> Vec<Fact> {
            let pairs = what.iter().flat_map(|o| places.iter().map(move |p| (o, p)));
            pairs.map(|(o, p)| on(o.clone(), p)).collect()
        };
        let news = |of: Vec<&'static str>| of.into_iter().map(new).collect::<Vec<_>>();
        let facts = match rule {
            Rule::Move => each(self.existing.iter().map(|o| (*o).to_owned()).collect(), &self.open),
            Rule::AddOnRegion => each(news(all()), &self.open),
            Rule::AddOnTable if !free_table => Vec::new(),
            Rule::AddOnTable => {
                let key = |c: &str| format!("{}_{c}_init_region", self.table);
                all().into_iter().map(|c| on(new(c), &key(c))).collect()
            }
            Rule::AddInContainer => each(news(small()), &self.containers),
            Rule::State => self.states.clone(),
            Rule::Fill => {
                let used: Vec<String> = self.used.iter().map(|o| (*o).to_owned()).collect();
                each(news(small()), &used)
            }
        };
        facts.into_iter().map(|fact| Modification { rule, fact }).collect()
    }
}

/// Every single modification of a problem. `free` are the rectangles of the table for new objects;
/// without them nothing is added to the bare table.
pub fn modifications(problem: &Problem, free: &[[f64; 4]]) -> Vec<Modification> {
    let choices = Choices::new(problem);
    Rule::ALL.into_iter().flat_map(|r| choices.of(r, !free.is_empty())).collect()
}

/// Whether it changes nothing.
pub fn changes_nothing(problem: &Problem, m: &Modification) -> bool {
    problem.init.contains(&m.fact)
}

/// The problem with a fact made so: objects are moved or added, states replaced.
pub fn with(problem: &Problem, fact: &Fact, free: &[[f64; 4]]) -> Problem {
    let mut out = problem.clone();
    let subject = fact.subject().to_owned();
    if fact.relation.arity() == 2 {
        if out.instance(&subject).is_none() {
            let category = category(&subject).to_owned();
            out.objects.push(Instance { name: subject.clone(), category, at: At::default() });
        }
        let table = out.table().map(|t| t.name.clone()).unwrap_or_default();
        let bare = fact.place().strip_prefix(&format!("{table}_")).map(str::to_owned);
        if let (Some(name), None) = (bare, out.region(fact.place())) {
            out.regions.push(Region {
                name,
                target: table,
                ranges: free.to_vec(),
                yaw: None,
                rgba: None,
                at: At::default(),
            });
        }
        out.init.retain(|f| f.relation.arity() == 1 || f.subject() != subject);
    } else {
        let undone = [Some(fact.relation), fact.relation.opposite()];
        out.init.retain(|f| f.args != fact.args || !undone.contains(&Some(f.relation)));
    }
    out.init.push(fact.clone());
    out
}

/// Whether two modifications get into each other's way: the same state twice, the same object
/// twice, two objects in one place, or one in something that is itself moved.
fn collide(a: &Modification, b: &Modification) -> bool {
    if (a.rule == Rule::State) != (b.rule == Rule::State) {
        return false;
    }
    a.fact.args.iter().any(|x| b.fact.args.contains(x))
}

/// Draws `k` modifications one after the other, each from what the last one left: the kind
/// uniformly (a placement, a state, a filling), then the way of placing, then the modification.
/// None changes nothing, contradicts an earlier one or shares its place. `None` if there are no
/// `k` such.
pub fn draw(
    problem: &Problem,
    free: &[[f64; 4]],
    k: usize,
    rng: &mut Rng,
) -> Option<Vec<Modification>> {
    let mut out: Vec<Modification> = Vec::new();
    let mut now = problem.clone();
    for _ in 0..DRAWS {
        if out.len() == k {
            return Some(out);
        }
        let rule = match rng.below(3) {
            0 => Rule::ALL[rng.below(4)],
            1 => Rule::State,
            _ => Rule::Fill,
        };
        let drawn = Choices::new(&now).of(rule, !free.is_empty());
        let Some(m) = rng.pick(&drawn) else { continue };
        let carries = |o: &str| now.init.iter().any(|f| f.relation.arity() == 2 && f.place() == o);
        let spoilt = changes_nothing(&now, m)
            || out.iter().any(|n| collide(m, n))
            || m.rule == Rule::Move && carries(m.fact.subject())
            // Something is in there already.
            || m.rule != Rule::State && carries(m.fact.place());
        if !spoilt {
            now = with(&now, &m.fact, free);
            out.push(m.clone());
        }
    }
    None
}
