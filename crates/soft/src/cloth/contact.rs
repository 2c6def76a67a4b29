//! Contact with solids: rigid along the normal, Coulomb's friction across it.

use longarm_types::DVec3;

use super::{Cloth, RECOVERY, around, endless};
use crate::Solid;

/// A corner on a solid during one step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    corner: u32,
    normal: DVec3,
    /// How far the solid moved where the corner is.
    carried: DVec3,
    /// How far the solid pushed the corner: its force, but for mass and time.
    pushed: f64,
    /// Whether it lies where the solid grips.
    gripped: bool,
}

/// How far an overlap may be undone, and which part of that is a force.
#[derive(Clone, Copy)]
pub(super) struct Push {
    /// Undoes motion of this step: a force.
    pub(super) force: f64,
    /// Undoes an overlap of earlier steps: a change of place without speed.
    pub(super) shift: f64,
}

/// Decide on a push from the distances before and after the step's motion, 0 at touch.
#[inline]
pub(super) fn push(before: f64, after: f64, h: f64) -> Push {
    let start = before.min(0.0);
    let force = (start - after).max(0.0);
    let goal = (start + RECOVERY * h).min(0.0);
    Push { force, shift: (goal - after.max(start)).max(0.0) }
}

impl Cloth {
    /// Meets all solids in a part of the step, given as shares of it.
    pub(super) fn meet(&mut self, h: f64, [from, to]: [f64; 2], solids: &mut [Solid]) {
        let reach = self.spec.radius;
        // Jaws hold what is between them a little before it touches.
        let near = reach * 1.1;
        let (lower, upper) = around(&self.now);
        self.support.fill(DVec3::ZERO);
        for solid in solids.iter_mut() {
            solid.gripped = 0;
            let (old, new) = (solid.at(from), solid.at(to));
            let (least, most) = new.bounds(solid.shape.bounds());
            let (least, most) = (least - DVec3::splat(near), most + DVec3::splat(near));
            if !endless(&solid.shape) && (least.cmpgt(upper).any() || most.cmplt(lower).any()) {
                continue;
            }
            self.touches.clear();
            let (press, mut held) = (solid.grip.length(), 0);
            for i in 0..self.now.len() {
                let p = self.now[i];
                if p.cmplt(least).any() || p.cmpgt(most).any() || self.lightness[i] == 0.0 {
                    continue;
                }
                let local = new.local(p);
                let (distance, away) = solid.shape.distance(local);
                let gripped = away.dot(solid.grip) > 0.7 * press;
                if distance >= if gripped { near } else { reach } {
                    continue;
                }
                let normal = new.rot * away;
                held += usize::from(gripped);
                let carried = p - old.point(local);
                let after = distance - reach;
                let before = after - normal.dot(p - self.before[i] - carried);
                let push = push(before, after, h);
                self.now[i] = p + normal * (push.force + push.shift);
                self.before[i] += normal * push.shift;
                self.support[i] = normal;
                self.touches.push(Touch {
                    corner: i as u32,
                    normal,
                    carried,
                    pushed: push.force,
                    gripped,
                });
            }
            solid.gripped = held;
            let share = press / held.max(1) as f64;
            for touch in &self.touches {
                let i = touch.corner as usize;
                let slip = self.now[i] - self.before[i] - touch.carried;
                let slip = slip - touch.normal * slip.dot(touch.normal);
                let grip = if touch.gripped { share } else { 0.0 };
                let most = solid.friction * (touch.pushed + grip * h * h * self.lightness[i]);
                let length = slip.length();
                let back = if length > most { slip * (most / length) } else { slip };
                self.now[i] -= back;
                let force = (touch.normal * touch.pushed - back) * (self.mass[i] / (h * h));
                solid.feel(self.now[i], -force);
            }
        }
    }
}
