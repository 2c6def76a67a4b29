//! Threads that do what the store says is to be done next.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use longarm_eval::Replayer;
use longarm_types::TaskId;

use crate::app::App;
use crate::clock::Moment;
use crate::films;
use crate::hosted::{self, Host, Hosted};
use crate::judge;
use crate::model::{EpisodeJob, Judged, NewRow, State, Submission};
use crate::receipt::Receipt;
use crate::store::{Hands, Job, Receipts, StoreError, Stored};
use crate::unpack::unpack;

/// Episodes that are taken at once.
pub(crate) const CHUNK: u64 = 4;
/// Seconds after which another worker may take what one has taken.
pub(crate) const LEASE: i64 = 900;
/// How long a worker sleeps that nobody wakes.
const NAP: Duration = Duration::from_secs(2);

/// Wakes workers, and tells them to stop.
#[derive(Default)]
pub struct Bell {
    rung: Mutex<()>,
    bell: Condvar,
    stop: AtomicBool,
}

impl Bell {
    /// Wake everyone: there is work.
    pub fn ring(&self) {
        self.bell.notify_all();
    }

    /// Tell everyone to stop after the episode under way.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.ring();
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    pub(crate) fn sleep(&self) {
        let lock = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.stopped() {
            drop(self.bell.wait_timeout(lock, NAP));
        }
    }
}

/// Work until told to stop.
pub(crate) fn work(app: &Arc<App>, hands: Hands) {
    let mut worker = Worker {
        app: Arc::clone(app),
        replayer: Replayer::default(),
        host: Host::default(),
        task: None,
    };
    while !app.bell.stopped() {
        let until = Moment::now().plus_seconds(LEASE);
        match app.store.next_job(until, CHUNK, hands) {
            Ok(Some(job)) => worker.take(job),
            Ok(None) => app.bell.sleep(),
            Err(e) => {
                tracing::error!(error = %e, "no job could be taken");
                app.bell.sleep();
            }
        }
    }
}

struct Worker {
    app: Arc<App>,
    replayer: Replayer,
    host: Host,
    task: Option<TaskId>,
}

impl Worker {
    fn take(&mut self, job: Job) {
        let (id, done) = match job {
            Job::Prepare(s) => {
                let episodes = guarded(|| self.prepare(&s)).unwrap_or_else(|e| Err(vec![e]));
                let n = episodes.as_ref().map_or(0, Vec::len);
                tracing::info!(submission = s.id, episodes = n, "prepared");
                let done = self.app.store.prepared(&s.id, episodes);
                // Cancelled meanwhile: what was unpacked since then goes, too.
                if let Ok(now) = self.app.store.submission(&s.id)
                    && now.status == State::Cancelled
                {
                    self.app.discard(&s.id);
                }
                // Others may help.
                self.app.bell.ring();
                (s.id, done)
            }
            Job::Play(s, episodes) => {
                let done = self.play(&s, &episodes);
                (s.id, done)
            }
            Job::Finish(s) => {
                let done = self.finish(&s);
                (s.id, done)
            }
        };
        if let Err(e) = done {
            tracing::error!(submission = id, error = %e, "what was done could not be stored");
        }
    }

    fn prepare(&self, s: &Submission) -> Result<Vec<EpisodeJob>, Vec<String>> {
        if s.method.asks() {
            return hosted::prepare(&self.app, s);
        }
        let (upload, run) = (self.app.upload(&s.id), self.app.run(&s.id));
        if !run.exists() {
            let part = run.with_extension("tmp");
            let _ = std::fs::remove_dir_all(&part);
            let unpacked = unpack(&upload, &part, self.app.settings.unpacked);
            if let Err(e) = unpacked {
                let _ = std::fs::remove_dir_all(&part);
                return Err(vec![e]);
            }
            std::fs::rename(&part, &run).map_err(|e| vec![format!("unpacking: {e}")])?;
            let _ = std::fs::remove_file(&upload);
        }
        judge::prepare(&run, &self.app.boards)
    }

