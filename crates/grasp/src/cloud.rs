//! The cloud that several depth pictures come to, and what they left unseen.

use longarm_types::{Bounds, CameraImage, DVec3, Rng, Segment};

/// Points of a segment are thinned to one in a cube of this side, metres; of the rest to one in a larger one.
const FINE: f64 = 0.004;
const COARSE: f64 = 0.008;
/// Of one segment no more points than this are worked with.
const MOST: usize = 700;
/// Points within this distance tell a normal, and how many it takes.
const NEIGHBOURS: f64 = 0.011;
const FEWEST: usize = 5;
/// How far behind a seen surface a place must lie to be hidden by it, metres.
const BEHIND: f64 = 0.012;

/// How surfaces are perceived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Perception {
    /// Standard deviation of a depth of one metre, metres; it grows with the square of the depth.
    pub noise: f64,
}

/// A point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where.
    pub at: DVec3,
    /// Away from the inside; zero where too few points are near to tell.
    pub normal: DVec3,
}

/// A point as it was seen.
#[derive(Clone, Copy, Debug)]
struct Seen {
    at: DVec3,
    segment: i32,
    view: usize,
}

/// A camera with what it measured.
#[derive(Clone, Debug)]
struct View {
    width: usize,
    height: usize,
    depth: Vec<f32>,
    eye: DVec3,
    /// Right, down, along the line of sight.
    axes: [DVec3; 3],
    focal: [f64; 2],
    centre: [f64; 2],
}

impl View {
    fn new(image: &CameraImage, Perception { noise }: Perception, rng: &mut Rng) -> Self {
        let c = &image.calibration;
        let column = |k: usize| DVec3::from(c.rotation.map(|row| f64::from(row[k])));
        let mut depth = image.depth.clone();
        if noise > 0.0 {
            for d in &mut depth {
                *d += (noise * rng.normal()) as f32 * *d * *d;
            }
        }
        Self {
            width: image.width,
            height: image.height,
            depth,
            eye: DVec3::from(c.position.map(f64::from)),
            axes: [column(0), column(1), column(2)],
            focal: c.focal.map(f64::from),
            centre: c.centre.map(f64::from),
        }
    }

    /// Return the point that a pixel shows.
    fn point(&self, x: usize, y: usize) -> Option<DVec3> {
        let depth = f64::from(self.depth[y * self.width + x]);
        let off =
            |pixel: usize, k: usize| (pixel as f64 + 0.5 - self.centre[k]) / self.focal[k] * depth;
        let [right, down, ahead] = self.axes;
        (depth > 0.0).then(|| self.eye + right * off(x, 0) + down * off(y, 1) + ahead * depth)
    }

    /// How far a place lies behind what is seen in front of it; `None` out of the picture.
    fn behind(&self, p: DVec3) -> Option<f64> {
        let d = p - self.eye;
        let ahead = d.dot(self.axes[2]);
        let pixel = |k: usize| d.dot(self.axes[k]) / ahead * self.focal[k] + self.centre[k];
        let (x, y) = (pixel(0), pixel(1));
        let within = x >= 0.0 && y >= 0.0 && x < self.width as f64 && y < self.height as f64;
        if ahead <= 0.01 || !within {
            return None;
        }
        let seen = f64::from(self.depth[y as usize * self.width + x as usize]);
        Some(if seen > 0.0 { ahead - seen } else { -1.0 })
    }
}

/// What cameras saw at a moment.
#[derive(Clone, Debug, Default)]
pub struct Cloud {
    views: Vec<View>,
    points: Vec<Seen>,
}

impl Cloud {
    /// Fuse what cameras see within a box. Pictures without depth or segments say nothing; robots are left out.
    pub fn see(
        images: &[CameraImage],
        within: &Bounds,
        perception: Perception,
        rng: &mut Rng,
    ) -> Self {
        let mut cloud = Self::default();
        let (centre, half) = (DVec3::from(within.centre), DVec3::from(within.half));
        let pixels = |i: &CameraImage| i.width * i.height;
        let whole = |i: &&CameraImage| i.depth.len() == pixels(i) && i.segment.len() == pixels(i);
        for image in images.iter().filter(whole).filter(|i| pixels(i) > 0) {
            let view = View::new(image, perception, rng);
            for (y, x) in (0..view.height).flat_map(|y| (0..view.width).map(move |x| (y, x))) {
                let segment = image.segment[y * view.width + x];
                if matches!(Segment::of(segment), Segment::Background | Segment::Limb(_)) {
                    continue;
                }
                let Some(at) = view.point(x, y) else { continue };
                if ((at - centre).abs() - half).max_element() <= 0.0 {
                    cloud.points.push(Seen { at, segment, view: cloud.views.len() });
                }
            }
            cloud.views.push(view);
        }
        cloud
    }

    /// Return how many pixels show a segment.
    pub fn pixels(&self, segment: i32) -> usize {
        self.points.iter().filter(|p| p.segment == segment).count()
    }

