//! Run directories: interrupted, torn, shared, corrupt, resumed, merged.

#[path = "../../examples/made_up/mod.rs"]
mod made_up;
mod processes;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use longarm_results::{
    EPISODES, Error, Lock, Reader, Row, RowSummary, Run, RunConfig, RunDir, Shard, Trace, merge,
    trace_name,
};
use longarm_types::{ControlMode, Seed};
use proptest::prelude::*;

fn fresh(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rundir").join(test);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn small() -> (RunConfig, Vec<Row>) {
    let config = made_up::config("expert", 2, 7);
    let rows = made_up::rows(&config, 0.9, 0.9);
    (config, rows)
}

fn write(dir: &Path, config: &RunConfig, rows: &[Row]) -> RunDir {
    let run = RunDir::create(dir, config).unwrap();
    rows.iter().for_each(|r| run.append(r).unwrap());
    run
}

#[test]
fn torn_at_every_byte_it_resumes_to_the_same_file() {
    let (config, mut rows) = small();
    rows.truncate(2);
    // Short rows: every byte costs a resume, and every resume a sync.
    rows.iter_mut().for_each(|r| r.episode.stages.truncate(1));
    let rows = &rows;
    let dir = fresh("torn");
    drop(write(&dir.join("whole"), &config, rows));
    let whole = std::fs::read(dir.join("whole").join(EPISODES)).unwrap();
    let cut_dir = dir.join("cut");
    drop(RunDir::create(&cut_dir, &config).unwrap());
    let path = cut_dir.join(EPISODES);
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let complete = whole[..cut].iter().filter(|b| **b == b'\n').count();
        let torn = cut > 0 && whole[cut - 1] != b'\n';
        // A reader leaves the torn line out and says so.
        let seen = Run::read(&cut_dir).unwrap();
        assert_eq!(seen.rows.len(), complete);
        assert_eq!(seen.notes.iter().any(|n| n.contains("was not written to its end")), torn);
        let run = RunDir::open_resume(&cut_dir, &config).unwrap();
        assert_eq!(run.finished().len(), complete, "cut at {cut}");
        assert_eq!(run.repaired().is_some(), torn);
        if let Some(r) = run.repaired() {
            assert!(r.to_string().contains(&format!("episodes.jsonl:{}:", complete + 1)), "{r}");
        }
        let done = run.finished();
        for row in rows {
            if !done.contains(&(row.episode.task.clone(), row.episode.seed)) {
                run.append(row).unwrap();
            }
        }
        drop(run);
        assert_eq!(std::fs::read(&path).unwrap(), whole, "cut at {cut}");
    }
}

#[test]
fn rows_come_back_as_they_were() {
    let (config, mut rows) = small();
    rows[0].episode.stages[0].margins[0].value = f64::INFINITY;
    rows[0].episode.stages[0].margins[0].limit = f64::NAN;
    rows[1].video = Some("videos/a.mp4".into());
    rows[1].episode.reason = Some("a \"quoted\"\nreason ü".into());
    let dir = fresh("round");
    drop(write(&dir.join("r"), &config, &rows));
    let text = std::fs::read_to_string(dir.join("r").join(EPISODES)).unwrap();
    let read: Vec<Row> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(read[0].episode.stages[0].margins[0].value, f64::MAX);
    assert_eq!(read[1..], rows[1..]);
    // The quick reader and the full one agree.
    let (summaries, torn) = Reader::all(&dir.join("r").join(EPISODES)).unwrap();
    assert!(torn.is_none());
    assert_eq!(summaries[1..], rows[1..].iter().map(RowSummary::from).collect::<Vec<_>>());
    let mut bad = rows[0].clone();
    bad.episode.score = f64::NAN;
    let run = RunDir::open_resume(&dir.join("r"), &config).unwrap();
    let e = run.append(&bad).unwrap_err().to_string();
    assert!(e.contains("score is NaN"), "{e}");
    let mut foreign = rows[0].clone();
    foreign.episode.task = "boss/other".parse().unwrap();
    let e = run.append(&foreign).unwrap_err().to_string();
    assert!(e.contains("boss/other seed 7") && e.contains("not a task of this run"), "{e}");
    let e = run.append(&rows[3]).unwrap_err();
    assert!(matches!(e, Error::Recorded { .. }), "{e}");
}

