//! Many environments over worker threads.
//!
//! Episodes are a work list; each worker owns its worlds and takes the next episode as soon as it
//! has finished one. An episode depends only on its task and seed, so results do not depend on the
//! number of workers, and they are handed back in the order of the list.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use longarm_task::TaskSpec;
use longarm_types::Seed;

use crate::{Env, EnvSettings, SimError};

/// One episode to run.
#[derive(Clone, Debug)]
pub struct Job {
    /// Task.
    pub task: Arc<TaskSpec>,
    /// Seed.
    pub seed: Seed,
}

/// Runs `work` for every number below `count`. Each worker makes its own `W` (environments, a
/// connection to a policy server) and takes the next number as soon as it has finished one; `done`
/// gets results on the calling thread, in the order in which they arrive. Once `stop` is set no new
/// work is begun. Nothing is called outside `make` and `work`, where the caller may guard against
/// panics.
pub fn pool<W, T: Send>(
    count: usize,
    workers: usize,
    stop: &AtomicBool,
    make: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, usize) -> T + Sync,
    mut done: impl FnMut(usize, T),
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
                    if i >= count || send.send((i, work(&mut own, i))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        receive.into_iter().for_each(|(i, result)| done(i, result));
    });
}

/// Runs every job on `workers` threads. `episode` gets an environment already reset to the job's
/// seed (or the reason it could not be); `done` gets results in the order of the list, as soon as
/// all earlier ones are in. `done` returns false to stop early.
pub fn run<T: Send>(
    jobs: &[Job],
    workers: usize,
    settings: &EnvSettings,
    episode: impl Fn(usize, Result<&mut Env, SimError>) -> T + Sync,
    mut done: impl FnMut(usize, T) -> bool,
) {
    let stop = AtomicBool::new(false);
    let mut waiting = BTreeMap::new();
    let mut expected = 0;
    let work = |envs: &mut Vec<Env>, i: usize| match prepare(envs, &jobs[i], settings) {
        Ok(env) => episode(i, Ok(env)),
        Err(e) => episode(i, Err(e)),
    };
    pool(jobs.len(), workers, &stop, Vec::new, work, |i, result| {
        waiting.insert(i, result);
        while let Some(result) = waiting.remove(&expected) {
            if !stop.load(Ordering::Relaxed) && !done(expected, result) {
                stop.store(true, Ordering::Relaxed);
            }
            expected += 1;
        }
    });
}

/// The worker's environment for this job's task, reset to its seed.
fn prepare<'a>(
    envs: &'a mut Vec<Env>,
    job: &Job,
    settings: &EnvSettings,
) -> Result<&'a mut Env, SimError> {
    // Work lists go task by task, so one environment per worker is nearly always enough.
    let found = envs.iter().position(|e| Arc::ptr_eq(e.task(), &job.task));
    let i = match found {
        Some(i) => i,
        None => {
            envs.clear();
            envs.push(Env::new(Arc::clone(&job.task), settings.clone())?);
            0
        }
    };
    envs[i].reset(job.seed)?;
    Ok(&mut envs[i])
}
