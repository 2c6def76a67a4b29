//! Tasks whose scene and goal are drawn together, seed by seed.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use longarm_types::Seed;
use serde::{Serialize, Serializer};

use crate::TaskSpec;

/// Makes the task of a seed, where counts, colours and goals depend on it.
///
/// The task that carries this is a template: id, labels, source and an instruction with holes. What
/// is simulated and scored is an instance, an ordinary task.
#[derive(Clone)]
pub struct Instances {
    /// Raised when a seed begins to mean something else; part of the template's hash.
    version: u32,
    make: Arc<dyn Fn(Seed) -> TaskSpec + Send + Sync>,
}

impl Instances {
    /// A generator of instances.
    pub fn new(version: u32, make: impl Fn(Seed) -> TaskSpec + Send + Sync + 'static) -> Self {
        Self { version, make: Arc::new(make) }
    }

    /// The same instances with something done to each of them.
    #[must_use]
    pub fn then(self, change: impl Fn(TaskSpec) -> TaskSpec + Send + Sync + 'static) -> Self {
        let Self { version, make } = self;
        Self::new(version, move |seed| change(make(seed)))
    }
}

impl fmt::Debug for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Instances(version {})", self.version)
    }
}

impl PartialEq for Instances {
    fn eq(&self, other: &Self) -> bool {
        self.version == other.version
    }
}

impl Serialize for Instances {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.version.serialize(s)
    }
}

impl TaskSpec {
    /// The task of this seed: itself, unless it is a template.
    pub fn instance(&self, seed: Seed) -> Cow<'_, Self> {
        match &self.instances {
            None => Cow::Borrowed(self),
            Some(i) => Cow::Owned((i.make)(seed)),
        }
    }
}
