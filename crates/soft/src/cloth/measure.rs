//! What can be measured of a cloth.

use longarm_types::DVec3;

use super::Cloth;

/// How far threads are from their length, as shares of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strain {
    /// Mean lengthening.
    pub mean: f64,
    /// Largest lengthening.
    pub most: f64,
}

impl Cloth {
    /// Return how much its threads are stretched; diagonals do not count.
    pub fn strain(&self) -> Strain {
        let mut strain = Strain::default();
        let mut count = 0;
        for t in self.threads.iter().filter(|t| t.give <= self.spec.stretch) {
            let [i, j] = t.ends.map(|v| self.now[v as usize]);
            let s = (i - j).length() / t.length - 1.0;
            (strain.mean, strain.most) = (strain.mean + s, strain.most.max(s));
            count += 1;
        }
        strain.mean /= f64::from(count.max(1));
        strain
    }

    /// Return its area.
    pub fn area(&self) -> f64 {
        let size = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| self.now[v as usize]);
            (b - a).cross(c - a).length() / 2.0
        };
        self.topology.triangles.iter().map(size).sum()
    }

    /// Return its momentum.
    pub fn momentum(&self) -> DVec3 {
        self.mass.iter().zip(&self.velocity).map(|(m, v)| *v * *m).sum()
    }

    /// Return its angular momentum about the origin.
    pub fn angular_momentum(&self) -> DVec3 {
        (0..self.now.len()).map(|i| self.now[i].cross(self.velocity[i] * self.mass[i])).sum()
    }

    /// Return its energy of motion, height and bending, joules. Threads and diagonals count as rigid.
    pub fn energy(&self) -> f64 {
        let corners: f64 = (0..self.now.len())
            .map(|i| {
                let fall = self.spec.gravity.dot(self.now[i]);
                self.mass[i] * (self.velocity[i].length_squared() / 2.0 - fall)
            })
            .sum();
        let bend = |h: &super::Hinge| {
            let sum = (0..4).map(|k| self.now[h.corners[k] as usize] * h.weights[k]).sum::<DVec3>();
            self.spec.bending * sum.length_squared() / (2.0 * h.give)
        };
        corners + self.hinges.iter().map(bend).sum::<f64>()
    }

    /// Return its mass.
    pub fn mass(&self) -> f64 {
        self.mass.iter().sum()
    }

    /// Return the speed of its fastest corner.
    pub fn speed(&self) -> f64 {
        self.velocity.iter().map(|v| v.length_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Return the root of the mean square of its corners' speeds.
    pub fn mean_speed(&self) -> f64 {
        let sum: f64 = self.velocity.iter().map(|v| v.length_squared()).sum();
        (sum / self.velocity.len() as f64).sqrt()
    }

    /// Count pairs of an edge and a triangle that pass through each other. Slow: looks at all.
    pub fn crossings(&self) -> usize {
        let at = |v: u32| self.now[v as usize];
        let edges = &self.topology.edges;
        let mut count = 0;
        for tri in &self.topology.triangles {
            let [a, b, c] = tri.map(at);
            let (lower, upper) = (a.min(b).min(c), a.max(b).max(c));
            let normal = (b - a).cross(c - a);
            for &[i, j] in edges {
                let (p, q) = (at(i), at(j));
                let apart = p.max(q).cmplt(lower).any() || p.min(q).cmpgt(upper).any();
                if apart || tri.contains(&i) || tri.contains(&j) {
                    continue;
                }
                let (s, t) = ((p - a).dot(normal), (q - a).dot(normal));
                if s * t >= 0.0 {
                    continue;
                }
                let x = p + (q - p) * (s / (s - t));
                let side = |u: DVec3, v: DVec3| (v - u).cross(x - u).dot(normal) > 0.0;
                count += usize::from(side(a, b) && side(b, c) && side(c, a));
            }
        }
        count
    }

    /// Write the normals of its corners.
    pub fn normals(&self, out: &mut [DVec3]) {
        out.fill(DVec3::ZERO);
        for t in &self.topology.triangles {
            let [a, b, c] = t.map(|v| self.now[v as usize]);
            let normal = (b - a).cross(c - a);
            t.iter().for_each(|v| out[*v as usize] += normal);
        }
        out.iter_mut().for_each(|n| *n = n.normalize_or(DVec3::Z));
    }
}
