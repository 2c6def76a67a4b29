//! What a scene may contain: objects, their colours, and when they are there at all.

use std::collections::BTreeMap;

use longarm_assets::{Asset, Assets, Colour};
use serde::{Deserialize, Serialize};

/// An object or fixture of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectSpec {
    /// Unique name; predicates and plans use it.
    pub name: String,
    /// What it is; one is drawn if there are several.
    pub assets: Vec<Asset>,
    /// Its colour.
    #[serde(default, skip_serializing_if = "Paint::is_own")]
    pub paint: Paint,
    /// When it is there; always, if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Given>,
    /// What sentences call it, a template; its name if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
}

/// An object of this name: one asset, or one of an array.
pub fn object(name: impl Into<String>, assets: impl Into<Assets>) -> ObjectSpec {
    ObjectSpec {
        name: name.into(),
        assets: assets.into().0,
        paint: Paint::Own,
        when: None,
        called: None,
    }
}

impl ObjectSpec {
    /// Paints it.
    pub fn colour(mut self, paint: impl Into<Paint>) -> Self {
        self.paint = paint.into();
        self
    }

    /// Makes it appear only in some scenes.
    pub fn when(mut self, given: Given) -> Self {
        self.when = Some(given);
        self
    }

    /// What sentences call it: `"{block.colour} block"`.
    pub fn called(mut self, template: impl Into<String>) -> Self {
        self.called = Some(template.into());
        self
    }

    /// The path of one of its parts or regions.
    pub fn path(&self, part_or_region: &str) -> String {
        format!("{}/{part_or_region}", self.name)
    }
}

impl From<&ObjectSpec> for String {
    fn from(o: &ObjectSpec) -> Self {
        o.name.clone()
    }
}

/// How an object gets its colour.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Paint {
    /// As its asset is made.
    #[default]
    Own,
    /// One of these, drawn.
    OneOf {
        /// The choice.
        colours: Vec<Colour>,
        /// Objects whose colours it must not have.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unlike: Vec<String>,
    },
    /// The colour of another object.
    SameAs(String),
}

impl Paint {
    fn is_own(&self) -> bool {
        *self == Self::Own
    }

    /// Never the colour of any of these objects.
    pub fn unlike<N: Into<String>>(self, others: impl IntoIterator<Item = N>) -> Self {
        match self {
            Self::OneOf { colours, mut unlike } => {
                unlike.extend(others.into_iter().map(Into::into));
                Self::OneOf { colours, unlike }
            }
            other => other,
        }
    }
}

impl From<Colour> for Paint {
    fn from(c: Colour) -> Self {
        Self::OneOf { colours: vec![c], unlike: Vec::new() }
    }
}

/// One of these colours.
pub fn any_of(colours: impl IntoIterator<Item = Colour>) -> Paint {
    Paint::OneOf { colours: colours.into_iter().collect(), unlike: Vec::new() }
}

/// One of the colours that are easily told apart.
pub fn any_colour() -> Paint {
    any_of(Colour::DISTINCT)
}

/// The colour of another object.
pub fn same_colour_as(other: impl Into<String>) -> Paint {
    Paint::SameAs(other.into())
}

/// A test of a drawn variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The variable.
    pub variable: String,
    /// Smallest value that passes.
    pub from: i64,
    /// Largest value that passes.
    pub to: i64,
}

/// A test of a variable: `given("n").at_least(4)`.
pub fn given(variable: impl Into<String>) -> Given {
    Given { variable: variable.into(), from: i64::MIN, to: i64::MAX }
}

impl Given {
    /// The variable is this or more.
    pub fn at_least(self, value: i64) -> Self {
        Self { from: value, ..self }
    }

    /// The variable is this or less.
    pub fn at_most(self, value: i64) -> Self {
        Self { to: value, ..self }
    }

    /// The variable is this.
    pub fn is(self, value: i64) -> Self {
        Self { from: value, to: value, ..self }
    }

    /// Whether it passes; an unknown variable does not.
    pub fn holds(&self, variables: &BTreeMap<String, i64>) -> bool {
        variables.get(&self.variable).is_some_and(|v| (self.from..=self.to).contains(v))
    }
}
