//! Where objects start: regions of the table and places in, on or under other objects.

use serde::{Deserialize, Serialize};

/// A rectangle in world metres, x0 y0 x1 y1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rect(pub f64, pub f64, pub f64, pub f64);

/// The rectangle between two corners.
pub fn rect(from: [f64; 2], to: [f64; 2]) -> Rect {
    // Not `min` and `max`: they would hide a NaN from validation.
    let low = |a: f64, b: f64| if a > b { b } else { a };
    let high = |a: f64, b: f64| if a > b { a } else { b };
    Rect(low(from[0], to[0]), low(from[1], to[1]), high(from[0], to[0]), high(from[1], to[1]))
}

/// A rectangle without extent.
pub fn point(at: [f64; 2]) -> Rect {
    rect(at, at)
}

impl Rect {
    /// Middle.
    pub fn centre(&self) -> [f64; 2] {
        [(self.0 + self.2) / 2.0, (self.1 + self.3) / 2.0]
    }

    /// Half width and depth.
    pub fn half(&self) -> [f64; 2] {
        [(self.2 - self.0) / 2.0, (self.3 - self.1) / 2.0]
    }
}

/// A named place on the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegionSpec {
    /// Unique name.
    pub name: String,
    /// Where the origin of an object may be: one rectangle is drawn, then a point in it.
    pub rects: Vec<Rect>,
    /// Headings drawn from.
    #[serde(default)]
    pub yaw: [f64; 2],
    /// Height of the surface.
    #[serde(default)]
    pub z: f64,
    /// How far outside an object may lie and still be `at` the region.
    pub tolerance: f64,
}

/// How far outside its region an object may lie by default.
pub const REGION_TOLERANCE: f64 = 0.02;

/// A named rectangle of the table.
pub fn region(name: impl Into<String>, rect: Rect) -> RegionSpec {
    RegionSpec {
        name: name.into(),
        rects: vec![rect],
        yaw: [0.0; 2],
        z: 0.0,
        tolerance: REGION_TOLERANCE,
    }
}

impl RegionSpec {
    /// Headings to draw from.
    pub fn yaw(mut self, from: f64, to: f64) -> Self {
        self.yaw = [from, to];
        self
    }

    /// Another rectangle that belongs to it.
    pub fn or(mut self, rect: Rect) -> Self {
        self.rects.push(rect);
        self
    }

    /// Height of its surface.
    pub fn z(mut self, z: f64) -> Self {
        self.z = z;
        self
    }

    /// How far outside an object may lie and still be `at` it.
    pub fn tolerance(mut self, metres: f64) -> Self {
        self.tolerance = metres;
        self
    }
}

impl From<&RegionSpec> for String {
    fn from(r: &RegionSpec) -> Self {
        r.name.clone()
    }
}

/// Where an object starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Place {
    /// In a region of the task (`start`) or of an object (`cabinet/top_region`).
    At(String),
    /// Upon another object, off its centre by `offset` in that object's frame.
    On {
        /// What carries it.
        object: String,
        /// Metres along the carrier's x and y.
        #[serde(default)]
        offset: [f64; 2],
        /// When something is in the way there, further out where there is room.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        spread: bool,
    },
    /// Where the cover stands, hidden by it.
    Under(String),
    /// In a limb's hand as it is at the start, upon the palm.
    Palm {
        /// The limb.
        limb: String,
        /// From the middle of the palm's face along its x and y, metres.
        #[serde(default)]
        offset: [f64; 2],
        /// Half the range that places are drawn from along the palm's x and y, metres.
        #[serde(default)]
        spread: [f64; 2],
    },
    /// The k-th place when the variable has its k-th value.
    Chosen {
        /// The variable.
        variable: String,
        /// As many places as the variable has values.
        places: Vec<Self>,
    },
}

