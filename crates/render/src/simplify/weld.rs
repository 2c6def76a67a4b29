//! Normals that meet in a place, made one.

use super::{Simplifier, added, apart_from};
use crate::math::{Vec3, normalize};

/// How much normals that differ by one and meet in a place count, against the length of the edges there.
const FACETS: f32 = 1.0;

impl Simplifier {
    /// Make one of normals at a place that differ less than shows on triangles of their size.
    pub(super) fn weld(&mut self, most: f32) {
        let mut here: Vec<u32> = Vec::new();
        for place in 0..self.points.len() as u32 {
            here.clear();
            let corners = self.around(place).iter().flat_map(|t| self.triangles[*t as usize]);
            here.extend(corners.filter(|v| self.place[*v as usize] == place));
            here.sort_unstable();
            here.dedup();
            if here.len() < 2 {
                continue;
            }
            let reach = self.reach(place);
            loop {
                let mut best: Option<(f32, u32, u32)> = None;
                for (i, a) in here.iter().enumerate() {
                    for b in &here[i + 1..] {
                        let sum = added(self.sums[*a as usize], self.sums[*b as usize]);
                        let apart = apart_from(normalize(sum.0), sum);
                        if self.uvs[*a as usize] == self.uvs[*b as usize]
                            && best.is_none_or(|b| apart < b.0)
                        {
                            best = Some((apart, *a, *b));
                        }
                    }
                }
                let Some((apart, a, b)) = best else { break };
                if FACETS * FACETS * apart * reach > most * most {
                    break;
                }
                self.merge(place, a, b);
                here.retain(|v| *v != b);
            }
        }
    }

    /// Make one of two vertices at a place, with the mean of their normals.
    fn merge(&mut self, place: u32, a: u32, b: u32) {
        let (n, m) = (self.given[a as usize], self.given[b as usize]);
        let (p, q) = (self.sums[a as usize].1, self.sums[b as usize].1);
        let share = if p + q > 0.0 { q / (p + q) } else { 0.5 };
        let mean: Vec3 = std::array::from_fn(|k| n[k] + share * (m[k] - n[k]));
        self.given[a as usize] = mean;
        self.normals[a as usize] = normalize(mean);
        self.sums[a as usize] = added(self.sums[a as usize], self.sums[b as usize]);
        let (first, end) = (self.starts[place as usize], self.starts[place as usize + 1]);
        for t in &self.around[first as usize..end as usize] {
            for v in self.triangles[*t as usize].iter_mut().filter(|v| **v == b) {
                *v = a;
            }
        }
    }
}
