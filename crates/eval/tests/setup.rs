//! What is refused before a run begins, and what a run writes down of its suites.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_eval::{Prepared, RunOptions, RunSetup, Seeds, SetupError, complete_protocols};
use longarm_results::{RunConfig, Shard};
use longarm_task::TaskSpec;
use longarm_task::place::rect;
use longarm_types::Split;
use longarm_types::protocol::{Role, StepUnit};

fn setup(tasks: &[&str]) -> RunSetup {
    let find = |id: &&str| Arc::new(longarm_suites::task(id).unwrap());
    RunSetup {
        selectors: tasks.iter().map(|t| (*t).to_owned()).collect(),
        tasks: tasks.iter().map(find).collect(),
        files: BTreeMap::new(),
        policy: "idle".into(),
        label: None,
        episodes: None,
        seeds: Seeds::From { first: 0, stride: 1 },
        shard: Shard::WHOLE,
        options: RunOptions::default(),
        choices: Vec::new(),
        runtime: toml::Table::new(),
    }
}

/// Why it is refused.
fn refused(setup: RunSetup) -> String {
    setup.prepare().map(|_| ()).unwrap_err().to_string()
}

const REGION: &str = "libero-90/kitchen-scene7-put-the-white-bowl-to-the-right-of-the-plate";

#[test]
fn a_scene_without_room_is_refused_before_the_run() {
    let mut crowded: TaskSpec = longarm_suites::task("longbench/stack-block").unwrap();
    for region in &mut crowded.regions {
        region.rects = vec![rect([0.30, 0.0], [0.31, 0.01])];
    }
    let one = RunSetup { tasks: vec![Arc::new(crowded)], ..setup(&["longbench/stack-block"]) };
    let said = refused(RunSetup { seeds: Seeds::From { first: 7, stride: 1 }, ..one });
    for words in ["longbench/stack-block", "seed 7", "no free place"] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn protocols_say_how_many_episodes_and_which_seeds() {
    let of = |tasks: &[&str]| setup(tasks).prepare().unwrap().config;
    assert_eq!(of(&["longbench/stack-block"]).episodes, 10);
    let both = ["longbench/stack-block", "lohoravens/construct-letter-m"];
    assert_eq!(of(&both).episodes, 50, "as the most demanding of the suites asks");

    let split = |tasks: &[&str], split| {
        let setup = RunSetup { seeds: Seeds::Split(split), episodes: Some(3), ..setup(tasks) };
        let c = setup.prepare().unwrap().config;
        [0, 1, 2].map(|k| c.seed_of(k))
    };
    let letter = &both[1..];
    assert_eq!(split(letter, Split::Train), [0, 2, 4]);
    assert_eq!(split(letter, Split::Validation), [1, 3, 5]);
    assert_eq!(split(letter, Split::Test), [10_001, 10_003, 10_005]);
    assert_eq!(split(&both[..1], Split::Validation), [10_000, 10_001, 10_002]);

    let said = refused(RunSetup { seeds: Seeds::Split(Split::Test), ..setup(&both) });
    assert!(said.contains("lohoravens") && said.contains("longbench"), "{said}");
    let many = RunSetup { episodes: Some(5001), ..setup(letter) };
    let said = refused(RunSetup { seeds: Seeds::Split(Split::Validation), ..many });
    assert!(said.contains("1 to 9999, 2 apart") && said.contains("5001"), "{said}");
    let beyond = Seeds::From { first: u64::MAX, stride: 1 };
    assert!(refused(RunSetup { seeds: beyond, ..setup(letter) }).contains("different seeds"));
    assert!(refused(RunSetup { episodes: Some(0), ..setup(letter) }).contains("nothing to run"));
}

#[test]
fn a_run_carries_the_protocols_of_its_suites() {
    let ids = ["boss/c2-2-kitchen-scene3-turn-on-the-stove", "boss/c3-1", "longbench/swap-blocks"];
    let Prepared { config, .. } = RunSetup { episodes: Some(1), ..setup(&ids) }.prepare().unwrap();
    let read: RunConfig = toml::from_str(&config.to_toml()).unwrap();
    assert_eq!(read, config);
    let roles = &read.protocols["boss"].roles;
    assert_eq!(roles.len(), 2, "those of its own tasks");
    let Role::Modified { plain, count, challenge, .. } = &roles[ids[0]] else {
        panic!("{roles:?}")
    };
    assert_eq!(plain, "boss/kitchen-scene3-turn-on-the-stove");
    assert_eq!((*count, challenge.as_deref()), (2, Some("C2")));
    assert!(matches!(&roles["boss/c3-1"], Role::Chain { parts } if parts.len() == 3));
    assert_eq!(read.protocol("longbench").published.as_ref().unwrap().rows.len(), 6);
    assert_eq!(read.protocol("none").step, StepUnit::ControlStep);

    // A run of an earlier version says nothing of them.
    let mut old = RunConfig { protocols: BTreeMap::new(), ..read };
    complete_protocols(&mut old);
    assert_eq!(old, config);
}

#[test]
fn options_are_chosen_stored_and_hashed() {
    let chosen = |value: &str| {
        let choices = vec![("strict-libero".to_owned(), value.to_owned())];
        RunSetup { choices, episodes: Some(1), ..setup(&[REGION]) }.prepare()
    };
    let strict = chosen("true").unwrap();
    let hash = |p: &Prepared| p.config.tasks.values().next().unwrap().hash;
    assert_ne!(hash(&strict), hash(&chosen("false").unwrap()));
    assert!(strict.config.to_toml().contains("strict-libero = true"));
    let id = &strict.tasks[0].id;
    let again = longarm_eval::task_of(&strict.config, id).unwrap();
    assert_eq!(again.hash(), hash(&strict), "a replay finds the same task");
    assert!(matches!(chosen("maybe"), Err(SetupError::Option(_))));
}
