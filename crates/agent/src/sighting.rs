//! What is said of an object that is seen: the sentence that reporters write and planners read.

use std::fmt;

use longarm_assets::Colour;
use longarm_task::speech::Area;

/// What an object looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Noun {
    Block,
    Bowl,
    Zone,
    Circle,
    Line,
}

impl Noun {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Block, Self::Bowl, Self::Zone, Self::Circle, Self::Line];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Bowl => "bowl",
            Self::Zone => "zone",
            Self::Circle => "circle",
            Self::Line => "line",
        }
    }

    /// Return what has this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|n| n.name() == name)
    }

    /// Whether it is painted on the table.
    pub const fn flat(self) -> bool {
        matches!(self, Self::Zone | Self::Circle | Self::Line)
    }
}

/// An object of which nobody says where exactly it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glimpse {
    /// What it is.
    pub noun: Noun,
    /// Its colour, where that has a name.
    pub colour: Option<Colour>,
    /// The quarter of the table it is on, where somebody says so.
    pub area: Option<Area>,
}

impl Glimpse {
    /// Read `there is a COLOUR NOUN`, with or without its area; `None` for any other sentence.
    pub fn parse(sentence: &str) -> Option<Self> {
        let text = sentence.trim().trim_end_matches('.').strip_prefix("there is a ")?;
        let (called, area) = text.split_once(" on the ").unwrap_or((text, ""));
        let (colour, noun) = match called.split_once(' ') {
            Some((c, noun)) => (Some(*Colour::ALL.iter().find(|k| k.name() == c)?), noun),
            None => (None, called),
        };
        let area = area.trim_end_matches(" area");
        let area = Area::QUARTERS.into_iter().find(|a| a.name() == area);
        Some(Self { noun: Noun::named(noun)?, colour, area })
    }
}

impl fmt::Display for Glimpse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colour = self.colour.map_or(String::new(), |c| format!("{} ", c.name()));
        let area = self.area.map_or(String::new(), |a| format!(" on the {} area", a.name()));
        write!(f, "there is a {colour}{}{area}", self.noun.name())
    }
}

/// An object as somebody sees it: centimetres and metres as in its sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// What it is.
    pub noun: Noun,
    /// Its colour, where that has a name.
    pub colour: Option<Colour>,
    /// Length and width seen from above, metres.
    pub size: [f64; 2],
    /// Where it is on the table, metres.
    pub at: [f64; 2],
    /// Heading of its length, radians.
    pub heading: f64,
    /// Height of its top above the table, metres.
    pub top: f64,
    /// The quarter of the table it is on, where somebody says so.
    pub area: Option<Area>,
}

impl Sighting {
    /// What it is called, without its place.
    pub fn called(&self) -> String {
        match self.colour {
            Some(c) => format!("{} {}", c.name(), self.noun.name()),
            None => self.noun.name().to_owned(),
        }
    }

    /// Read a sentence that was written by [`Display`](fmt::Display); `None` for any other.
    pub fn parse(sentence: &str) -> Option<Self> {
        let text = sentence.trim().trim_end_matches('.').strip_prefix("there is a ")?;
        let (called, rest) = text.split_once(" of ")?;
        let (colour, noun) = match called.split_once(' ') {
            Some((c, noun)) => (Some(*Colour::ALL.iter().find(|k| k.name() == c)?), noun),
            None => (None, called),
        };
        let noun = Noun::named(noun)?;
        let mut numbers = rest.split([' ', '(', ')', ',']).filter_map(|w| w.parse::<f64>().ok());
        let mut next = || numbers.next().filter(|n| n.is_finite());
        let size = [next()? / 100.0, next()? / 100.0];
        let at = [next()?, next()?];
        let (heading, top) = (next()?.to_radians(), next()? / 100.0);
        let area = Area::QUARTERS.into_iter().find(|a| rest.contains(&on(*a)));
        Some(Self { noun, colour, size, at, heading, top, area })
    }
}

impl fmt::Display for Sighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [length, width] = self.size.map(|m| 100.0 * m);
        let [x, y] = self.at;
        let (heading, top) = (self.heading.to_degrees(), 100.0 * self.top);
        write!(
            f,
            "there is a {} of {length:.1} by {width:.1} cm at ({x:.3}, {y:.3}), turned by \
             {heading:.0} degrees, its top {top:.1} cm high{}",
            self.called(),
            self.area.map(on).unwrap_or_default()
        )
    }
}

fn on(area: Area) -> String {
    format!(", on the {} area", area.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_go_there_and_back() {
        let seen = Sighting {
            noun: Noun::Block,
            colour: Some(Colour::Red),
            size: [0.06, 0.06],
            at: [0.451, -0.032],
            heading: 0.0,
            top: 0.1,
            area: Some(Area::BottomLeft),
        };
        let said = seen.to_string();
        assert!(said.starts_with("there is a red block of 6.0 by 6.0 cm at (0.451, -0.032)"));
        let read = Sighting::parse(&said).unwrap();
        assert_eq!((read.noun, read.colour, read.at), (seen.noun, seen.colour, seen.at));
        assert!((read.top - seen.top).abs() < 1e-9);
        assert_eq!(read.area, seen.area);
        let line = Sighting { noun: Noun::Line, colour: None, ..seen };
        assert_eq!(Sighting::parse(&line.to_string()).unwrap().noun, Noun::Line);
        for other in ["", "there is a red", "the red block is on the table", "there is a x of 1"] {
            assert_eq!(Sighting::parse(other), None, "{other}");
        }
    }
}
