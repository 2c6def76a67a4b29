//! Which arm does which step.

use longarm_task::plan::BoundOp;
use longarm_task::{Op, Snapshot, View};

use super::{Episode, HEARINGS};
use crate::arm::{State, TRIES};
use crate::skills;

/// Cost of what an arm does not reach.
const UNREACHED: f64 = 1e3;

/// What an arm is to do next.
pub(super) enum Next {
    Do(Box<BoundOp>, String),
    /// Nothing for this arm now.
    Wait,
    /// What it was told is done as far as can be seen: what comes next is about to be said.
    HearAgain,
    /// Nothing is due in what is seen.
    LookAgain,
    /// All is done, or given up.
    Finish(&'static str),
}

impl Episode {
    /// Return what an arm is to do next.
    pub(super) fn next(&mut self, i: usize, s: &Snapshot) -> Next {
        let Some(reactive) = &self.reactive else { return self.next_step(i, s) };
        // One step at a time: it could not tell what another arm is about to do.
        if self.arms.iter().any(|a| a.step.is_some() || a.state == State::Moving) {
            return Next::Wait;
        }
        let view = View::seeing(s, &self.seen);
        let next = match &self.told {
            Some(told) => {
                let op = choose(&told.ops, &view, self.arms[i].attempt.tries);
                op.map(|op| (op, told.sentence.as_str()))
            }
            None => reactive.next(&view),
        };
        let Some((op, sentence)) = next else {
            // The first arm looks again for all.
            return if i == 0 { Next::LookAgain } else { Next::Wait };
        };
        let (op, sentence) = (op.clone(), sentence.to_owned());
        if let Some(told) = self.told.as_mut().filter(|t| t.waited < HEARINGS)
            && op.effect.holds(s)
        {
            told.waited += 1;
            return Next::HearAgain;
        }
        let free: Vec<usize> = (0..self.arms.len()).collect();
        match self.limb_for(&op, s, &free) {
            Some(limb) if limb == i => Next::Do(Box::new(op), sentence),
            _ => Next::Wait,
        }
    }

    /// The same with the plan in mind.
    fn next_step(&mut self, i: usize, s: &Snapshot) -> Next {
        // It will not work; standing by is safer than going on with a wrong idea.
        self.given_up |= self.arms[i].attempt.tries >= TRIES;
        if self.given_up {
            return Next::Finish("given up");
        }
        if self.done.iter().all(|d| *d) {
            return Next::Finish("done");
        }
        let Some(k) = self.arms[i].step.or_else(|| self.allot(i, s)) else { return Next::Wait };
        self.arms[i].step = Some(k);
        let step = &self.plan[k];
        match choose(&step.choices, &View::full(s), self.arms[i].attempt.tries) {
            Some(op) => Next::Do(Box::new(op.clone()), self.onlooker.sentence(&step.step, s)),
            None => Next::Finish("given up"),
        }
    }

    /// Return the step that falls to a free arm, in the order of the plan.
    fn allot(&self, i: usize, s: &Snapshot) -> Option<usize> {
        let mut free: Vec<usize> = (0..self.arms.len()).filter(|&k| self.arms[k].free()).collect();
        let ready = |k: &usize| {
            let step = &self.plan[*k];
            !self.done[*k]
                && step.after.iter().all(|b| self.done[*b])
                && self.arms.iter().all(|a| a.step != Some(*k))
        };
        for k in (0..self.plan.len()).filter(ready) {
            let Some(op) = choose(&self.plan[k].choices, &View::full(s), 0) else { return Some(k) };
            let Some(limb) = self.limb_for(op, s, &free) else { continue };
            if limb == i {
                return Some(k);
            }
            free.retain(|f| *f != limb);
        }
        None
    }

    /// Return the free arm that does an operator: the one it names, the one that holds the object, or the
    /// one that reaches it most easily.
    fn limb_for(&self, op: &BoundOp, s: &Snapshot, free: &[usize]) -> Option<usize> {
        let named = match (&op.op, op.limb) {
            (Op::Pass { from, to, .. }, _) => {
                let limb = |name: &str| s.hands.iter().position(|h| h.limb == name);
                let (from, to) = (limb(from)?, limb(to)?);
                return (free.contains(&from) && free.contains(&to)).then_some(from);
            }
            (_, limb) => limb,
        };
        if let Some(limb) = named {
            return free.contains(&limb).then_some(limb);
        }
        let body = op.op.subject().and_then(|name| self.model.at(s, 0).body(name));
        let holder = body.and_then(|b| s.hands.iter().position(|h| h.holds[b]));
        if let Some(limb) = holder {
            return free.contains(&limb).then_some(limb);
        }
        if let [only] = self.arms.as_slice() {
            return Some(only.limb);
        }
        let cost = |i: &usize| self.reach(*i, op, s);
        let best = free.iter().copied().min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
        // An arm that does not reach leaves it to one that is busy and does.
        let busy = (0..self.arms.len()).filter(|k| !free.contains(k));
        let waits = cost(&best) >= UNREACHED && busy.map(|k| cost(&k)).any(|c| c < UNREACHED);
        (!waits).then_some(best)
    }

    /// What it costs an arm to reach what an operator is about, and where that goes.
    fn reach(&self, i: usize, op: &BoundOp, s: &Snapshot) -> f64 {
        let arm = &self.arms[i];
        let scene = self.model.at(s, arm.limb);
        let points = skills::places(&op.op, &scene);
        let cost = |p| arm.geometry.cost(&arm.geometry.easy(p)).unwrap_or(UNREACHED);
        points.into_iter().map(cost).sum()
    }
}

/// Return a choice that is due, after a failure the next one; else one that still has to be done.
fn choose<'a>(choices: &'a [BoundOp], view: &View<'_>, tries: u32) -> Option<&'a BoundOp> {
    let due: Vec<&BoundOp> = choices.iter().filter(|c| c.due(view)).collect();
    let open = || choices.iter().find(|c| !c.effect.holds_in(view)).or(choices.first());
    due.get(tries as usize % due.len().max(1)).copied().or_else(open)
}
