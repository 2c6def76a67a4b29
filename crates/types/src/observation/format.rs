//! How a dialect or file format names, orders and converts what is observed, as a table.

use super::{Flip, Meaning, Observation, ObservationSpec, Proprioception, StatePart};

/// How vectors of robots with several limbs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerLimb {
    /// One vector, limb after limb.
    Joined,
    /// A vector for each limb, named after it.
    Apart,
}

/// A vector of a format.
#[derive(Clone, Debug, PartialEq)]
pub struct FormatVector {
    /// What its name begins with.
    pub prefix: &'static str,
    /// Its name; where limbs have vectors of their own, theirs stand between prefix and name.
    pub name: &'static str,
    /// What it holds of each limb, in order.
    pub parts: Vec<StatePart>,
    /// How several limbs are told.
    pub limbs: PerLimb,
    /// Zeros fill it up to this length.
    pub padded: usize,
}

impl FormatVector {
    /// A vector with all limbs in it.
    pub fn joined(name: &'static str, parts: &[StatePart]) -> Self {
        Self { prefix: "", name, parts: parts.to_vec(), limbs: PerLimb::Joined, padded: 0 }
    }

    /// The numbers of limbs under our own names, which follow a prefix.
    pub fn native(prefix: &'static str) -> Vec<Self> {
        let vector = |m: Meaning| Self {
            prefix,
            limbs: PerLimb::Apart,
            ..Self::joined(m.name(), m.parts())
        };
        Meaning::OF_LIMBS.map(vector).to_vec()
    }

    /// Whether one of its vectors may have this name.
    pub fn names(&self, key: &str) -> bool {
        let limb = key.strip_prefix(self.prefix).and_then(|k| k.strip_suffix(self.name));
        match self.limbs {
            PerLimb::Joined => limb == Some(""),
            PerLimb::Apart => limb.is_some_and(|l| l.is_empty() || l.ends_with('_')),
        }
    }

    /// Return the number of vectors it stands for where these limbs are observed.
    pub fn count(&self, limbs: &[Proprioception]) -> usize {
        let told = |own: &&Proprioception| self.parts.iter().any(|p| p.told(own));
        match self.limbs {
            PerLimb::Joined => 1,
            PerLimb::Apart => limbs.iter().filter(told).count(),
        }
    }

    /// The vectors it stands for where `spec` is observed.
    pub fn bind(&self, spec: &ObservationSpec) -> Result<Vec<BoundVector>, String> {
        let pieces = |limb: usize| self.parts.iter().map(move |p| (limb, *p));
        let (prefix, name) = (self.prefix, self.name);
        let all = 0..spec.limbs.len();
        match self.limbs {
            PerLimb::Joined => {
                let pieces = all.flat_map(pieces).collect();
                Ok(vec![BoundVector::new(format!("{prefix}{name}"), pieces, self.padded, spec)?])
            }
            PerLimb::Apart => all
                .filter(|&i| self.parts.iter().any(|p| !p.names(&spec.limbs[i]).is_empty()))
                .map(|i| {
                    let key = format!("{prefix}{}{name}", spec.prefix(i));
                    BoundVector::new(key, pieces(i).collect(), self.padded, spec)
                })
                .collect(),
        }
    }
}

/// A vector of a format for a particular robot.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundVector {
    /// Name.
    pub key: String,
    /// Names of its numbers.
    pub names: Vec<String>,
    /// Limb and part, in order.
    pieces: Vec<(usize, StatePart)>,
}

impl BoundVector {
    fn new(
        key: String,
        pieces: Vec<(usize, StatePart)>,
        padded: usize,
        spec: &ObservationSpec,
    ) -> Result<Self, String> {
        let mut names = Vec::new();
        for (i, part) in &pieces {
            let limb = &spec.limbs[*i];
            part.fits(limb)?;
            let prefix = spec.prefix(*i);
            names.extend(part.names(limb).into_iter().map(|n| format!("{prefix}{n}")));
        }
        names.extend((names.len()..padded).map(|i| format!("zero_{i}")));
        Ok(Self { key, names, pieces })
    }