#[test]
fn damage_is_named_by_line() {
    let (config, rows) = small();
    let dir = fresh("damage").join("r");
    drop(write(&dir, &config, &rows));
    let path = dir.join(EPISODES);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut l: Vec<String> = lines.iter().map(|s| (*s).to_owned()).collect();
        change(&mut l);
        std::fs::write(&path, l.join("\n") + "\n").unwrap();
        let resumed = RunDir::open_resume(&dir, &config).map(|_| ()).unwrap_err().to_string();
        assert_eq!(resumed, Run::read(&dir).map(|_| ()).unwrap_err().to_string());
        resumed
    };
    let e = with(&|l| l[4] = "{\"task\": 3}".into());
    assert!(e.contains("episodes.jsonl:5:") && e.contains("delete that line"), "{e}");
    let e = with(&|l| l[4].truncate(40));
    assert!(e.contains("episodes.jsonl:5:"), "{e}");
    let e = with(&|l| l[9] = l[2].clone());
    assert!(e.contains("episodes.jsonl:10:") && e.contains("line 3"), "{e}");
    let e = with(&|l| l[0] = l[0].replace("longbench/waste-sorting", "longbench/other"));
    assert!(e.contains(":1:") && e.contains("not a task of this run"), "{e}");
    let hash = rows[1].episode.task_hash.to_string();
    let e = with(&|l| l[1] = l[1].replace(&hash, &"0".repeat(32)));
    assert!(e.contains(":2:") && e.contains("hash"), "{e}");
}

#[test]
fn another_configuration_is_refused() {
    let (config, rows) = small();
    let dir = fresh("config").join("r");
    drop(write(&dir, &config, &rows[..2]));
    assert!(matches!(RunDir::create(&dir, &config), Err(Error::Exists { .. })));
    let mut other = config.clone();
    other.policy = "idle".into();
    other.options.chosen.insert("chunk".into(), 4.into());
    let e = RunDir::open_resume(&dir, &other).unwrap_err().to_string();
    assert!(
        e.contains("policy was \"expert\", now \"idle\"")
            && e.contains("options.chunk was 16, now 4"),
        "{e}"
    );
    let mut faster = config.clone();
    faster.runtime.insert("workers".into(), 64.into());
    let run = RunDir::open_resume(&dir, &faster).unwrap();
    assert_eq!(run.finished().len(), 2);
    drop(run);
    assert_eq!(RunConfig::read(&dir.join("run.toml")).unwrap(), faster);
    let big = RunConfig { seed: u64::MAX, ..config };
    drop(RunDir::create(&dir.join("big"), &big).unwrap());
    assert_eq!(RunConfig::read(&dir.join("big/run.toml")).unwrap(), big);
}

#[test]
fn forgotten_rows_run_again() {
    let (config, rows) = small();
    let dir = fresh("forget").join("r");
    let run = write(&dir, &config, &rows);
    assert_eq!(run.forget(|r| r.seed == 8).unwrap(), 10);
    assert_eq!(run.forget(|r| r.seed == 8).unwrap(), 0);
    assert_eq!(run.finished().len(), 10);
    let again: Vec<&Row> = rows.iter().filter(|r| r.episode.seed == 8).collect();
    again.iter().for_each(|r| run.append(r).unwrap());
    assert!(run.finish().unwrap().complete);
}

#[test]
fn threads_may_append_together() {
    let config = made_up::config("expert", 20, 0);
    let rows = made_up::rows(&config, 0.9, 0.9);
    let dir = fresh("threads").join("r");
    let run = RunDir::create(&dir, &config).unwrap();
    std::thread::scope(|s| {
        for part in rows.chunks(50) {
            let run = &run;
            s.spawn(move || part.iter().for_each(|r| run.append(r).unwrap()));
        }
    });
    let results = run.finish().unwrap();
    let in_order: Vec<RowSummary> = rows.iter().map(RowSummary::from).collect();
    assert_eq!(results, longarm_results::summarize(&config, &in_order));
}

