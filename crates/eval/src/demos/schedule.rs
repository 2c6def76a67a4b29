//! Which attempt is next.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, PoisonError};

/// How one task stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    pub(super) wanted: u64,
    /// Attempts there may be.
    pub(super) limit: u64,
    pub(super) kept: u64,
    pub(super) finished: BTreeSet<u64>,
    pub(super) under_way: BTreeSet<u64>,
}

impl Standing {
    /// The lowest attempt that is needed whatever becomes of those under way. So exactly those are
    /// ever made that one worker alone would make, and the number of workers changes nothing.
    fn next(&self) -> Option<u64> {
        let enough = self.kept + self.under_way.len() as u64 >= self.wanted;
        let open = |k: &u64| !self.finished.contains(k) && !self.under_way.contains(k);
        if enough { None } else { (0..self.limit).find(open) }
    }

    fn waiting(&self) -> bool {
        self.kept < self.wanted && !self.under_way.is_empty()
    }
}

pub(super) struct Schedule {
    tasks: Mutex<(Vec<Standing>, bool)>,
    changed: Condvar,
}

impl Schedule {
    pub(super) fn new(tasks: Vec<Standing>) -> Self {
        Self { tasks: Mutex::new((tasks, false)), changed: Condvar::new() }
    }

    /// The next attempt: task and number. `None` when there is nothing left to do.
    pub(super) fn take(&self) -> Option<(usize, u64)> {
        let mut state = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if state.1 {
                return None;
            }
            let next = state.0.iter().enumerate().find_map(|(t, s)| Some((t, s.next()?)));
            if let Some((task, attempt)) = next {
                state.0[task].under_way.insert(attempt);
                return next;
            }
            if !state.0.iter().any(Standing::waiting) {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// An attempt is over.
    pub(super) fn done(&self, task: usize, attempt: u64, kept: bool) {
        let mut state = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        let standing = &mut state.0[task];
        standing.under_way.remove(&attempt);
        standing.finished.insert(attempt);
        standing.kept += u64::from(kept);
        self.changed.notify_all();
    }

    /// No more.
    pub(super) fn stop(&self) {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).1 = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(wanted: u64, limit: u64) -> Standing {
        Standing { wanted, limit, ..Standing::default() }
    }

    /// Attempts 0 and 3 fail; whatever the order of their ends, the same five are made.
    #[test]
    fn no_attempt_is_made_in_vain() {
        for late in [true, false] {
            let schedule = Schedule::new(vec![standing(3, 100)]);
            let mut under_way = Vec::new();
            let mut made = Vec::new();
            loop {
                while under_way.len() < 3 {
                    let state = schedule.tasks.lock().unwrap();
                    let next = state.0[0].next();
                    drop(state);
                    let Some(k) = next else { break };
                    assert_eq!(schedule.take(), Some((0, k)));
                    under_way.push(k);
                    made.push(k);
                }
                let Some(k) = (if late { under_way.pop() } else { under_way.first().copied() })
                else {
                    break;
                };
                under_way.retain(|x| *x != k);
                schedule.done(0, k, k != 0 && k != 3);
            }
            assert_eq!(made, [0, 1, 2, 3, 4], "late {late}");
            assert_eq!(schedule.take(), None);
        }
    }

    #[test]
    fn limits_end_it() {
        let schedule = Schedule::new(vec![standing(2, 3)]);
        for k in 0..3 {
            assert_eq!(schedule.take(), Some((0, k)));
            schedule.done(0, k, false);
        }
        assert_eq!(schedule.take(), None);
    }
}