    /// What it holds, in words; parts that several limbs share are told once.
    pub fn text(&self) -> String {
        let mut texts: Vec<&str> = Vec::new();
        for (_, part) in &self.pieces {
            if !texts.contains(&part.text()) {
                texts.push(part.text());
            }
        }
        texts.join(", ")
    }

    /// Append its numbers.
    pub fn append(
        &self,
        spec: &ObservationSpec,
        observation: &Observation,
        out: &mut Vec<f64>,
    ) -> Result<(), String> {
        let end = out.len() + self.names.len();
        for (limb, part) in &self.pieces {
            part.append(spec, *limb, observation, out)?;
        }
        if out.len() < end {
            out.resize(end, 0.0);
        }
        Ok(())
    }
}

/// Which pictures a format has, and what they are called.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatPictures {
    /// Every camera, under prefix, its name and suffix.
    All(&'static str, &'static str),
    /// These keys, each from the first camera there is among the candidates.
    Keyed(Vec<(String, Vec<&'static str>)>),
    /// Every camera: the first that is not on a wrist, those on wrists, the rest by name and suffix.
    ByPlace {
        /// Name of the first camera that is not on a wrist.
        outside: &'static str,
        /// Names of cameras on wrists.
        wrists: &'static [&'static str],
        /// What pictures of cameras on wrists are called.
        wrist: &'static str,
        /// What follows the names of the others.
        suffix: &'static str,
    },
}

impl FormatPictures {
    /// Keys from candidates.
    pub fn keyed(pairs: &[(&str, &[&'static str])]) -> Self {
        Self::Keyed(pairs.iter().map(|(k, c)| ((*k).to_owned(), c.to_vec())).collect())
    }

    /// Keys with the camera each is from; candidates of which there is none are left out.
    pub fn keys(&self, cameras: &[&str]) -> Vec<(String, usize)> {
        let all = cameras.iter().copied().enumerate();
        match self {
            Self::All(prefix, suffix) => {
                all.map(|(i, c)| (format!("{prefix}{c}{suffix}"), i)).collect()
            }
            Self::Keyed(keys) => {
                let named = |c: &&str| cameras.iter().position(|n| n == c);
                let found = |(key, candidates): &(String, Vec<&'static str>)| {
                    Some((key.clone(), candidates.iter().find_map(named)?))
                };
                keys.iter().filter_map(found).collect()
            }
            Self::ByPlace { outside, wrists, wrist, suffix } => {
                let first = cameras.iter().position(|c| !wrists.contains(c));
                let name = |(i, c): (usize, &str)| match c {
                    _ if first == Some(i) => ((*outside).to_owned(), i),
                    c if wrists.contains(&c) => ((*wrist).to_owned(), i),
                    c => (format!("{c}{suffix}"), i),
                };
                all.map(name).collect()
            }
        }
    }
}

/// How a dialect or file format tells what is observed.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservationFormat {
    /// Vectors, in order.
    pub vectors: Vec<FormatVector>,
    /// Pictures are in a map under this key, or at the top.
    pub group: Option<&'static str>,
    /// Pictures.
    pub pictures: FormatPictures,
    /// How pictures are turned.
    pub flip: Flip,
    /// Most limbs it has room for.
    pub most_limbs: usize,
}

impl ObservationFormat {
    /// Its vectors where `spec` is observed; why it cannot be otherwise.
    pub fn bind(&self, spec: &ObservationSpec) -> Result<Vec<BoundVector>, String> {
        let limbs = spec.limbs.len();
        if limbs > self.most_limbs {
            return Err(format!(
                "the format has room for {} limb(s) and this robot has {limbs}",
                self.most_limbs
            ));
        }
        let mut out = Vec::new();
        for v in &self.vectors {
            out.extend(v.bind(spec)?);
        }
        Ok(out)
    }
}
