//! What is refused before a run begins, and what a run writes down of its suites.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_eval::{Prepared, RunOptions, RunSetup, Seeds, SetupError, complete_protocols};
use longarm_results::{RunConfig, RunDir, Shard};
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
        trained_on: Vec::new(),
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
        let suite = c.tasks.keys().next().unwrap().suite().to_owned();
        [0, 1, 2].map(|k| c.seed_of(&suite, k))
    };
    let letter = &both[1..];
    assert_eq!(split(letter, Split::Train), [0, 2, 4]);
    assert_eq!(split(letter, Split::Validation), [1, 3, 5]);
    assert_eq!(split(letter, Split::Test), [10_001, 10_003, 10_005]);
    assert_eq!(split(&both[..1], Split::Validation), [10_000, 10_001, 10_002]);

    // Suites that divide seeds in different ways keep their own.
    let test = RunSetup { seeds: Seeds::Split(Split::Test), episodes: Some(2), ..setup(&both) };
    let config = test.prepare().unwrap().config;
    let seeds: Vec<u64> = longarm_eval::work_list(&config).iter().map(|w| w.seed.0).collect();
    assert_eq!(seeds, [10_001, 0, 10_003, 1], "lohoravens and longbench in turn");
    assert_eq!(
        config.seeds_in_words(),
        "test seeds 10001 to 10003, 2 apart of lohoravens and 0 to 1 of longbench"
    );
    let many = RunSetup { episodes: Some(5001), ..setup(letter) };
    let said = refused(RunSetup { seeds: Seeds::Split(Split::Validation), ..many });
    assert!(said.contains("1 to 9999, 2 apart") && said.contains("5001"), "{said}");
    let beyond = Seeds::From { first: u64::MAX, stride: 1 };
    assert!(refused(RunSetup { seeds: beyond, ..setup(letter) }).contains("many different seeds"));
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

#[test]
fn seeds_follow_from_what_is_asked_and_ranges_do_not_overlap() {
    let asked = |first, stride, split| Seeds::asked(first, stride, split, Split::Test);
    assert_eq!(asked(None, None, None), Seeds::Split(Split::Test));
    assert_eq!(asked(None, None, Some(Split::Train)), Seeds::Split(Split::Train));
    assert_eq!(asked(Some(7), None, None), Seeds::From { first: 7, stride: 1 });
    assert_eq!(asked(None, Some(3), None), Seeds::From { first: 0, stride: 3 });
    for suite in longarm_suites::SUITES {
        let splits = (suite.protocol)().splits;
        for seed in (0..40_000).chain([u64::MAX]) {
            let of = Split::ALL.into_iter().filter(|s| splits.range(*s).contains(seed)).count();
            assert!(of <= 1, "{} has seed {seed} in {of} ranges", suite.name);
        }
        for split in Split::ALL {
            let range = splits.range(split);
            let episodes = (suite.protocol)().episodes;
            assert!(range.nth(range.first, episodes - 1).is_some(), "{} {split}", suite.name);
        }
    }
}

#[test]
fn a_run_resumed_under_the_same_seeds_is_the_same_run() {
    let task = ["longbench/stack-block"];
    let literal = RunSetup { episodes: Some(2), ..setup(&task) }.prepare().unwrap().config;
    let named = RunSetup { seeds: Seeds::Split(Split::Test), ..setup(&task) };
    let named = RunSetup { episodes: Some(2), ..named }.prepare().unwrap().config;
    assert_eq!(literal.seeds_in_words(), "seeds 0 to 1");
    assert_eq!(named.seeds_in_words(), "test seeds 0 to 1");
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("same-seeds");
    let _ = std::fs::remove_dir_all(&dir);
    drop(RunDir::create(&dir, &literal).unwrap());
    drop(RunDir::open_resume(&dir, &named).unwrap());
    // More episodes continue it, fewer do not.
    let more = RunConfig { episodes: 5, ..named.clone() };
    drop(RunDir::open_resume(&dir, &more).unwrap());
    assert_eq!(RunConfig::read(&dir.join("run.toml")).unwrap().episodes, 5);
    let said = RunDir::open_resume(&dir, &named).unwrap_err().to_string();
    assert!(said.contains("episodes was 5, now 2"), "{said}");
    let train = RunSetup { seeds: Seeds::Split(Split::Train), ..setup(&task) };
    let train = RunSetup { episodes: Some(5), ..train }.prepare().unwrap().config;
    assert!(RunDir::open_resume(&dir, &train).unwrap_err().to_string().contains("seed was 0"));
}