    /// Return the surface of a segment, thinned, with normals. Of more points than can be worked with `rng`
    /// chooses.
    pub fn surface(&self, segment: i32, rng: &mut Rng) -> Vec<Point> {
        let own: Vec<Seen> = self.points.iter().filter(|p| p.segment == segment).copied().collect();
        let mut thin = thinned(own, FINE);
        for k in 0..thin.len().min(MOST) {
            let other = k + rng.below(thin.len() - k);
            thin.swap(k, other);
        }
        thin.truncate(MOST);
        let oriented = |p: &Seen| {
            let near = thin.iter().map(|q| q.at).filter(|q| (*q - p.at).length() < NEIGHBOURS);
            let normal = normal(&near.collect::<Vec<_>>());
            let towards = self.views[p.view].eye - p.at;
            Point { at: p.at, normal: normal * normal.dot(towards).signum() }
        };
        thin.iter().map(oriented).collect()
    }

    /// Return all that is seen around a point but one segment, thinned.
    pub fn around(&self, segment: i32, middle: DVec3, radius: f64) -> Vec<DVec3> {
        let other = |p: &&Seen| p.segment != segment && (p.at - middle).length() < radius;
        let others = self.points.iter().filter(other).copied().collect();
        thinned(others, COARSE).into_iter().map(|p| p.at).collect()
    }

    /// Whether no camera sees that a place is empty.
    pub fn hides(&self, p: DVec3) -> bool {
        !self.views.iter().filter_map(|v| v.behind(p)).any(|d| d < BEHIND)
    }
}

/// Return one point per cube, the mean of those in it.
fn thinned(mut points: Vec<Seen>, side: f64) -> Vec<Seen> {
    let cube = |p: &Seen| (p.at / side).floor().to_array().map(|c| c as i64);
    points.sort_by_cached_key(cube);
    let mean = |all: &[Seen]| {
        let sum: DVec3 = all.iter().map(|p| p.at).sum();
        Seen { at: sum / all.len() as f64, ..all[0] }
    };
    points.chunk_by(|a, b| cube(a) == cube(b)).map(mean).collect()
}

/// Return the direction in which points spread least; zero of too few.
fn normal(points: &[DVec3]) -> DVec3 {
    if points.len() < FEWEST {
        return DVec3::ZERO;
    }
    let middle = points.iter().sum::<DVec3>() / points.len() as f64;
    let (mut square, mut mixed) = (DVec3::ZERO, DVec3::ZERO);
    for d in points.iter().map(|p| *p - middle) {
        square += d * d;
        // yz, zx, xy.
        mixed += DVec3::new(d.y * d.z, d.z * d.x, d.x * d.y);
    }
    // The plane is fitted along the axis along which that is best conditioned.
    let each = [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        let mut n = [0.0; 3];
        n[k] = square[i] * square[j] - mixed[k] * mixed[k];
        n[i] = mixed[k] * mixed[i] - mixed[j] * square[j];
        n[j] = mixed[k] * mixed[j] - mixed[i] * square[i];
        (n[k], DVec3::from(n))
    });
    let best = each.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    best.and_then(|(_, n)| n.try_normalize()).unwrap_or(DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;
    use longarm_types::Seed;

    #[test]
    fn normals_point_out_of_a_box() {
        let half = DVec3::new(0.03, 0.02, 0.025);
        let cloud = shapes::scene(&[shapes::cuboid(DVec3::new(0.0, 0.0, 0.025), half)]);
        let points = cloud.surface(1, &mut Seed(0).stream("test"));
        assert!(points.len() > 200, "{}", points.len());
        let flat = |p: &&Point| p.normal.abs().max_element() > 0.97;
        let told = points.iter().filter(|p| p.normal != DVec3::ZERO).count();
        assert!(points.iter().filter(flat).count() * 10 > told * 6, "faces are flat");
        for p in points.iter().filter(flat) {
            let out = p.at - DVec3::new(0.0, 0.0, 0.025);
            assert!(p.normal.dot(out) > 0.0, "{p:?}");
        }
    }

    #[test]
    fn what_lies_behind_is_hidden_and_what_is_seen_through_is_not() {
        let half = DVec3::new(0.05, 0.05, 0.05);
        let cloud = shapes::scene(&[shapes::cuboid(DVec3::new(0.0, 0.0, 0.05), half)]);
        assert!(cloud.hides(DVec3::new(0.0, 0.0, 0.05)), "inside");
        assert!(cloud.hides(DVec3::new(0.0, 0.0, -0.1)), "below the table");
        assert!(!cloud.hides(DVec3::new(0.0, 0.0, 0.15)), "above");
        assert!(!cloud.hides(DVec3::new(0.1, 0.0, 0.02)), "before it");
    }

    #[test]
    fn noise_moves_points_and_is_the_same_for_a_seed() {
        let noisy = |seed, noise| {
            let parts = [shapes::cuboid(DVec3::new(0.0, 0.0, 0.025), DVec3::splat(0.025))];
            shapes::noisy(&parts, Perception { noise }, &mut Seed(seed).stream("test"))
        };
        let points = |cloud: &Cloud| cloud.points.iter().map(|p| p.at).collect::<Vec<_>>();
        let (clean, one) = (points(&noisy(1, 0.0)), points(&noisy(1, 0.004)));
        assert_eq!(one, points(&noisy(1, 0.004)));
        assert_ne!(one, points(&noisy(2, 0.004)));
        assert_ne!(one, clean);
    }
}