/// Writes `count` shards of the rows, each in its own order.
fn shards(dir: &Path, config: &RunConfig, rows: &[Row], count: u64, seed: u64) -> Vec<PathBuf> {
    (1..=count)
        .map(|i| {
            let shard = Shard::new(i, count).unwrap();
            let path = dir.join(format!("{i}-of-{count}"));
            let mut mine: Vec<Row> = rows.iter().filter(|r| shard.owns(r.index)).cloned().collect();
            assert_eq!(mine.len() as u64, RunConfig { shard, ..config.clone() }.expected());
            Seed(seed).stream(&format!("{i}")).shuffle(&mut mine);
            let mut config = RunConfig { shard, ..config.clone() };
            config.runtime.insert("workers".into(), (i as i64).into());
            let run = RunDir::create(&path, &config).unwrap();
            for row in &mut mine {
                let mut trace = Trace::new(row.episode.task.clone(), row.episode.seed, 7);
                trace.push(&[0.25; 7]);
                row.trace = Some(run.write_trace(&trace).unwrap());
                run.append(row).unwrap();
            }
            path
        })
        .collect()
}

#[test]
fn shards_merge_to_the_same_bytes() {
    let (config, rows) = small();
    let dir = fresh("merge");
    let mut seen: Option<[Vec<u8>; 3]> = None;
    for count in [1, 2, 7] {
        let parts = shards(&dir, &config, &rows, count, count);
        let out = dir.join(format!("merged-{count}"));
        let merged = merge(&parts, &out).unwrap();
        assert!(merged.results.complete && merged.missing_shards.is_empty());
        assert_eq!((merged.repeated, merged.missing_files), (0, 0));
        let got =
            ["results.json", EPISODES, "run.toml"].map(|f| std::fs::read(out.join(f)).unwrap());
        assert_eq!(*seen.get_or_insert(got.clone()), got, "{count} shards");
        let trace = Trace::read(&out.join(trace_name(&rows[5].episode.task, 7))).unwrap();
        assert_eq!((trace.len(), trace.dim()), (1, 7));
        assert!(Run::read(&out).unwrap().results.complete);
        assert!(matches!(merge(&parts, &out), Err(Error::Exists { .. })));
    }
    // What a run on its own says is the same again.
    let alone = write(&dir.join("alone"), &config, &rows).finish().unwrap();
    assert_eq!(alone.to_json().as_bytes(), seen.unwrap()[0]);
}

#[test]
fn what_does_not_belong_together_is_not_merged() {
    let (config, rows) = small();
    let dir = fresh("mismatch");
    let parts = shards(&dir, &config, &rows, 3, 0);
    let merged = merge(&parts[1..], &dir.join("two")).unwrap();
    assert_eq!(merged.missing_shards, [Shard::new(1, 3).unwrap()]);
    assert!(!merged.results.complete);
    let twice = merge(&[parts[0].clone(), parts[0].clone()], &dir.join("x")).unwrap_err();
    assert!(twice.to_string().contains("the same directory"), "{twice}");
    // The same episodes again are one episode, other results for them are not.
    let whole = dir.join("whole");
    drop(write(&whole, &config, &rows));
    let mut all = parts.clone();
    all.push(whole);
    let merged = merge(&all, &dir.join("again")).unwrap();
    assert_eq!((merged.repeated, merged.results.counts.rows), (20, 20));
    let mut other = rows.clone();
    other[4].episode.score = 1.0;
    let liar = dir.join("liar");
    drop(write(&liar, &config, &other));
    let e = merge(&[parts[0].clone(), parts[1].clone(), liar], &dir.join("y")).unwrap_err();
    assert!(e.to_string().contains("with different results"), "{e}");
    assert!(!dir.join("y").exists());
    let stranger = dir.join("stranger");
    drop(write(&stranger, &RunConfig { seed: 8, ..config }, &[]));
    let e = merge(&[parts[0].clone(), stranger], &dir.join("z")).unwrap_err().to_string();
    assert!(e.contains("seed is 7 there and 8"), "{e}");
    assert!(matches!(merge(&[], &dir.join("z")), Err(Error::NothingToMerge)));
}

