//! From brackets to a problem.

use super::sexpr::{Form, Node, number, read};
use super::{At, BddlError, Fact, Goal, Instance, Problem, Region, Relation};
use longarm_types::nearest;

/// Reads a problem. Names are lower-cased: BDDL does not tell cases apart.
pub fn parse(text: &str) -> Result<Problem, BddlError> {
    let whole = read(text)?;
    let items = expect_list(&whole, "define")?;
    let [_, name, sections @ ..] = items else {
        return Err(whole.at.says("expected \"(define (problem NAME) …)\""));
    };
    let name = match expect_list(name, "problem")? {
        [_, n] => raw(n)?.to_owned(),
        _ => return Err(name.at.says("expected one name: \"(problem NAME)\"")),
    };
    let mut reader = Reader { at: whole.at, ..Reader::default() };
    for section in sections {
        reader.section(section)?;
    }
    reader.finish(name)
}

/// Reads the bytes of a file.
pub fn parse_bytes(bytes: &[u8]) -> Result<Problem, BddlError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(e) => {
            let good = String::from_utf8_lossy(&bytes[..e.valid_up_to()]).into_owned();
            let line = 1 + good.matches('\n').count() as u32;
            let last = good.rsplit('\n').next().unwrap_or("");
            let at = At { line, column: 1 + last.chars().count() as u32 };
            Err(at.says("this is not UTF-8 text"))
        }
    }
}

const SECTIONS: [&str; 10] = [
    ":domain",
    ":requirements",
    ":language",
    ":scene_properties",
    ":regions",
    ":fixtures",
    ":objects",
    ":obj_of_interest",
    ":init",
    ":goal",
];

#[derive(Default)]
struct Reader {
    at: At,
    seen: Vec<String>,
    domain: Option<String>,
    language: Option<String>,
    regions: Vec<Region>,
    fixtures: Vec<Instance>,
    objects: Vec<Instance>,
    interest: Vec<String>,
    init: Vec<Fact>,
    goal: Option<Goal>,
}

impl Reader {
    fn section(&mut self, node: &Node) -> Result<(), BddlError> {
        let head = node.head().ok_or_else(|| {
            node.at.says(format!("expected a section such as \"(:init …)\", not {}", node.shown()))
        })?;
        let items = node.list().unwrap_or_default();
        let rest = &items[1..];
        if self.seen.contains(&head) {
            return Err(node.at.says(format!("a second section {head}")));
        }
        match head.as_str() {
            ":domain" => match rest {
                [d] => self.domain = Some(word(d)?),
                _ => return Err(node.at.says("expected one name: \"(:domain NAME)\"")),
            },
            // Said of simulators and looks that are not ours.
            ":requirements" | ":scene_properties" => {}
            ":language" => {
                let words: Vec<&str> = rest.iter().map(raw).collect::<Result<_, _>>()?;
                self.language = Some(words.join(" "));
            }
            ":regions" => self.regions = rest.iter().map(region).collect::<Result<_, _>>()?,
            ":fixtures" => self.fixtures = typed(rest)?,
            ":objects" => self.objects = typed(rest)?,
            ":obj_of_interest" => {
                self.interest = rest.iter().map(word).collect::<Result<_, _>>()?;
            }
            ":init" => self.init = rest.iter().map(fact).collect::<Result<_, _>>()?,
            ":goal" => match rest {
                [g] => self.goal = Some(goal(g)?),
                _ => return Err(node.at.says("expected one goal: \"(:goal (And …))\"")),
            },
            other => {
                let hint = did_you_mean(other, &SECTIONS);
                return Err(node.at.says(format!("no section {other}{hint}")));
            }
        }
        self.seen.push(head);
        Ok(())
    }

    fn finish(self, name: String) -> Result<Problem, BddlError> {
        let missing = |what: &str| self.at.says(format!("the problem has no section {what}"));
        for section in [":fixtures", ":objects", ":init"] {
            if !self.seen.iter().any(|s| s == section) {
                return Err(missing(section));
            }
        }
        Ok(Problem {
            name,
            domain: self.domain.clone().unwrap_or_else(|| "robosuite".to_owned()),
            language: self.language.clone().ok_or_else(|| missing(":language"))?,
            goal: self.goal.clone().ok_or_else(|| missing(":goal"))?,
            regions: self.regions,
            fixtures: self.fixtures,
            objects: self.objects,
            interest: self.interest,
            init: self.init,
            at: self.at,
        })
    }
}

fn did_you_mean(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()).first() {
        Some(n) => format!("; did you mean {n}?"),
        None => format!("; there are {}", known.join(", ")),
    }
}

fn raw(node: &Node) -> Result<&str, BddlError> {
    match &node.form {
        Form::Word(w) => Ok(w),
        Form::List(_) => Err(node.at.says(format!("expected a word, not {}", node.shown()))),
    }
}

fn word(node: &Node) -> Result<String, BddlError> {
    raw(node).map(str::to_lowercase)
}