    /// Ask a policy.
    fn ask(&mut self, s: &Submission, job: &EpisodeJob) -> Stored<()> {
        let (app, host) = (&self.app, &mut self.host);
        match guarded(|| host.play(app, s, job)).unwrap_or_else(Hosted::Away) {
            Hosted::Judged(judged) => {
                self.app.metrics.episode(true);
                self.app.store.played(&s.id, vec![(job.index, *judged)])
            }
            Hosted::Away(why) => {
                tracing::info!(submission = s.id, why, "the policy cannot be asked");
                self.app.store.away(&s.id, &why)
            }
        }
    }

    fn play(&mut self, s: &Submission, episodes: &[EpisodeJob]) -> Stored<()> {
        if s.method.asks() {
            return episodes.iter().try_for_each(|job| self.ask(s, job));
        }
        let run: PathBuf = self.app.run(&s.id);
        for job in episodes {
            if self.app.bell.stopped() {
                return Ok(());
            }
            if self.task.as_ref() != Some(&job.task) {
                self.replayer = Replayer::default();
                self.task = Some(job.task.clone());
            }
            let (app, replayer) = (&self.app, &mut self.replayer);
            let judged = guarded(|| {
                judge::play(judge::trace(&run, job), &app.boards.catalogue, replayer, job)
            });
            let judged = judged.unwrap_or_else(|e| Judged {
                row: None,
                sanity: longarm_eval::Sanity::default(),
                problem: Some(format!("{} seed {}: {e}", job.task, job.seed)),
            });
            self.app.metrics.episode(judged.problem.is_none());
            self.app.store.played(&s.id, vec![(job.index, judged)])?;
        }
        Ok(())
    }

    fn finish(&self, s: &Submission) -> Stored<()> {
        let judged = self.app.store.judged(&s.id)?;
        let rows =
            guarded(|| judge::finish(s, &judged, &self.app.boards, |b| self.app.seeds(s, b)));
        let rows = rows.unwrap_or_else(|e| Err(vec![e]));
        let clean = |r: &Vec<NewRow>| r.iter().all(|r| r.row.flagged == 0);
        let receipts = match &rows {
            Ok(rows) if clean(rows) && !self.app.settings.review => {
                Some(signed(&self.app, rows.iter().map(|r| (&r.row.id, &r.claims)))?)
            }
            _ => None,
        };
        let (good, published) = (rows.is_ok(), receipts.is_some());
        tracing::info!(submission = s.id, good, published, "finished");
        let made: Vec<String> = rows.iter().flatten().map(|r| r.row.id.clone()).collect();
        self.app.store.finished(&s.id, rows, receipts)?;
        made.iter().for_each(|row| films::want(&self.app, row));
        Ok(())
    }
}

/// Sign what is claimed of rows.
fn signed<'a>(
    app: &App,
    rows: impl IntoIterator<Item = (&'a String, &'a String)>,
) -> Stored<Receipts> {
    let at = Moment::now();
    let sign = |(row, claims): (&String, &String)| match Receipt::sign(&app.keys, claims, at) {
        Ok(receipt) => Ok((row.clone(), receipt)),
        Err(e) => Err(StoreError::Database(format!("no receipt: {e}"))),
    };
    Ok(Receipts { by_row: rows.into_iter().map(sign).collect::<Result<_, _>>()?, at })
}

/// Publish a completed submission with signed receipts.
pub(crate) fn publish(app: &App, id: &str, by: Option<i64>) -> Stored<()> {
    let rows = app.store.rows_of(id)?;
    let waiting = rows.iter().filter(|r| !r.withdrawn);
    let receipts = signed(app, waiting.map(|r| (&r.row.id, &r.claims)))?;
    app.store.publish(id, receipts, by)
}

/// Do something; a panic becomes an error, and is logged.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        tracing::error!("a worker panicked");
        "this server broke while it worked on it; a judge can retry it".to_owned()
    })
}
