//! Neighbouring places, drawn together.

use super::{Simplifier, added, face};
use crate::math::{Vec3, dot, sub};

/// Least cosine between a triangle before and after.
const TURN: f32 = 0.5;
/// Edges do not get longer, in the mesh's frame.
const LONGEST: f32 = 0.3;
/// In place of a vertex: a new one.
const ALONG: u32 = u32::MAX;

impl Simplifier {
    pub(super) fn round(&mut self, most: f32) {
        let mut wishes: Vec<(u32, u32, u32)> = Vec::new();
        for from in 0..self.points.len() as u32 {
            let mut best: Option<(f32, u32)> = None;
            let reach = self.reach(from);
            for t in self.around(from) {
                for to in self.places(*t as usize) {
                    let limit = best.map_or(most, |b| b.0);
                    if to != from
                        && best.is_none_or(|b| b.1 != to)
                        && let Some(cost) = self.cost(from, to, reach, limit)
                        && best.is_none_or(|b| (cost, to) < b)
                    {
                        best = Some((cost, to));
                    }
                }
            }
            // Costs are not negative: their bits are in order.
            wishes.extend(best.map(|(cost, to)| (cost.to_bits(), from, to)));
        }
        wishes.sort_unstable();
        let mut busy = vec![false; self.points.len()];
        let mut moves = Vec::new();
        for (_, from, to) in wishes {
            if busy[from as usize] || busy[to as usize] || !self.moves(from, to, &mut moves) {
                continue;
            }
            for t in self.around(from) {
                self.places(*t as usize).iter().for_each(|v| busy[*v as usize] = true);
            }
            self.collapse(from, to, &mut moves);
        }
        self.drop_flat();
        self.connect();
    }

    /// Find what the vertices of a place become; false if it must stay.
    fn moves(&self, from: u32, to: u32, moves: &mut Vec<(u32, u32)>) -> bool {
        moves.clear();
        for t in self.around(from) {
            if let Some(pair) = self.pair(*t, from, to)
                && !moves.contains(&pair)
            {
                moves.push(pair);
            }
        }
        let target = self.points[to as usize];
        let longest = self.reach(from).max(LONGEST * LONGEST);
        let on_rim = self.rim(from, to);
        for t in self.around(from) {
            let places = self.places(*t as usize);
            let corner = places.iter().position(|p| *p == from).unwrap_or(0);
            // A rim is drawn together along itself.
            let beside = [places[(corner + 1) % 3], places[(corner + 2) % 3]];
            if !on_rim && beside.iter().any(|b| self.rim(from, *b)) {
                return false;
            }
            if places.contains(&to) {
                continue;
            }
            let vertex = self.triangles[*t as usize][corner];
            if !moves.iter().any(|m| m.0 == vertex) {
                // It takes its normal along, where it is known what becomes of its texture.
                if self.textured && !moves.iter().any(|m| self.alike(m.0, vertex)) {
                    return false;
                }
                moves.push((vertex, ALONG));
            }
            let p = places.map(|v| self.points[v as usize]);
            let mut q = p;
            q[corner] = target;
            // Light changes along a surface.
            let far = |v: Vec3| dot(sub(v, target), sub(v, target)) > longest;
            if far(p[(corner + 1) % 3]) || far(p[(corner + 2) % 3]) {
                return false;
            }
            let (old, new) = (face(p), face(q));
            if dot(old, new) <= TURN * (dot(old, old) * dot(new, new)).sqrt() {
                return false;
            }
        }
        true
    }

    /// Whether two vertices at a place have one point of the texture.
    fn alike(&self, a: u32, b: u32) -> bool {
        self.uvs[a as usize] == self.uvs[b as usize]
    }

    fn collapse(&mut self, from: u32, to: u32, moves: &mut [(u32, u32)]) {
        let count = moves.iter().take_while(|m| m.1 != ALONG).count();
        for i in 0..moves.len() {
            let (known, rest) = moves.split_at_mut(i);
            let (a, b) = &mut rest[0];
            let known = &known[..count.min(i)];
            let a = *a as usize;
            if *b == ALONG {
                let like = known.iter().find(|m| self.uvs[m.0 as usize] == self.uvs[a]);
                let uv = like.map_or(self.uvs[a], |m| self.uvs[m.1 as usize]);
                *b = self.place.len() as u32;
                self.place.push(to);
                self.normals.push(self.normals[a]);
                self.given.push(self.given[a]);
                self.sums.push(self.sums[a]);
                self.uvs.push(uv);
            } else {
                self.sums[*b as usize] = added(self.sums[*b as usize], self.sums[a]);
            }
        }
        let (first, end) = (self.starts[from as usize], self.starts[from as usize + 1]);
        for slot in first..end {
            let t = self.around[slot as usize] as usize;
            for v in &mut self.triangles[t] {
                if self.place[*v as usize] == from {
                    let new = moves.iter().find(|m| m.0 == *v).or(moves.first());
                    *v = new.map_or(*v, |m| m.1);
                }
            }
        }
        let q = self.quadrics[from as usize];
        self.quadrics[to as usize].add(&q);
    }
}
