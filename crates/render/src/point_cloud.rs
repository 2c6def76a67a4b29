//! Point clouds from depth images.

use crate::camera::Camera;
use crate::frame::Frame;
use crate::math::{Aabb, Vec3};

/// A point seen by a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where, in the world.
    pub position: Vec3,
    /// Colour; black if the frame has none.
    pub rgb: [u8; 3],
    /// Segment; [`NOTHING`](crate::NOTHING) if the frame has none.
    pub segment: i32,
}

/// Appends a point for every pixel that shows something, row by row, inside `crop` if given.
/// Fusing views is calling this once for each. The frame needs its depth.
pub fn unproject(frame: &Frame, camera: &Camera, crop: Option<&Aabb>, points: &mut Vec<Point>) {
    assert_eq!(frame.depth.len(), frame.width * frame.height, "unproject needs a depth channel");
    for y in 0..frame.height {
        for x in 0..frame.width {
            let i = y * frame.width + x;
            let depth = frame.depth[i];
            if depth <= 0.0 {
                continue;
            }
            let position = camera.unproject(x as f32 + 0.5, y as f32 + 0.5, depth);
            if crop.is_some_and(|c| !c.contains(position)) {
                continue;
            }
            let rgb = if frame.rgb.is_empty() { [0; 3] } else { frame.pixel(x, y) };
            let segment = frame.segment.get(i).copied().unwrap_or(crate::NOTHING);
            points.push(Point { position, rgb, segment });
        }
    }
}

fn distance2(a: Vec3, b: Vec3) -> f32 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// Exactly `count` points spread evenly: each is the one farthest from those before it, the first
/// being the first of `points`. If there are fewer, they repeat in order; of none comes none.
pub fn farthest_points(points: &[Point], count: usize) -> Vec<Point> {
    if points.is_empty() {
        return Vec::new();
    }
    let mut chosen = Vec::with_capacity(count);
    if points.len() <= count {
        chosen.extend(points.iter().cycle().take(count));
        return chosen;
    }
    spread(points, count, &mut Vec::new(), &mut chosen);
    chosen
}

/// Append `count` of more points, each the one farthest from those before it.
fn spread(points: &[Point], count: usize, gap: &mut Vec<f32>, chosen: &mut Vec<Point>) {
    gap.clear();
    gap.resize(points.len(), f32::INFINITY);
    let (mut next, end) = (0, chosen.len() + count);
    while chosen.len() < end {
        let p = points[next];
        chosen.push(p);
        let mut best = -1.0;
        for (i, (g, q)) in gap.iter_mut().zip(points).enumerate() {
            *g = g.min(distance2(p.position, q.position));
            if *g > best {
                (best, next) = (*g, i);
            }
        }
    }
}

/// Points of a cloud from which a sample is chosen, for each point of the sample. All of them would
/// cost the square of a picture's side for a sample that is hardly more even.
const CANDIDATES: usize = 4;

/// Chooses a fixed number of points out of a cloud and keeps its memory between clouds.
#[derive(Clone, Debug, Default)]
pub struct Sampler {
    some: Vec<Point>,
    gap: Vec<f32>,
}

impl Sampler {
    /// Write exactly `count` points: of evenly spaced candidates each is the one farthest from those before
    /// it, the first being the first of `points`. Fewer points repeat in order; of none comes none.
    pub fn sample(&mut self, points: &[Point], count: usize, out: &mut Vec<Point>) {
        out.clear();
        if points.len() <= count {
            out.extend(points.iter().cycle().take(if points.is_empty() { 0 } else { count }));
            return;
        }
        let most = points.len().min(count.saturating_mul(CANDIDATES));
        self.some.clear();
        self.some.extend((0..most).map(|i| points[i * points.len() / most]));
        spread(&self.some, count, &mut self.gap, out);
    }
}

/// One point per cube of side `size`: the one nearest the mean of all points in it. The order
/// follows the cubes, so it does not depend on the order of views.
pub fn voxel_sample(points: &[Point], size: f32) -> Vec<Point> {
    let key = |p: &Point| p.position.map(|c| libm::floorf(c / size) as i32);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&i| (key(&points[i]), points[i].position.map(f32::to_bits), i));
    order
        .chunk_by(|&a, &b| key(&points[a]) == key(&points[b]))
        .map(|cube| {
            let n = cube.len() as f64;
            let sum = |k: usize| cube.iter().map(|&i| points[i].position[k] as f64).sum::<f64>();
            let mean = [0, 1, 2].map(|k| (sum(k) / n) as f32);
            let near = |&i: &usize| distance2(points[i].position, mean);
            points[*cube.iter().min_by(|a, b| near(a).total_cmp(&near(b))).unwrap()]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32) -> Point {
        Point { position: [x, y, 0.0], rgb: [1, 2, 3], segment: 0 }
    }

    #[test]
    fn farthest_points_are_spread_and_exact_in_number() {
        let line: Vec<Point> = (0..=100).map(|i| at(i as f32 * 0.01, 0.0)).collect();
        let three: Vec<f32> = farthest_points(&line, 3).iter().map(|p| p.position[0]).collect();
        assert_eq!(three, [0.0, 1.0, 0.5]);
        assert_eq!(farthest_points(&line[..2], 5).len(), 5);
        assert!(farthest_points(&[], 5).is_empty());
    }

    #[test]
    fn samples_are_spread_and_exact_in_number() {
        let line: Vec<Point> = (0..=1000).map(|i| at(i as f32 * 0.001, 0.0)).collect();
        let (mut sampler, mut out) = (Sampler::default(), Vec::new());
        for _ in 0..2 {
            sampler.sample(&line, 16, &mut out);
            let mut x: Vec<f32> = out.iter().map(|p| p.position[0]).collect();
            x.sort_by(f32::total_cmp);
            assert_eq!(x.len(), 16);
            assert!(x.windows(2).all(|w| (0.03..0.13).contains(&(w[1] - w[0]))), "{x:?}");
        }
        sampler.sample(&line[..3], 5, &mut out);
        assert_eq!(out, [line[0], line[1], line[2], line[0], line[1]]);
        sampler.sample(&[], 5, &mut out);
        assert!(out.is_empty());
    }

    #[test]
    fn voxels_keep_one_point_each_whatever_the_order() {
        let mut points: Vec<Point> =
            (0..50).map(|i| at((i % 10) as f32 * 0.1, (i / 10) as f32 * 0.1)).collect();
        let sampled = voxel_sample(&points, 0.25);
        points.reverse();
        assert_eq!(voxel_sample(&points, 0.25), sampled);
        assert_eq!(sampled.len(), 4 * 2);
        assert!(sampled.iter().all(|p| points.contains(p)));
    }
}
