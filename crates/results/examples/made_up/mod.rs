//! Made-up runs: believable rows without a simulator. Shared by examples and tests.

#![allow(dead_code, missing_docs)]

use std::collections::BTreeMap;

use longarm_results::{Evidence, InferenceTimes, Row, RunConfig, RunOptions, Shard, TaskEntry};
use longarm_types::Protocol;
use longarm_types::protocol::{LabelGroup, MeanOver, Measure, Metric, Published, PublishedRow};
use longarm_types::{Digest, EpisodeOutcome, EpisodeRecord, Margin, Seed, StageRecord, TaskId};

/// LongBench as it is published: task, labels, stages.
pub const TASKS: [(&str, &[&str], &[&str]); 10] = [
    (
        "waste-sorting",
        &["IP"],
        &[
            "pick the can",
            "can in the bin",
            "pick the bottle",
            "bottle in the bin",
            "pick the paper",
            "paper in the bin",
        ],
    ),
    (
        "thread-rope",
        &["PD", "IP", "EA"],
        &[
            "grasp the rope",
            "through the first hole",
            "regrasp",
            "through the second hole",
            "pull tight",
        ],
    ),
    (
        "pull-drawer",
        &["PD", "IP"],
        &[
            "open the drawer",
            "pick the cube",
            "cube in the drawer",
            "close the drawer",
            "open the second drawer",
            "pick the ball",
            "ball in the drawer",
            "close the second drawer",
        ],
    ),
    (
        "stack-block",
        &["PD", "IP", "EA"],
        &[
            "pick the first block",
            "first on the base",
            "pick the second block",
            "second on the first",
            "pick the third block",
            "third on the second",
            "pick the fourth block",
            "fourth on the third",
        ],
    ),
    (
        "dynamic-grasping",
        &["PD", "TW"],
        &[
            "reach the belt",
            "grasp in the window",
            "lift clear",
            "reach the tray",
            "place on the tray",
            "release",
        ],
    ),
    (
        "vase-sticks",
        &["CP", "CE"],
        &[
            "pick the first stick",
            "first in the vase",
            "pick the second stick",
            "second in the vase",
            "pick the third stick",
            "third in the vase",
        ],
    ),
    (
        "wipe-plate",
        &["CT"],
        &[
            "pick the sponge",
            "first stroke",
            "second stroke",
            "third stroke",
            "fourth stroke",
            "fifth stroke",
            "no stroke too many",
            "put the sponge back",
        ],
    ),
    (
        "repeat-placement",
        &["CP", "CT"],
        &[
            "pick the block",
            "on the plate",
            "pick it back",
            "back at its place",
            "pick it again",
            "on the plate again",
            "pick it back again",
            "back for good",
        ],
    ),
    (
        "swap-blocks",
        &["SB"],
        &[
            "pick red",
            "red on the plate",
            "pick blue",
            "blue at red's place",
            "pick red again",
            "red at blue's place",
            "both upright",
            "hand withdrawn",
            "nothing else moved",
            "hold still",
        ],
    ),
    (
        "hide-block",
        &["CP", "SB", "CE"],
        &[
            "see the block",
            "pick the cup",
            "cup over the block",
            "release",
            "wait",
            "pick the right cup",
            "uncover",
            "pick the block",
            "block on the tray",
            "cup back",
        ],
    ),
];

pub fn id(name: &str) -> TaskId {
    format!("longbench/{name}").parse().unwrap()
}

/// Two regimes and their mean, as the suite declares them.
pub fn protocol() -> Protocol {
    let row = |policy: &str, scores: &[(&str, f64)]| PublishedRow {
        policy: policy.to_owned(),
        scores: scores.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect(),
    };
    Protocol {
        title: "LongBench".to_owned(),
        episodes: 10,
        groups: vec![
            LabelGroup::new(
                "context-independent",
                &[
                    ("PD", "Phase dependence"),
                    ("IP", "Iterative progress"),
                    ("EA", "Error accumulation"),
                    ("TW", "Temporal windows"),
                ],
            )
            .needs_context(false),
            LabelGroup::new(
                "context-dependent",
                &[
                    ("CP", "Completion"),
                    ("CT", "Count"),
                    ("SB", "Subtask branch"),
                    ("CE", "Cross-episode"),
                ],
            )
            .needs_context(true),
        ],
        metrics: vec![Metric {
            name: "overall".to_owned(),
            title: "mean of both regimes".to_owned(),
            measure: Measure::Score,
            over: MeanOver::Groups,
        }],
        published: Some(Published {
            source: "A paper".to_owned(),
            rows: vec![row("MemoryVLA", &[("CT", 55.0), ("overall", 47.22)])],
            memory: None,
        }),
        ..Protocol::default()
    }
}

