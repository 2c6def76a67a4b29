//! What the store keeps, the API says and the pages show.

use longarm_eval::Sanity;
use longarm_results::Row;
use longarm_results::stats::Interval;
use longarm_types::TaskId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Moment;
pub use crate::kinds::{Method, Role, State, Trust};
pub use crate::views::Mean;

/// Where a policy is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyServer {
    /// As it was given: `openpi:HOST:PORT?…`; `onnx` for an uploaded model.
    pub policy: String,
    /// The addresses that its hosts had then; no others are ever asked. None where its submitter connects.
    #[schemars(with = "Vec<String>")]
    pub pinned: Vec<std::net::IpAddr>,
}

/// Somebody who may act here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Number.
    pub id: i64,
    /// Name, unique.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// Since when.
    pub created_at: Moment,
    /// Whether it may no longer act.
    pub disabled: bool,
}

/// A token as its owner may see it afterwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenInfo {
    /// Number.
    pub id: i64,
    /// Whose it is.
    pub account: i64,
    /// What it is for, in the owner's words.
    pub label: String,
    /// Since when.
    pub created_at: Moment,
    /// Since when it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Moment>,
}

/// What was done by whom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditEntry {
    /// When.
    pub at: Moment,
    /// By whom; `null` where it was the server itself.
    pub account: Option<String>,
    /// What: `submission.create`.
    pub action: String,
    /// To what.
    pub subject: String,
    /// More, in words.
    pub detail: String,
}

/// What a submitter says of a policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Description {
    /// What the policy is called.
    #[schemars(length(min = 1, max = 80))]
    pub policy_name: String,
    /// Who submits it, where it is not the account's name.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub name: String,
    /// Their institution.
    #[serde(default)]
    #[schemars(length(max = 120))]
    pub affiliation: String,
    /// Whether weights and code are public.
    #[serde(default)]
    pub open_source: bool,
    /// Whether the policy remembers what it saw before; `null` where nothing is said.
    #[serde(default)]
    pub memory: Option<bool>,
    /// Parameters in millions; `null` where nothing is said.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e9))]
    pub parameters: Option<f64>,
    /// Where to read more: an address of http or https.
    #[serde(default)]
    #[schemars(length(max = 300))]
    pub link: String,
    /// Anything else.
    #[serde(default)]
    #[schemars(length(max = 4000))]
    pub notes: String,
}

impl Description {
    /// Refuse what cannot be shown.
    pub fn check(&self) -> Result<(), String> {
        if self.policy_name.trim().is_empty() {
            return Err("policyName is empty; say what the policy is called".into());
        }
        for (field, text, most) in [
            ("policyName", &self.policy_name, 80),
            ("name", &self.name, 120),
            ("affiliation", &self.affiliation, 120),
            ("link", &self.link, 300),
            ("notes", &self.notes, 4000),
        ] {
            let n = text.chars().count();
            if n > most {
                return Err(format!("{field} has {n} characters; it may have {most}"));
            }
            if text.chars().any(|c| c.is_control() && !(field == "notes" && c == '\n')) {
                return Err(format!("{field} holds control characters"));
            }
        }
        let plain = |l: &str| !l.contains([' ', '"', '<', '>', '\\']);
        let web = self.link.starts_with("https://") || self.link.starts_with("http://");
        if !(self.link.is_empty() || web && plain(&self.link)) {
            return Err("link is not an address of http or https".into());
        }
        if self.parameters.is_some_and(|p| !(p.is_finite() && (0.0..=1e9).contains(&p))) {
            return Err("parameters are millions, from 0 to 1e9".into());
        }
        Ok(())
    }
}

/// A submission.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Submission {
    /// Id.
    pub id: String,
    /// Number of its owner's account.
    pub account: i64,
    /// Name of its owner.
    pub submitter: String,
    /// What it says of its policy.
    #[serde(flatten)]
    pub description: Description,
    /// How it shows what the policy does.
    pub method: Method,
    /// The board it is played for, where it is not the run that decides.
    pub board: Option<String>,
    /// Where its policy is asked, where it is.
    pub server: Option<PolicyServer>,
    /// Where it stands.
    pub status: State,
    /// Bytes it announced.
    pub size: u64,
    /// Bytes that have arrived.
    pub received: u64,
    /// Episodes to be played.
    pub episodes: u64,
    /// Episodes that were played.
    pub played: u64,
    /// What does not match, or why it failed; at most twenty.
    pub problems: Vec<String>,
    /// When it came.
    pub created_at: Moment,
    /// When anything about it changed.
    pub updated_at: Moment,
    /// Its first row on a board; `null` while it has none.
    pub leaderboard_row_id: Option<String>,
    /// All of its rows.
    pub rows: Vec<String>,
}

/// One policy on one board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BoardRow {
    /// Id.
    pub id: String,
    /// The submission it follows from.
    pub submission: String,
    /// The board.
    pub board: String,
    /// Number of the owner's account.
    pub account: i64,
    /// Who submitted it.
    pub submitter: String,
    /// What was said of the policy.
    #[serde(flatten)]
    pub description: Description,
    /// `open source` or `closed source`.
    pub source_label: String,
    /// How far it can be trusted.
    pub trust: Trust,
    /// The benchmark's own number, 0–100: its overall metric, or the mean score.
    pub average: f64,
    /// The same with the ends of its interval; rows of earlier versions have none.
    #[serde(default)]
    pub range: Option<Interval>,
    /// Mean of the tasks' success rates, 0–1.
    pub success: Interval,
    /// Mean of the tasks' scores, 0–100.
    pub score: Interval,
    /// Means over the tasks that the protocols put together: `SUITE/LABEL`, `SUITE/TASK` and others.
    #[serde(default)]
    pub means: std::collections::BTreeMap<String, Mean>,
    /// Episodes.
    pub n: u64,
    /// Episodes in which something moved as physics should not; a judge looked at them.
    pub flagged: u64,
    /// Engine version.
    pub engine: String,
    /// Physics version.
    pub mujoco: String,
    /// Hash over the board's tasks.
    pub tasks_hash: String,
    /// When it was published; `null` while it waits for a judge.
    pub published_at: Option<Moment>,
}

/// A row with all that follows from its episodes.
#[derive(Clone, Debug)]
pub struct NewRow {
    /// The row.
    pub row: BoardRow,
    /// `results.json` of its episodes.
    pub results: String,
    /// What a receipt will say of it, without when it was published.
    pub claims: String,
    /// Whether each episode succeeded, in the board's order, one bit each.
    pub outcomes: Vec<u8>,
    /// Hash over the seeds: rows with the same are compared episode by episode.
    pub seeds_hash: String,
}

/// An episode of a submission, to be played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeJob {
    /// Place in the submission.
    pub index: u64,
    /// Task.
    pub task: TaskId,
    /// Seed.
    pub seed: u64,
    /// The row that the submitter claims, where one is claimed.
    pub claimed: Option<Row>,
    /// Whether its policy has seen something of it.
    pub begun: bool,
}

/// What came of playing an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// What happened here; none where it could not be played.
    pub row: Option<Row>,
    /// What moved how wildly.
    pub sanity: Sanity,
    /// What does not match.
    pub problem: Option<String>,
}