#[test]
fn traces_are_whole_or_refused() {
    let dir = fresh("trace");
    let task = made_up::id("stack-block");
    let mut trace = Trace::new(task.clone(), u64::MAX, 7);
    for i in 0..50 {
        assert!(trace.push(&[i as f32, f32::MIN_POSITIVE, -0.0, 1.0, -1.0, 0.1, 3e38]));
    }
    assert!(!trace.push(&[1.0; 6]));
    let path = dir.join(trace_name(&task, u64::MAX));
    trace.write(&path).unwrap();
    let back = Trace::read(&path).unwrap();
    assert_eq!(back, trace);
    assert_eq!(back.action_hash(), trace.action_hash());
    assert_eq!(back.actions().len(), 50);
    // Older versions wrote what the rig takes by default in the same bytes.
    assert_eq!(trace.to_bytes()[8], 1);
    let trace = trace.under(Some(ControlMode::JointDelta));
    assert_eq!(Trace::from_bytes(&trace.to_bytes()).unwrap(), trace);
    let bytes = trace.to_bytes();
    for cut in 0..bytes.len() {
        assert!(Trace::from_bytes(&bytes[..cut]).is_err());
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(Trace::from_bytes(&changed).is_err(), "byte {at}");
    }
}

fn base() -> &'static (RunConfig, Vec<Row>) {
    static BASE: OnceLock<(RunConfig, Vec<Row>)> = OnceLock::new();
    BASE.get_or_init(small)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(24) })]

    #[test]
    fn any_sharding_in_any_order_summarizes_alike(count in 1..20u64, seed in any::<u64>()) {
        let (config, rows) = base();
        let dir = fresh(&format!("prop-{count}-{seed}"));
        let mut parts = shards(&dir, config, rows, count, seed);
        Seed(seed).stream("dirs").shuffle(&mut parts);
        let merged = merge(&parts, &dir.join("m")).unwrap();
        let summaries: Vec<RowSummary> = rows.iter().map(RowSummary::from).collect();
        let direct = longarm_results::summarize(config, &summaries);
        prop_assert_eq!(merged.results.to_json(), direct.to_json());
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn any_interruptions_end_in_the_same_file(cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let (config, rows) = base();
        let dir = fresh(&format!("prop-cuts-{}", cuts.len()));
        drop(write(&dir.join("whole"), config, rows));
        let whole = std::fs::read(dir.join("whole").join(EPISODES)).unwrap();
        let path = dir.join("cut");
        drop(RunDir::create(&path, config).unwrap());
        for at in cuts.iter().map(Some).chain([None]) {
            let run = RunDir::open_resume(&path, config).unwrap();
            let done = run.finished();
            for row in rows.iter().filter(|r| !done.contains(&(r.episode.task.clone(), r.episode.seed))) {
                run.append(row).unwrap();
            }
            drop(run);
            let file = path.join(EPISODES);
            if let Some(at) = at {
                std::fs::write(&file, &whole[..at.index(whole.len())]).unwrap();
            } else {
                prop_assert!(std::fs::read(&file).unwrap() == whole);
            }
        }
    }

    #[test]
    fn shards_share_out_everything_once(total in 0..500u64, count in 1..40u64) {
        let all: Vec<Shard> = (1..=count).map(|i| Shard::new(i, count).unwrap()).collect();
        for work in 0..total {
            prop_assert_eq!(all.iter().filter(|s| s.owns(work)).count(), 1);
        }
        for s in &all {
            prop_assert_eq!(s.share(total), (0..total).filter(|w| s.owns(*w)).count() as u64);
            prop_assert_eq!(s.to_string().parse::<Shard>().unwrap(), *s);
        }
    }
}
