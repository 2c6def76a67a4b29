//! Everything beside tasks and seeds that may change a result: the `options` of `run.toml`.

use std::collections::BTreeMap;

use longarm_types::Hints;
use serde::{Deserialize, Serialize};

use crate::config::wide;

/// How actions reach the robot, and for how long. The default changes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExecutionOptions {
    /// Of every chunk only this many actions, the first, are taken before the policy is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execute: Option<u32>,
    /// How many times every action is taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_repeat: Option<u32>,
    /// How many actions late actions take effect; until then the robot stands still.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<u32>,
    /// Standard deviation of Gaussian noise on actions, in their own units. Grippers and
    /// quaternions are left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_noise: Option<f64>,
    /// Standard deviation of Gaussian noise on the pictures a policy sees, in grey levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixel_noise: Option<f64>,
    /// Control steps after which the episode ends if the horizon does not come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// Steps for which the episode runs on after its success, if the horizon does not come first, so
    /// that it shows whether the success stands. It ends with its success otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_on: Option<u32>,
    /// Whether the policy is told one stage at a time; as the task says if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stepwise: Option<bool>,
    /// What the policy is told besides; hints come before stages told one at a time.
    #[serde(default, skip_serializing_if = "Hints::is_none")]
    pub hints: Hints,
}

/// Options that mean nothing, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExecutionError(String);

/// Longest latency: a minute, beyond which nothing is controlled any more.
const LATEST: u32 = 1200;

impl ExecutionOptions {
    /// Refuses numbers that mean nothing.
    pub fn check(&self) -> Result<(), ExecutionError> {
        let wrong = |text: String| Err(ExecutionError(text));
        for (name, value) in [
            ("execute", self.execute),
            ("action-repeat", self.action_repeat),
            ("max-steps", self.max_steps),
        ] {
            if value == Some(0) {
                return wrong(format!("{name} is 0; it takes 1 or more"));
            }
        }
        if let Some(k) = self.latency.filter(|k| *k > LATEST) {
            return wrong(format!("latency is {k} actions; it takes at most {LATEST}"));
        }
        for (name, value) in
            [("action-noise", self.action_noise), ("pixel-noise", self.pixel_noise)]
        {
            if let Some(s) = value.filter(|s| !(s.is_finite() && *s >= 0.0)) {
                return wrong(format!("{name} is {s}; it takes a finite number, 0 or more"));
            }
        }
        Ok(())
    }

    /// The same with nothing but what decides when it ends: how a trace of it is replayed.
    pub fn of_replay(self) -> Self {
        Self { max_steps: self.max_steps, run_on: self.run_on, ..Self::default() }
    }
}

/// The `options` of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunOptions {
    /// What lies between the policy and the robot.
    #[serde(flatten)]
    pub execution: ExecutionOptions,
    /// How far the seeds of successive episodes are apart.
    #[serde(default = "one", skip_serializing_if = "is_one", with = "wide")]
    pub seed_stride: u64,
    /// Longest time a policy may take for one answer, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_policy_seconds: Option<f64>,
    /// The control mode, where it is not the rig's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// How a policy is spoken to that goes by a label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The parts of an agent, which of them were told the truth, and its whole description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<toml::Table>,
    /// What was chosen among the options that suites declare; keys of other versions stay here, too.
    #[serde(flatten)]
    pub chosen: BTreeMap<String, toml::Value>,
}

fn one() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(n: &u64) -> bool {
    *n == 1
}

impl Default for RunOptions {
    fn default() -> Self {
        Self::from(ExecutionOptions::default())
    }
}

impl From<ExecutionOptions> for RunOptions {
    fn from(execution: ExecutionOptions) -> Self {
        Self {
            execution,
            seed_stride: 1,
            max_policy_seconds: None,
            control: None,
            policy: None,
            agent: None,
            chosen: BTreeMap::new(),
        }
    }
}

impl RunOptions {
    /// Whether nothing differs from the default.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Chooses a value of a suite's option. Truth values are stored as such.
    pub fn choose(&mut self, name: &str, value: &str) {
        let value = match value.parse::<bool>() {
            Ok(yes) => toml::Value::Boolean(yes),
            Err(_) => value.into(),
        };
        self.chosen.insert(name.to_owned(), value);
    }

    /// What was chosen, as it is written in `-o name=value`, by name.
    pub fn choices(&self) -> BTreeMap<String, String> {
        let text = |v: &toml::Value| match v {
            toml::Value::String(s) => s.clone(),
            v => v.to_string(),
        };
        self.chosen.iter().map(|(name, v)| (name.clone(), text(v))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_earlier_versions_is_read_and_written_alike() {
        let text = "execute = 8\naction-noise = 0.5\nseed-stride = 2\nmax-policy-seconds = 3.0\n\
                    policy = \"preset=x\"\nown = true\nmode = \"slow\"\n";
        let options: RunOptions = toml::from_str(text).unwrap();
        assert_eq!((options.execution.execute, options.seed_stride), (Some(8), 2));
        assert_eq!(options.execution.action_noise, Some(0.5));
        assert_eq!(options.policy.as_deref(), Some("preset=x"));
        let mut made = RunOptions {
            execution: ExecutionOptions {
                execute: Some(8),
                action_noise: Some(0.5),
                ..ExecutionOptions::default()
            },
            seed_stride: 2,
            max_policy_seconds: Some(3.0),
            policy: Some("preset=x".into()),
            ..RunOptions::default()
        };
        made.choose("own", "true");
        made.choose("mode", "slow");
        assert_eq!(options, made);
        let chosen = [("mode", "slow"), ("own", "true")].map(|(a, b)| (a.into(), b.into()));
        assert_eq!(options.choices(), BTreeMap::from(chosen));
        let table: toml::Table = toml::from_str(&toml::to_string(&options).unwrap()).unwrap();
        assert_eq!(table, toml::from_str::<toml::Table>(text).unwrap());
        assert!(toml::from_str::<RunOptions>("").unwrap().is_empty());
    }
}