impl Place {
    /// Moves an object off the centre of what carries it, or of the palm; other places stay as they are.
    pub fn offset(self, x: f64, y: f64) -> Self {
        match self {
            Self::On { object, spread, .. } => Self::On { object, offset: [x, y], spread },
            Self::Palm { limb, spread, .. } => Self::Palm { limb, offset: [x, y], spread },
            other => other,
        }
    }

    /// Visits every name in it: (name, whether it is a region path).
    pub(crate) fn names(&self, visit: &mut dyn FnMut(&str, bool)) {
        match self {
            Self::At(r) => visit(r, true),
            Self::On { object, .. } | Self::Under(object) => visit(object, false),
            Self::Palm { .. } => {}
            Self::Chosen { places, .. } => places.iter().for_each(|p| p.names(visit)),
        }
    }
}

/// A place together with the region it may need to be declared.
#[derive(Clone, Debug)]
pub struct Spot {
    pub(crate) place: Place,
    pub(crate) regions: Vec<RegionSpec>,
    pub(crate) yaw: Option<[f64; 2]>,
}

impl Spot {
    /// Headings to draw from, whatever the region says.
    pub fn yaw(mut self, from: f64, to: f64) -> Self {
        self.yaw = Some([from, to]);
        self
    }

    /// Moves an object off the centre of what carries it.
    pub fn offset(mut self, x: f64, y: f64) -> Self {
        self.place = self.place.offset(x, y);
        self
    }
}

impl From<Place> for Spot {
    fn from(place: Place) -> Self {
        Self { place, regions: Vec::new(), yaw: None }
    }
}

impl From<&RegionSpec> for Spot {
    fn from(r: &RegionSpec) -> Self {
        Self { place: Place::At(r.name.clone()), regions: vec![r.clone()], yaw: None }
    }
}

impl From<&str> for Spot {
    fn from(path: &str) -> Self {
        Place::At(path.to_owned()).into()
    }
}

impl From<String> for Spot {
    fn from(path: String) -> Self {
        Place::At(path).into()
    }
}

/// Upon another object.
pub fn on_top_of(object: impl Into<String>) -> Spot {
    Place::On { object: object.into(), offset: [0.0; 2], spread: false }.into()
}

/// In a limb's hand, upon its palm, to within a distance of its middle.
pub fn in_palm(limb: impl Into<String>, spread: [f64; 2]) -> Spot {
    Place::Palm { limb: limb.into(), offset: [0.0; 2], spread }.into()
}

/// Under a cover.
pub fn under(cover: impl Into<String>) -> Spot {
    Place::Under(cover.into()).into()
}

/// One of several places, as a variable says.
pub fn chosen_by<S: Into<Spot>>(
    variable: impl Into<String>,
    places: impl IntoIterator<Item = S>,
) -> Spot {
    let (mut all, mut regions) = (Vec::new(), Vec::new());
    for spot in places {
        let spot = spot.into();
        all.push(spot.place);
        regions.extend(spot.regions);
    }
    Spot { place: Place::Chosen { variable: variable.into(), places: all }, regions, yaw: None }
}

/// Where one object starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// The object.
    pub object: String,
    /// Its place.
    pub place: Place,
    /// Headings drawn from, instead of the region's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yaw: Option<[f64; 2]>,
}

/// How a drawer, door or knob starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PartStart {
    /// Anywhere in what counts as open (or on).
    Open,
    /// Anywhere in what counts as closed (or off).
    Closed,
    /// A joint value from this range.
    Between(f64, f64),
}

/// State of the scene before the first step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Init {
    /// One per object, in the order they are placed.
    pub places: Vec<Placement>,
    /// Parts that do not start at rest, by path (`cabinet/top`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<(String, PartStart)>,
    /// Surface speeds of conveyors, drawn from a range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub belts: Vec<(String, [f64; 2])>,
    /// Free room kept between the footprints of objects.
    pub clearance: f64,
    /// Set an object that finds no room upon what is in its way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pile: bool,
}