pub fn config(policy: &str, episodes: u64, seed: u64) -> RunConfig {
    let tasks: BTreeMap<TaskId, TaskEntry> = TASKS
        .iter()
        .map(|(name, labels, stages)| {
            let entry = TaskEntry {
                hash: Digest::of(name.as_bytes()),
                labels: labels.iter().map(|l| (*l).to_owned()).collect(),
                stages: stages.iter().map(|s| (*s).to_owned()).collect(),
                titles: Vec::new(),
                horizon: stages.len() as u32 * 130,
                instruction: format!("Do the {} task.", name.replace('-', " ")),
                file: None,
            };
            (id(name), entry)
        })
        .collect();
    let mut options = RunOptions::default();
    options.chosen.insert("chunk".into(), 16.into());
    options.execution.execute = Some(8);
    let mut runtime = toml::Table::new();
    runtime.insert("workers".into(), 2.into());
    RunConfig {
        format: RunConfig::FORMAT,
        selectors: vec!["longbench".into()],
        policy: policy.into(),
        episodes,
        seed,
        shard: Shard::WHOLE,
        engine: longarm_types::ENGINE_VERSION.into(),
        mujoco: "3.17.0".into(),
        evidence: Evidence::Simulated,
        options,
        runtime,
        tasks,
        seeds: None,
        trained_on: Vec::new(),
        protocols: [("longbench".to_owned(), protocol())].into(),
        assets: Default::default(),
    }
}

/// All rows of a run. `skill` is the chance of a stage; `memory` lowers it on the last five tasks.
pub fn rows(config: &RunConfig, skill: f64, memory: f64) -> Vec<Row> {
    let mut out = Vec::new();
    for k in 0..config.episodes {
        for (t, (name, _, stages)) in TASKS.iter().enumerate() {
            let index = k * TASKS.len() as u64 + t as u64;
            out.push(row(
                config,
                index,
                name,
                stages,
                config.seed + k,
                if t < 5 { skill } else { skill * memory },
                t,
            ));
        }
    }
    out
}

fn row(
    config: &RunConfig,
    index: u64,
    name: &str,
    stages: &[&str],
    seed: u64,
    skill: f64,
    t: usize,
) -> Row {
    // The scene's difficulty is the seed's, so that policies are correlated on shared seeds.
    let mut scene = Seed(seed).stream(&format!("scene/{name}"));
    let mut rng = Seed(seed).stream(&format!("{}/{name}", config.policy));
    let ease = (skill - 0.02 * (t % 5) as f64 + scene.range(-0.08, 0.05)).clamp(0.02, 1.0);
    let mut records = Vec::new();
    let (mut alive, mut step) = (true, 0u32);
    for (i, stage) in stages.iter().enumerate() {
        // Every third stage is the delicate one.
        let chance = if i % 3 == 1 { ease - 0.05 } else { (ease + 0.06).min(1.0) };
        alive = alive && rng.unit() < chance;
        step += (60.0 * (1.0 + 0.5 * rng.unit() * rng.unit() + 0.3 * scene.unit())) as u32;
        let distance = if alive { 0.021 } else { 0.03 + 0.1 * rng.unit() };
        records.push(StageRecord {
            name: (*stage).to_owned(),
            completed: alive,
            step: alive.then_some(step),
            margins: vec![
                Margin {
                    name: "contact".into(),
                    value: 1.0,
                    limit: 1.0,
                    holds: alive || rng.unit() < 0.5,
                },
                Margin {
                    name: "centre distance".into(),
                    value: distance,
                    limit: 0.03,
                    holds: alive,
                },
            ],
        });
    }
    let done = records.iter().filter(|r| r.completed).count();
    let progress = done as f64 / stages.len() as f64;
    let mut outcome = if alive { EpisodeOutcome::Success } else { EpisodeOutcome::TaskFailure };
    let mut reason = None;
    let luck = rng.unit();
    if !alive && luck < 0.02 {
        outcome = EpisodeOutcome::PolicyError;
        reason = Some("action[3] is NaN; every value must be finite".to_owned());
    } else if luck > 0.998 {
        outcome = EpisodeOutcome::HarnessError;
        reason = Some("the world could not be reset".to_owned());
    }
    let key = format!("{}/{name}/{seed}", config.policy);
    let ms: Vec<f64> = (0..20)
        .map(|_| 38.0 + 9.0 * rng.unit() + if rng.unit() > 0.97 { 60.0 } else { 0.0 })
        .collect();
    Row {
        index,
        episode: EpisodeRecord {
            task: id(name),
            seed,
            policy: config.policy.clone(),
            outcome,
            reason,
            score: 100.0 * progress,
            stages: records,
            steps: step,
            stood: None,
            clipped: 0,
            state_hash: Digest::of(format!("s{key}").as_bytes()),
            action_hash: Digest::of(format!("a{key}").as_bytes()),
            task_hash: Digest::of(name.as_bytes()),
            engine: config.engine.clone(),
            mujoco: config.mujoco.clone(),
        },
        success_ever: alive || (progress > 0.8 && rng.unit() < 0.1),
        success_at_end: alive,
        progress,
        inference: InferenceTimes::of(ms),
        agent: None,
        evidence: Evidence::Simulated,
        judged: None,
        video: None,
        filmstrip: None,
        timeline: None,
        trace: None,
        wall_s: 2.0 + rng.unit(),
    }
}
