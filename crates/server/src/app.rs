//! What every request and every worker has at hand.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::Settings;
use crate::board::{Board, BoardSeeds, Boards};
use crate::console::Console;
use crate::films::Films;
use crate::hosted;
use crate::http::limit::RateLimits;
use crate::http::metrics::Metrics;
use crate::http::{Answer, Refusal};
use crate::model::{Method, Submission};
use crate::pages::cache::PageCache;
use crate::ranking::{Ranked, Rankings};
use crate::secret::Keys;
use crate::store::{Store, Stored};
use crate::tunnel::Tunnels;
use crate::worker::Bell;

/// The server's parts.
pub struct App {
    pub(crate) settings: Settings,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Keys,
    pub(crate) boards: Boards,
    pub(crate) bell: Bell,
    pub(crate) metrics: Metrics,
    pub(crate) tunnels: Tunnels,
    pub(crate) rates: RateLimits,
    pub(crate) pages: PageCache,
    pub(crate) rankings: Rankings,
    pub(crate) films: Films,
    /// The operator console, where there is one.
    pub(crate) console: Option<Arc<Console>>,
    /// Hash of the code that makes the first administrator; none once there is one.
    pub(crate) setup: Mutex<Option<[u8; 32]>>,
}

impl App {
    /// Return the operator console, which most servers have none of.
    pub(crate) fn console(&self) -> Answer<&Arc<Console>> {
        let none =
            || Refusal::missing("there is no console here; `longarm console` starts one").page();
        self.console.as_ref().ok_or_else(none)
    }

    /// Return a board as it stands, best first.
    pub(crate) fn ranking(&self, board: &Board) -> Stored<Arc<Vec<Ranked>>> {
        self.rankings.get(&*self.store, board)
    }

    /// Return the seeds on which a submission is played for a board.
    pub(crate) fn seeds(&self, submission: &Submission, board: &Board) -> BoardSeeds {
        match submission.method {
            Method::Replay => board.seeds(),
            Method::Remote | Method::DialOut | Method::Checkpoint => {
                hosted::seeds(&self.keys, &submission.id, board)
            }
        }
    }

    /// Where the bytes of an upload lie.
    pub(crate) fn upload(&self, id: &str) -> PathBuf {
        uploads(&self.settings.data).join(format!("{id}.part"))
    }

    /// Where a submission's run lies once it is unpacked.
    pub(crate) fn run(&self, id: &str) -> PathBuf {
        runs(&self.settings.data).join(id)
    }

    /// Where a submission's model lies.
    pub(crate) fn checkpoint(&self, id: &str) -> PathBuf {
        self.run(id).join("checkpoint.tar")
    }

    /// Remove the files of a submission that will not be played any more.
    pub(crate) fn discard(&self, id: &str) {
        let _ = std::fs::remove_file(self.upload(id));
        let _ = std::fs::remove_dir_all(self.run(id));
    }
}

pub(crate) fn uploads(data: &Path) -> PathBuf {
    data.join("uploads")
}

pub(crate) fn runs(data: &Path) -> PathBuf {
    data.join("runs")
}
