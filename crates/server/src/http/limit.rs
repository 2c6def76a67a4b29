//! How often somebody may try.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Wrong tokens of an address within a minute.
const GUESSES: f64 = 120.0;
/// Changes of an account within a minute.
const CHANGES: f64 = 600.0;
/// Addresses that are remembered at once.
const REMEMBERED: usize = 10_000;

/// A bucket that fills within a minute and is emptied by what is done.
#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    seen: Instant,
}

/// Buckets of all who ask.
#[derive(Default)]
pub(crate) struct RateLimits {
    guesses: Mutex<BTreeMap<IpAddr, Bucket>>,
    changes: Mutex<BTreeMap<i64, Bucket>>,
}

fn take<K: Ord + Copy>(all: &Mutex<BTreeMap<K, Bucket>>, key: K, most: f64) -> bool {
    let now = Instant::now();
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() > REMEMBERED {
        all.retain(|_, b| now.duration_since(b.seen) < Duration::from_secs(60));
    }
    let bucket = all.entry(key).or_insert(Bucket { left: most, seen: now });
    let filled = now.duration_since(bucket.seen).as_secs_f64() * most / 60.0;
    *bucket = Bucket { left: (bucket.left + filled).min(most), seen: now };
    let may = bucket.left >= 1.0;
    if may {
        bucket.left -= 1.0;
    }
    may
}

impl RateLimits {
    /// Note that a token was wrong; whether the address may still be told so.
    pub(crate) fn may_guess(&self, peer: IpAddr) -> bool {
        take(&self.guesses, peer, GUESSES)
    }

    /// Whether an account may change something now.
    pub(crate) fn may_change(&self, account: i64) -> bool {
        take(&self.changes, account, CHANGES)
    }
}
