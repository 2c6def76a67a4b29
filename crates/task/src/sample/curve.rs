//! How a rope comes to lie: a smooth curve that does not cross itself.

use std::f64::consts::{PI, TAU};

use longarm_assets::AssetInfo;
use longarm_assets::matter::{Matter, Strand};
use longarm_types::Rng;

use super::Draw;
use crate::scene::LineStart;

/// Waves that make up the direction along a rope.
const WAVES: usize = 3;
/// Parts of a rope that lie beside each other are this many radii apart.
const APART: f64 = 5.0;
/// The tightest bend, metres.
const BEND: f64 = 0.03;
/// Curves tried; each is less bent than the one before.
const TRIES: usize = 60;

impl Draw<'_> {
    /// Draw how a rope lies, and give it the room that this takes.
    pub(super) fn lay(&mut self, name: &str, info: &mut AssetInfo) {
        let Some(Matter::Strand(strand)) = info.matter.as_deref() else { return };
        if strand.curl == [0.0; 2] {
            return;
        }
        let points = curve(strand, &mut self.seed.stream(&format!("curl/{name}")));
        for k in 0..2 {
            let low = points.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min);
            let high = points.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max);
            info.bounds.centre[k] = f64::midpoint(low, high);
            info.bounds.half[k] = (high - low) / 2.0 + strand.radius;
        }
        self.lines.push(LineStart { instance: self.instances.len(), points });
    }
}

/// Draw how a rope lies: where its nodes are, their mean at the origin, the last from the first along x.
pub(super) fn curve(strand: &Strand, rng: &mut Rng) -> Vec<[f64; 2]> {
    let [least, most] = strand.curl;
    let mut turn = rng.range(least, most);
    let mut points = Vec::new();
    for _ in 0..TRIES {
        let waves: [[f64; 2]; WAVES] =
            std::array::from_fn(|k| [rng.range(-1.0, 1.0) / (1 + k) as f64, rng.range(0.0, TAU)]);
        points = laid(strand, &waves, turn);
        if fits(&points, strand) {
            return points;
        }
        turn *= 0.97;
    }
    points
}

/// The nodes of a rope whose direction turns by `turn` in all, in the way of the waves.
fn laid(strand: &Strand, waves: &[[f64; 2]; WAVES], turn: f64) -> Vec<[f64; 2]> {
    let n = strand.links;
    let way = |i: usize| {
        let s = (i as f64 + 0.5) / n as f64;
        let wave = |(k, [size, phase]): (usize, &[f64; 2])| {
            size * libm::sin((1 + k) as f64 * PI * s + phase)
        };
        waves.iter().enumerate().map(wave).sum::<f64>()
    };
    let ways: Vec<f64> = (0..n).map(way).collect();
    let low = ways.iter().copied().fold(f64::INFINITY, f64::min);
    let high = ways.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let scale = if high > low { turn / (high - low) } else { 0.0 };
    let link = strand.length / n as f64;
    let mut at = [0.0; 2];
    let mut points = vec![at];
    for w in ways {
        let angle = scale * w;
        at = [at[0] + link * libm::cos(angle), at[1] + link * libm::sin(angle)];
        points.push(at);
    }
    // Turned so that its ends are along x, about its middle.
    let far = libm::hypot(at[0], at[1]).max(1e-9);
    let (c, s) = (at[0] / far, at[1] / far);
    let turned = points.iter().map(|[x, y]| [c * x + s * y, c * y - s * x]);
    let points: Vec<[f64; 2]> = turned.collect();
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64;
    let (mx, my) = (mean(0), mean(1));
    points.into_iter().map(|[x, y]| [x - mx, y - my]).collect()
}

/// Whether no part lies on another and no bend is too tight.
fn fits(points: &[[f64; 2]], strand: &Strand) -> bool {
    let link = strand.length / strand.links as f64;
    let apart = APART * strand.radius;
    // Nodes nearer than this along it are near each other anyhow.
    let along = (PI * 0.5 * apart / link).ceil() as usize + 1;
    let far = |a: &[f64; 2], b: &[f64; 2]| libm::hypot(a[0] - b[0], a[1] - b[1]);
    let clear = (0..points.len()).all(|i| {
        points[(i + along).min(points.len())..].iter().all(|q| far(&points[i], q) > apart)
    });
    // Two links that bend by an angle span that much less.
    let least = 2.0 * BEND * libm::sin(link / BEND);
    clear && points.windows(3).all(|p| far(&p[0], &p[2]) >= least)
}

#[cfg(test)]
mod tests {
    use longarm_types::Seed;

    use super::*;

    #[test]
    fn curves_bend_keep_their_length_and_never_cross() {
        let strand = Strand { length: 0.5, links: 40, radius: 0.005, curl: [2.5, 4.5] };
        let (mut bent, mut shortest) = (0, f64::INFINITY);
        for seed in 0..300 {
            let points = curve(&strand, &mut Seed(seed).stream("curl"));
            assert_eq!(points.len(), 41);
            assert!(fits(&points, &strand), "seed {seed}");
            let far = |a: [f64; 2], b: [f64; 2]| libm::hypot(a[0] - b[0], a[1] - b[1]);
            let length: f64 = points.windows(2).map(|p| far(p[0], p[1])).sum();
            assert!((length - 0.5).abs() < 1e-9, "seed {seed}: {length}");
            let chord = far(points[0], points[40]);
            shortest = shortest.min(chord);
            bent += usize::from(chord < 0.42);
            assert!((points[40][1] - points[0][1]).abs() < 1e-9 && points[40][0] > points[0][0]);
        }
        assert!(bent > 250 && shortest < 0.2, "{bent} of 300 bent, shortest {shortest}");
    }
}
