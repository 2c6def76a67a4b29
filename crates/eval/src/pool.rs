//! Worker threads, each with something of its own.
//!
//! [`longarm_sim::batch`] hands out environments; here a worker keeps whatever it likes (environments
//! of several tasks, a connection to a policy server), results come back as soon as they are there,
//! and nothing runs outside the caller's own guard against panics.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Runs `work` for every number below `count`. Each worker makes its own `W` and takes the next
/// number as soon as it has finished one; `done` gets results on the calling thread, in the order in
/// which they arrive. Once `stop` is set no new work is begun.
pub(crate) fn run<W, T: Send>(
    count: usize,
    workers: usize,
    stop: &AtomicBool,
    make: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize) -> T + Sync,
    mut done: impl FnMut(T),
) {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers.clamp(1, count.max(1)) {
            let (send, next, make, work) = (send.clone(), &next, &make, &work);
            scope.spawn(move || {
                let mut own = make();
                while !stop.load(Ordering::Relaxed) {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= count || send.send(work(&mut own, i)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        receive.into_iter().for_each(&mut done);
    });
}
