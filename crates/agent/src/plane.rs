//! Outlines seen from above.

use std::f64::consts::{FRAC_PI_2, PI};

/// A point of the table.
pub(crate) type Point = [f64; 2];

/// Return the corners of the smallest convex outline around points, counter-clockwise.
pub(crate) fn hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turns_left = |a: Point, b: Point, c: Point| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0
    };
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut out: Vec<Point> = Vec::new();
        for p in points {
            while out.len() >= 2 && !turns_left(out[out.len() - 2], out[out.len() - 1], p) {
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rectangle {
    pub centre: Point,
    /// Length, width.
    pub size: [f64; 2],
    /// Heading of the length, from −90 to 90 degrees.
    pub heading: f64,
}

impl Rectangle {
    /// The smallest one around an outline.
    pub(crate) fn around(outline: &[Point]) -> Option<Self> {
        let mut best: Option<Self> = None;
        for (i, a) in outline.iter().enumerate() {
            let b = outline[(i + 1) % outline.len()];
            let angle = libm::atan2(b[1] - a[1], b[0] - a[0]);
            let r = Self::along(outline, angle);
            if best.is_none_or(|b| r.area() < b.area()) {
                best = Some(r);
            }
        }
        best
    }

    fn along(outline: &[Point], angle: f64) -> Self {
        let (s, c) = (libm::sin(angle), libm::cos(angle));
        let mut span = [[f64::MAX, f64::MIN]; 2];
        for [x, y] in outline {
            for (range, v) in span.iter_mut().zip([c * x + s * y, c * y - s * x]) {
                *range = [range[0].min(v), range[1].max(v)];
            }
        }
        let [mu, mv] = span.map(|[lo, hi]| (lo + hi) / 2.0);
        let [lu, lv] = span.map(|[lo, hi]| hi - lo);
        let (size, turned) = if lu >= lv { ([lu, lv], 0.0) } else { ([lv, lu], FRAC_PI_2) };
        let heading = angle + turned;
        Self {
            centre: [c * mu - s * mv, s * mu + c * mv],
            size,
            heading: heading - PI * (heading / PI).round(),
        }
    }

    pub(crate) fn area(&self) -> f64 {
        self.size[0] * self.size[1]
    }

    /// Where a point is from its middle, along its length and its width.
    pub(crate) fn local(&self, [x, y]: Point) -> Point {
        let (s, c) = (libm::sin(self.heading), libm::cos(self.heading));
        let (dx, dy) = (x - self.centre[0], y - self.centre[1]);
        [c * dx + s * dy, c * dy - s * dx]
    }

    /// Whether all of these points lie within it, give or take a margin.
    pub(crate) fn contains(&self, points: &[Point], margin: f64) -> bool {
        points.iter().all(|p| {
            let local = self.local(*p);
            local.iter().zip(self.size).all(|(v, size)| v.abs() <= size / 2.0 + margin)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_rectangle_is_found() {
        let wanted = Rectangle { centre: [0.4, -0.1], size: [0.2, 0.03], heading: 0.5 };
        let mut points = Vec::new();
        for i in 0..=20 {
            for j in 0..=6 {
                let (u, v) = (0.01 * f64::from(i) - 0.1, 0.005 * f64::from(j) - 0.015);
                let (s, c) = (libm::sin(0.5), libm::cos(0.5));
                points.push([0.4 + c * u - s * v, -0.1 + s * u + c * v]);
            }
        }
        let outline = hull(points);
        let found = Rectangle::around(&outline).unwrap();
        assert!((found.heading - wanted.heading).abs() < 1e-6, "{found:?}");
        assert!((found.size[0] - 0.2).abs() < 1e-9 && (found.size[1] - 0.03).abs() < 1e-9);
        assert!(wanted.contains(&outline, 1e-6) && !found.contains(&outline, -0.001));
        assert!(Rectangle::around(&hull(vec![[0.0; 2]])).is_some());
        assert!(Rectangle::around(&[]).is_none());
    }
}
