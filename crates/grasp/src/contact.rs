//! Where a finger meets a surface, and how squarely.

use longarm_types::DVec3;

/// Points within this distance of the outermost belong to the contact, metres.
const DEEP: f64 = 0.006;
/// How squarely a seen point of a contact must face the finger to tell its normal, and how many it takes.
const FACING: f64 = 0.3;
const FEWEST: usize = 3;
/// An outline tells less than normals that are seen.
const UNSEEN: f64 = 0.9;
/// The outline is read in stripes of this width.
const STRIPE: f64 = 0.005;

/// A surface point in the frame of the tool, its normal too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Local {
    pub(crate) at: DVec3,
    pub(crate) normal: DVec3,
}

/// Return the cosine between the way a finger closes and the surface it meets: the finger comes from the side
/// `from` (±1 along y) upon points of which the outermost is at `edge`.
pub(crate) fn squareness(points: &[Local], from: f64, edge: f64) -> f64 {
    let near = || points.iter().filter(|p| from * (edge - p.at.y) < DEEP);
    let facing = near().map(|p| p.normal).filter(|n| n.y * from > FACING);
    let (sum, count) = facing.fold((DVec3::ZERO, 0), |(s, n), normal| (s + normal, n + 1));
    if count >= FEWEST {
        return sum.y * from / sum.length();
    }
    UNSEEN * outline(points, from)
}

/// Return the cosine that the outline of points has, seen along the way the hand comes.
fn outline(points: &[Local], from: f64) -> f64 {
    let stripe = |p: &Local| libm::floor(p.at.x / STRIPE) as i64;
    let mut far: Vec<(i64, f64)> = Vec::new();
    for p in points {
        match far.iter_mut().find(|(s, _)| *s == stripe(p)) {
            Some((_, y)) => *y = if from * p.at.y > from * *y { p.at.y } else { *y },
            None => far.push((stripe(p), p.at.y)),
        }
    }
    // So narrow an outline has no direction: a rim cut along its length, say, which goes on beyond what is looked at.
    if far.len() < 2 {
        return 0.0;
    }
    let n = far.len() as f64;
    let x = |s: i64| s as f64 * STRIPE;
    let (mx, my) = far.iter().fold((0.0, 0.0), |(a, b), (s, y)| (a + x(*s) / n, b + y / n));
    let (mut xx, mut xy) = (0.0, 0.0);
    for (s, y) in &far {
        xx += (x(*s) - mx) * (x(*s) - mx);
        xy += (x(*s) - mx) * (y - my);
    }
    let slope = xy / xx;
    1.0 / libm::sqrt(1.0 + slope * slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall(slope: f64, normal: DVec3) -> Vec<Local> {
        let at =
            |k: i32| DVec3::new(0.004 * f64::from(k), 0.02 + slope * 0.004 * f64::from(k), 0.0);
        (-3..=3).map(|k| Local { at: at(k), normal }).collect()
    }

    #[test]
    fn seen_normals_decide() {
        let square = squareness(&wall(0.0, DVec3::Y), 1.0, 0.02);
        assert!((square - 1.0).abs() < 1e-12);
        let tilted = DVec3::new(0.0, 0.8, 0.6);
        assert!((squareness(&wall(0.0, tilted), 1.0, 0.02) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn without_them_the_outline_does() {
        let from_above = |slope| squareness(&wall(slope, DVec3::NEG_Z), 1.0, 0.02);
        assert!((from_above(0.0) - UNSEEN).abs() < 1e-9);
        assert!(from_above(1.0) < 0.75 * UNSEEN);
    }

    #[test]
    fn a_rim_cut_along_its_length_is_no_contact() {
        let rim = |k: i32| {
            let y = 0.002 * f64::from(k);
            Local { at: DVec3::new(y * y / 0.26, y, 0.0), normal: DVec3::NEG_Z }
        };
        let rim: Vec<Local> = (-15..=15).map(rim).collect();
        assert!(squareness(&rim, 1.0, 0.03) < 0.1);
    }
}
