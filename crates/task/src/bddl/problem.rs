//! A LIBERO problem as a value.

use std::fmt;

/// A place in a file, lines and columns counted from 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct At {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// Where a name was written does not make it another name.
impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl At {
    pub(super) fn says(self, message: impl Into<String>) -> BddlError {
        BddlError { at: self, message: message.into() }
    }

    pub(super) fn warns(self, message: impl Into<String>) -> Warning {
        Warning { at: self, message: message.into() }
    }
}

/// What a BDDL file says in vain, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// Where.
    pub at: At,
    /// What is ignored.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.at.line, self.at.column, self.message)
    }
}

/// What is wrong with a BDDL file, and where.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}:{}: {message}", at.line, at.column)]
pub struct BddlError {
    /// Where.
    pub at: At,
    /// What, and what would be right.
    pub message: String,
}

/// What can be said of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relation {
    /// One object on another, or in a region.
    On,
    /// One object in another or in a region.
    In,
    /// A drawer or door is open.
    Open,
    /// A drawer or door is shut.
    Close,
    /// A stove is on.
    TurnOn,
    /// A stove is off.
    TurnOff,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::On, Self::In, Self::Open, Self::Close, Self::TurnOn, Self::TurnOff];

    /// As BDDL has it, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::On => "on",
            Self::In => "in",
            Self::Open => "open",
            Self::Close => "close",
            Self::TurnOn => "turnon",
            Self::TurnOff => "turnoff",
        }
    }

    /// How many objects it is about.
    pub fn arity(self) -> usize {
        if matches!(self, Self::On | Self::In) { 2 } else { 1 }
    }

    /// The state that cannot hold together with this one.
    pub fn opposite(self) -> Option<Self> {
        Some(match self {
            Self::Open => Self::Close,
            Self::Close => Self::Open,
            Self::TurnOn => Self::TurnOff,
            Self::TurnOff => Self::TurnOn,
            Self::On | Self::In => return None,
        })
    }
}

/// `(on a b)`, `(open a)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What is said.
    pub relation: Relation,
    /// Of whom: instances or regions (`<target>_<name>`).
    pub args: Vec<String>,
    /// Where it is written.
    pub at: At,
}

impl Fact {
    /// A fact that stands in no file.
    pub fn new<N: Into<String>>(relation: Relation, args: impl IntoIterator<Item = N>) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Self { relation, args, at: At::default() }
    }

    /// From words without brackets: `on bowl_1 plate_1`. `None` if they are no fact.
    pub fn words(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let name = words.next()?;
        let relation = Relation::ALL.into_iter().find(|r| r.name() == name)?;
        let fact = Self::new(relation, words);
        (fact.args.len() == relation.arity()).then_some(fact)
    }

    /// What it is about first.
    pub fn subject(&self) -> &str {
        self.args.first().map_or("", String::as_str)
    }

    /// Its last argument: where, or the same as the subject.
    pub fn place(&self) -> &str {
        self.args.last().map_or("", String::as_str)
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.relation.name(), self.args.join(" "))
    }
}

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// This holds.
    Fact(Fact),
    /// All hold.
    And(Vec<Self>),
    /// At least one holds.
    Or(Vec<Self>),
}

impl Goal {
    /// Every fact in it.
    pub fn facts(&self) -> Vec<&Fact> {
        match self {
            Self::Fact(f) => vec![f],
            Self::And(of) | Self::Or(of) => of.iter().flat_map(Self::facts).collect(),
        }
    }

    /// The parts that must hold together.
    pub fn conjuncts(&self) -> Vec<&Self> {
        match self {
            Self::And(of) => of.iter().flat_map(Self::conjuncts).collect(),
            other => vec![other],
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, of) = match self {
            Self::Fact(fact) => return write!(f, "{fact}"),
            Self::And(of) => ("and", of),
            Self::Or(of) => ("or", of),
        };
        let parts: Vec<String> = of.iter().map(ToString::to_string).collect();
        write!(f, "{}", parts.join(&format!(" {word} ")))
    }
}

/// A named place.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Name within its target.
    pub name: String,
    /// The table, fixture or object it belongs to.
    pub target: String,
    /// Rectangles of the table's frame, x0 y0 x1 y1; empty for a place built into the target.
    pub ranges: Vec<[f64; 4]>,
    /// Headings objects get there.
    pub yaw: Option<[f64; 2]>,
    /// A colour; we draw none.
    pub rgba: Option<[f64; 4]>,
    /// Where it is written.
    pub at: At,
}

impl Region {
    /// `<target>_<name>`: what facts call it.
    pub fn key(&self) -> String {
        format!("{}_{}", self.target, self.name)
    }
}

/// An object or fixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// Unique name.
    pub name: String,
    /// What it is.
    pub category: String,
    /// Where it is written.
    pub at: At,
}

/// A task as LIBERO writes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// `LIBERO_Kitchen_Tabletop_Manipulation` and the like.
    pub name: String,
    /// `robosuite`.
    pub domain: String,
    /// The instruction.
    pub language: String,
    /// Places.
    pub regions: Vec<Region>,
    /// The table, and what stands fixed on it.
    pub fixtures: Vec<Instance>,
    /// What can be moved.
    pub objects: Vec<Instance>,
    /// What the goal is about.
    pub interest: Vec<String>,
    /// How it begins.
    pub init: Vec<Fact>,
    /// What is asked for.
    pub goal: Goal,
    /// Where the problem begins.
    pub at: At,
}

impl Problem {
    /// The object or fixture of this name.
    pub fn instance(&self, name: &str) -> Option<&Instance> {
        self.fixtures.iter().chain(&self.objects).find(|i| i.name == name)
    }

    /// The region that facts call so.
    pub fn region(&self, key: &str) -> Option<&Region> {
        self.regions.iter().find(|r| {
            key.strip_prefix(&*r.target).and_then(|k| k.strip_prefix('_')) == Some(&*r.name)
        })
    }

    /// The table everything stands on.
    pub fn table(&self) -> Option<&Instance> {
        self.fixtures.iter().find(|f| longarm_assets::libero::table(&f.category).is_some())
    }
}