fn expect_list<'a>(node: &'a Node, head: &str) -> Result<&'a [Node], BddlError> {
    match node.list() {
        Some(l) if node.head().as_deref() == Some(head) => Ok(l),
        _ => Err(node.at.says(format!("expected \"({head} …)\", not {}", node.shown()))),
    }
}

fn typed(nodes: &[Node]) -> Result<Vec<Instance>, BddlError> {
    let mut out: Vec<Instance> = Vec::new();
    let mut waiting = 0;
    let mut nodes = nodes.iter();
    while let Some(n) = nodes.next() {
        let name = word(n)?;
        if name != "-" {
            out.push(Instance { name, category: String::new(), at: n.at });
            waiting += 1;
            continue;
        }
        if waiting == 0 {
            return Err(n.at.says("\"-\" follows the names it gives a category to"));
        }
        let Some(category) = nodes.next() else {
            return Err(n.at.says("a category must follow \"-\""));
        };
        let from = out.len() - waiting;
        for i in &mut out[from..] {
            i.category = word(category)?;
        }
        waiting = 0;
    }
    match out.len().checked_sub(waiting).and_then(|i| out.get(i)) {
        None => Ok(out),
        Some(i) => {
            let say = format!("{:?} has no category: write \"{} - CATEGORY\"", i.name, i.name);
            Err(i.at.says(say))
        }
    }
}

fn region(node: &Node) -> Result<Region, BddlError> {
    let shape = "a region looks like \"(NAME (:target T) (:ranges ((x0 y0 x1 y1))))\"";
    let items = node.list().filter(|l| !l.is_empty()).ok_or_else(|| node.at.says(shape))?;
    let name = word(&items[0])?;
    let mut out =
        Region { name, target: String::new(), ranges: vec![], yaw: None, rgba: None, at: node.at };
    for field in &items[1..] {
        let head = field.head().ok_or_else(|| field.at.says(shape))?;
        let rest = &field.list().unwrap_or_default()[1..];
        match (head.as_str(), rest) {
            (":target", [t]) => out.target = word(t)?,
            (":ranges", [r]) => {
                out.ranges = inner(r)?.iter().map(numbers).collect::<Result<_, _>>()?
            }
            (":yaw_rotation", [y]) => {
                out.yaw = match inner(y)? {
                    [pair] => Some(numbers(pair)?),
                    _ => return Err(y.at.says("expected one pair: \"((LOW HIGH))\"")),
                };
            }
            (":rgba", [c]) => out.rgba = Some(numbers(c)?),
            (":target" | ":ranges" | ":yaw_rotation" | ":rgba", _) => {
                return Err(field.at.says(format!("{head} takes one name, not {}", rest.len())));
            }
            (other, _) => {
                let hint = did_you_mean(other, &[":target", ":ranges", ":yaw_rotation", ":rgba"]);
                return Err(field.at.says(format!("a region has no {other}{hint}")));
            }
        }
    }
    if out.target.is_empty() {
        return Err(node.at.says(format!("region {:?} has no (:target …)", out.name)));
    }
    Ok(out)
}

fn inner(node: &Node) -> Result<&[Node], BddlError> {
    node.list().ok_or_else(|| node.at.says(format!("expected a bracket, not {}", node.shown())))
}

fn numbers<const N: usize>(node: &Node) -> Result<[f64; N], BddlError> {
    let items = inner(node)?;
    let values: Vec<f64> = items.iter().map(number).collect::<Result<_, _>>()?;
    let n = values.len();
    values.try_into().map_err(|_| node.at.says(format!("expected {N} numbers, not {n}")))
}

fn fact(node: &Node) -> Result<Fact, BddlError> {
    let head = node.head().ok_or_else(|| {
        node.at.says(format!("expected a fact such as \"(on a b)\", not {}", node.shown()))
    })?;
    let names = Relation::ALL.map(Relation::name);
    let Some(relation) = Relation::ALL.into_iter().find(|r| r.name() == head) else {
        return Err(node.at.says(format!("no predicate {head:?}{}", did_you_mean(&head, &names))));
    };
    let args = &node.list().unwrap_or_default()[1..];
    if args.len() != relation.arity() {
        let (n, got) = (relation.arity(), args.len());
        return Err(node.at.says(format!("{head} is about {n} name(s), not {got}")));
    }
    let args = args.iter().map(word).collect::<Result<_, _>>()?;
    Ok(Fact { relation, args, at: node.at })
}

fn goal(node: &Node) -> Result<Goal, BddlError> {
    let head = node.head().unwrap_or_default();
    if head != "and" && head != "or" {
        return fact(node).map(Goal::Fact);
    }
    let of: Vec<Goal> =
        node.list().unwrap_or_default()[1..].iter().map(goal).collect::<Result<_, _>>()?;
    if of.is_empty() {
        return Err(node.at.says(format!("({head}) asks for nothing")));
    }
    Ok(if head == "and" { Goal::And(of) } else { Goal::Or(of) })
}
