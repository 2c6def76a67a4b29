//! Signed receipts: what a server said of a row, checked without it.

use std::collections::BTreeMap;

use longarm_results::stats::Interval;
use longarm_types::{Digest, EpisodeRecord, RunningHash, TaskId};
use serde::{Deserialize, Serialize};

use crate::clock::Moment;
use crate::model::Trust;
use crate::secret::{Keys, is_signed};

/// Name and version of the layout.
pub const RECEIPT: &str = "longarm-receipt/1";

/// What is claimed of a row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claims {
    /// Row.
    pub row: String,
    /// Submission.
    pub submission: String,
    /// Board.
    pub board: String,
    /// Policy.
    pub policy: String,
    /// Who submitted it.
    pub submitter: String,
    /// How far it can be trusted.
    pub trust: Trust,
    /// The benchmark's own number.
    pub average: f64,
    /// Success, 0–1.
    pub success: Interval,
    /// Score, 0–100.
    pub score: Interval,
    /// Episodes.
    pub n: u64,
    /// Engine version.
    pub engine: String,
    /// Physics version.
    pub mujoco: String,
    /// The tasks with their hashes.
    pub tasks: BTreeMap<TaskId, Digest>,
    /// The seeds of each suite's tasks.
    pub seeds: BTreeMap<String, Vec<u64>>,
    /// Hash over what happened in every episode.
    pub episodes_hash: Digest,
}

/// What is signed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    /// `longarm-receipt/1`.
    pub schema: String,
    /// When it was published.
    pub published_at: Moment,
    /// What is claimed.
    #[serde(flatten)]
    pub claims: Claims,
}

/// A statement with its signature. The statement is kept as the text that was signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The statement, as JSON within a string.
    pub statement: String,
    /// ed25519, in hex.
    pub signature: String,
    /// The key it is said to be signed with, in hex.
    pub key: String,
}

impl Receipt {
    /// Sign what is claimed of a row.
    pub(crate) fn sign(keys: &Keys, claims: &str, at: Moment) -> Result<String, String> {
        let claims: Claims = serde_json::from_str(claims).map_err(|e| e.to_string())?;
        let statement = Statement { schema: RECEIPT.to_owned(), published_at: at, claims };
        let statement = serde_json::to_string(&statement).map_err(|e| e.to_string())?;
        let signature = keys.sign(statement.as_bytes());
        let receipt = Self { statement, signature, key: keys.public() };
        serde_json::to_string_pretty(&receipt).map_err(|e| e.to_string())
    }

    /// Read a receipt and check it with a key that the reader trusts.
    pub fn check(text: &str, key: &str) -> Result<Statement, String> {
        let receipt: Self =
            serde_json::from_str(text).map_err(|e| format!("this is not a receipt: {e}"))?;
        if receipt.key != key.trim() {
            return Err(format!("it is signed with the key {}, not with yours", receipt.key));
        }
        if !is_signed(key, &receipt.signature, receipt.statement.as_bytes())? {
            return Err(
                "its signature is not one of its statement: it was changed or forged".into()
            );
        }
        let statement: Statement = serde_json::from_str(&receipt.statement)
            .map_err(|e| format!("its statement cannot be read: {e}"))?;
        match statement.schema == RECEIPT {
            true => Ok(statement),
            false => {
                Err(format!("it follows {:?}, this version reads {RECEIPT:?}", statement.schema))
            }
        }
    }
}

/// Return the hash over what happened in episodes, given by task and seed.
pub fn episodes_hash<'a>(episodes: impl IntoIterator<Item = &'a EpisodeRecord>) -> Digest {
    let mut hash = RunningHash::default();
    for e in episodes {
        let (task, seed, actions, states) = (&e.task, e.seed, e.action_hash, e.state_hash);
        let line = format!("{task} {seed} {actions} {states} {:?} {}\n", e.outcome, e.score);
        hash.bytes(line.as_bytes());
    }
    hash.digest()
}

impl Statement {
    /// Compare a run's episodes with those of the receipt.
    pub fn covers(&self, episodes: &[EpisodeRecord]) -> Result<(), String> {
        let by_episode: BTreeMap<_, _> = episodes.iter().map(|e| ((&e.task, e.seed), e)).collect();
        let mut theirs = Vec::new();
        for task in self.claims.tasks.keys() {
            for seed in self.claims.seeds.get(task.suite()).into_iter().flatten() {
                let found = by_episode.get(&(task, *seed));
                theirs.push(*found.ok_or_else(|| format!("the run has no {task} seed {seed}"))?);
            }
        }
        match episodes_hash(theirs) == self.claims.episodes_hash {
            true => Ok(()),
            false => Err("the run's episodes are not those of the receipt".into()),
        }
    }
}
