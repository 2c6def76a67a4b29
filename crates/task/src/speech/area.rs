//! Parts of the table as one calls them looking at the robot from the far side.

use longarm_types::Bounds;

/// A quarter of the workspace, or its middle. Top is near the robot, left is towards −y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Area {
    TopLeft,
    TopRight,
    BottomLeft,
    BottomRight,
    Center,
}

impl Area {
    /// The quarters.
    pub const QUARTERS: [Self; 4] =
        [Self::TopLeft, Self::TopRight, Self::BottomLeft, Self::BottomRight];

    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TopLeft => "top left",
            Self::TopRight => "top right",
            Self::BottomLeft => "bottom left",
            Self::BottomRight => "bottom right",
            Self::Center => "center",
        }
    }

    /// Its middle and half size in a workspace.
    pub fn rect(self, w: &Bounds) -> ([f64; 2], [f64; 2]) {
        let ([x, y], [hx, hy]) = ([w.centre[0], w.centre[1]], [w.half[0] / 2.0, w.half[1] / 2.0]);
        let at = |a: f64, b: f64| [x + a * hx, y + b * hy];
        let middle = match self {
            Self::TopLeft => at(-1.0, -1.0),
            Self::TopRight => at(-1.0, 1.0),
            Self::BottomLeft => at(1.0, -1.0),
            Self::BottomRight => at(1.0, 1.0),
            Self::Center => [x, y],
        };
        (middle, [hx, hy])
    }

    /// Whether a point is in it, so far from its edges.
    pub fn contains(self, w: &Bounds, p: [f64; 2], margin: f64) -> bool {
        let (c, h) = self.rect(w);
        (0..2).all(|i| (p[i] - c[i]).abs() <= h[i] - margin)
    }

    /// The quarter a point is in.
    pub fn of(w: &Bounds, p: [f64; 2]) -> Self {
        match (p[0] < w.centre[0], p[1] < w.centre[1]) {
            (true, true) => Self::TopLeft,
            (true, false) => Self::TopRight,
            (false, true) => Self::BottomLeft,
            (false, false) => Self::BottomRight,
        }
    }
}
