//! Getting a connection, and getting it back.

use std::time::{Duration, Instant};

use super::{
    Remote,
    fault::{Blame, Fault},
    link::Link,
};

/// First wait between attempts to connect; doubled each time.
const BACKOFF: Duration = Duration::from_millis(250);
/// Longest wait between attempts.
const LONGEST_BACKOFF: Duration = Duration::from_secs(4);

/// How long connecting is tried.
#[derive(Clone, Copy)]
pub(super) enum Patience {
    /// At the start: a wrong address should not take long to be told.
    Retries(u32),
    /// In a run: a server may need to load its model again.
    Time(Duration),
}

/// For how long a server that failed is watched before the failure is the policy's.
const MOMENT: Duration = Duration::from_millis(400);

impl Remote {
    /// Connects, trying the other servers and then again with backoff.
    pub(super) fn open(&mut self, patience: Patience) -> Result<(), Fault> {
        let n = self.spec.addresses.len();
        let home = self.at;
        let begun = Instant::now();
        let mut wait = BACKOFF;
        let mut round = 0;
        loop {
            let mut why = None;
            // The own server first; its fault is the one that is told.
            for k in 0..n {
                self.at = (home + k) % n;
                match self.open_one() {
                    Ok(()) => return Ok(()),
                    Err(e) if self.hopeless(&e, patience) => return Err(e),
                    Err(e) => {
                        // Whoever answers later has to begin from nothing.
                        self.warm &= e.blame() != Blame::Connection;
                        why = why.or(Some(e));
                    }
                }
            }
            self.at = home;
            let left = match patience {
                Patience::Retries(most) if round < most => Duration::MAX,
                Patience::Retries(_) => Duration::ZERO,
                Patience::Time(most) => most.saturating_sub(begun.elapsed()),
            };
            if left.is_zero() {
                let tried = match patience {
                    _ if round == 0 => String::new(),
                    Patience::Retries(_) => format!(" after {} attempts", round + 1),
                    Patience::Time(most) => format!(" for {} s", most.as_secs_f64()),
                };
                let others =
                    if n == 1 { String::new() } else { format!(", nor to {} others", n - 1) };
                return Err(match why {
                    Some(Fault::Down(why)) => Fault::Down(format!("{why}{tried}{others}")),
                    Some(why) => why,
                    None => Fault::Down("there is no server".to_owned()),
                });
            }
            round += 1;
            std::thread::sleep(wait.min(left));
            wait = (wait * 2).min(LONGEST_BACKOFF);
        }
    }

    /// Whether trying again cannot help.
    fn hopeless(&self, fault: &Fault, patience: Patience) -> bool {
        match patience {
            Patience::Retries(_) => fault.blame() != Blame::Connection,
            // It was right before: whatever it does while it starts again may pass.
            Patience::Time(_) => fault.blame() == Blame::Setup,
        }
    }

    /// Connects again in the middle of a run.
    pub(super) fn reopen(&mut self) -> Result<(), Fault> {
        self.open(Patience::Time(self.spec.reconnect))
    }

    /// Opens a connection to a server that has just failed, and sees whether it stays: one that sends
    /// its traceback and exits a moment later still takes a connection in between.
    pub(super) fn served(&mut self) -> Result<(), Fault> {
        self.reopen()?;
        std::thread::sleep(MOMENT);
        match self.link.as_mut().map_or(Ok(()), Link::poll) {
            Ok(()) | Err(Fault::Unasked(_) | Fault::Text(_)) => Ok(()),
            Err(_) => {
                self.link = None;
                self.reopen()
            }
        }
    }

    fn open_one(&mut self) -> Result<(), Fault> {
        let address = &self.spec.addresses[self.at];
        let trust = self.trust.as_ref();
        self.dialect.before(address, trust)?;
        let (limit, largest) = (self.limit(), self.spec.max_message);
        let mut link = Link::open(address, trust, &self.headers, limit, largest)?;
        let stated = self.dialect.greet(&mut link, &mut self.pack)?;
        self.compare(&stated, self.dialect.layout().action.as_ref())?;
        self.note(&stated);
        self.stated = stated;
        self.link = Some(link);
        self.fresh = true;
        Ok(())
    }
}
