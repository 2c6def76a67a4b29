//! Which colours a seed may use, and what people call groups of them.

use Colour::{
    Black, Blue, Brown, Cyan, Gold, Gray, Green, Indigo, Orange, Pink, Purple, Red, Silver, Violet,
    White, Yellow,
};
use longarm_assets::Colour;
use longarm_types::Seed;

/// What a seed is for: even ones train, odd ones validate, odd ones from 10001 test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Mode {
    Train,
    Validation,
    Test,
}

impl Mode {
    /// The mode of a seed.
    pub fn of(seed: Seed) -> Self {
        match seed.0 {
            s if s % 2 == 0 => Self::Train,
            s if s < 10_001 => Self::Validation,
            _ => Self::Test,
        }
    }

    /// Its colours: no two modes share one. Each has a primary, a secondary, warm and cool ones.
    pub const fn colours(self) -> &'static [Colour] {
        match self {
            Self::Train => &[Yellow, Green, Brown, Cyan, Gray, Indigo],
            Self::Validation => &[Blue, Orange, Pink, Silver, Black],
            Self::Test => &[Red, Purple, Gold, Violet, White],
        }
    }
}

/// Colours that go by one word. The reference knows eleven colours; gold, indigo and violet are
/// ours here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Category {
    Cool,
    Warm,
    Primary,
    Secondary,
}

impl Category {
    pub const ALL: [Self; 4] = [Self::Cool, Self::Warm, Self::Primary, Self::Secondary];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Cool => "cool",
            Self::Warm => "warm",
            Self::Primary => "primary",
            Self::Secondary => "secondary",
        }
    }

    pub fn has(self, c: Colour) -> bool {
        match self {
            Self::Cool => matches!(c, Blue | Green | Cyan | Purple | Gray | Indigo | Violet),
            Self::Warm => matches!(c, Red | Yellow | Orange | Brown | Pink | Gold),
            Self::Primary => matches!(c, Blue | Red | Yellow),
            Self::Secondary => matches!(c, Orange | Green | Purple),
        }
    }
}
