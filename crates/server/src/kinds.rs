//! What is one word: roles, states, levels of trust, ways to submit.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An enum that is one word in the store, in the API and in forms.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $case:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$of])* #[serde(rename = $word)] $case),* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$case),*];

            /// Return its word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$case => $word),* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(word: &str) -> Result<Self, String> {
                Self::ALL.iter().copied().find(|c| c.word() == word).ok_or_else(|| {
                    let all: Vec<_> = Self::ALL.iter().map(|c| c.word()).collect();
                    format!("{word:?} is none of {}", all.join(", "))
                })
            }
        }
    };
}

words! {
    /// What an account may do; each may do what those before it may.
    Role {
        /// Submit, and withdraw what is its own.
        Submitter = "submitter",
        /// Publish, hold back and withdraw what others submitted.
        Judge = "judge",
        /// Manage accounts and tokens, and read the audit log.
        Administrator = "administrator",
    }
}

impl Role {
    /// Return what somebody is who has it.
    pub fn called(self) -> &'static str {
        match self {
            Self::Submitter => "a submitter",
            Self::Judge => "a judge",
            Self::Administrator => "an administrator",
        }
    }
}

words! {
    /// Where a submission stands.
    State {
        /// Its files have not all arrived.
        Uploading = "uploading",
        /// It waits for a worker.
        Queued = "queued",
        /// Its episodes are being played.
        Running = "running",
        /// Something did not match, or could not be played.
        Failed = "failed",
        /// Everything matches; a judge has to look at it.
        Completed = "completed",
        /// It is on the board.
        Published = "published",
        /// Its owner stopped it before its end.
        Cancelled = "cancelled",
        /// It was taken off the board.
        Withdrawn = "withdrawn",
    }
}

impl State {
    /// Whether nothing will happen to it by itself.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Uploading | Self::Queued | Self::Running)
    }
}

words! {
    /// How far a published row can be trusted.
    Trust {
        /// Numbers that somebody told.
        SelfReported = "self-reported",
        /// Every episode was replayed here from its actions.
        Replayed = "replayed",
        /// Our workers asked the policy, on seeds nobody knew before.
        Hosted = "hosted",
        /// The weights were run here.
        Audited = "audited",
    }
}

impl Trust {
    /// Return what it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::SelfReported => "The numbers are the submitter's; nothing was checked.",
            Self::Replayed => {
                "Every episode was replayed here from its actions: this is what the actions do, not who chose them."
            }
            Self::Hosted => {
                "This server played every episode on seeds nobody knew before and asked the submitter's policy step by step."
            }
            Self::Audited => "The submitted weights were run here, on seeds nobody knew before.",
        }
    }
}

words! {
    /// How a submission shows what its policy does.
    Method {
        /// A run directory with action traces.
        Replay = "replay",
        /// A policy server that this server asks.
        Remote = "remote",
        /// A policy whose submitter connects to this server, and is asked over that connection.
        DialOut = "dial-out",
        /// An uploaded model that this server runs.
        Checkpoint = "checkpoint",
    }
}

impl Method {
    /// Whether this server asks the policy.
    pub fn asks(self) -> bool {
        self != Self::Replay
    }

    /// Return how far rows of such a submission can be trusted.
    pub fn trust(self) -> Trust {
        match self {
            Self::Replay => Trust::Replayed,
            Self::Remote | Self::DialOut => Trust::Hosted,
            Self::Checkpoint => Trust::Audited,
        }
    }
}
