//! Work over threads that stay.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Does all of `work` on the helpers and on this thread, which would otherwise sleep and have to be
/// woken; results are in the order of the work.
pub(super) fn share<W: Send, T: Send>(
    helpers: Option<&rayon::ThreadPool>,
    work: impl Iterator<Item = W> + Send,
    each: impl Fn(W) -> T + Sync,
) -> Vec<T> {
    let Some(helpers) = helpers else { return work.map(each).collect() };
    let (work, done) = (Mutex::new(work.enumerate()), Mutex::new(Vec::new()));
    let take = || {
        loop {
            // Not in a `while let`, which would hold the lock throughout.
            let next = lock(&work).next();
            let Some((i, job)) = next else { break };
            let result = each(job);
            lock(&done).push((i, result));
        }
    };
    helpers.in_place_scope(|scope| {
        for _ in 0..helpers.current_num_threads() {
            scope.spawn(|_| take());
        }
        take();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
