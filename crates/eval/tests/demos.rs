//! Recording, interrupting, damaging, repairing and rendering again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use longarm_data::manifest::Manifest;
use longarm_eval::PolicySpec;
use longarm_eval::demos::{
    self, DemoConfig, DemoError, Event, Format, Modality, Recording, Source, Summary, check, record,
};
use longarm_task::TaskSpec;
use longarm_types::{Digest, ENGINE_VERSION};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

const TASK: &str = "longbench/stack-block";

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("demos").join(test);
    let _ = fs::remove_dir_all(&path);
    path
}

fn task() -> Arc<TaskSpec> {
    Arc::new(longarm_suites::task(TASK).unwrap())
}

fn config(format: Format, episodes: u64) -> DemoConfig {
    DemoConfig {
        version: DemoConfig::VERSION,
        engine: ENGINE_VERSION.to_owned(),
        mujoco: longarm_sim::mujoco_version().to_owned(),
        format,
        policy: "expert".into(),
        episodes,
        seed: 3,
        split: None,
        seeds: None,
        attempts: episodes + 10,
        keep_failures: false,
        control: None,
        options: Default::default(),
        hints: Default::default(),
        noise: None,
        size: Some([32, 32]),
        cameras: Vec::new(),
        modalities: vec![Modality::Rgb],
        source: None,
        keyframes: Default::default(),
        window_every: None,
        tasks: DemoConfig::hashes(&[task()]),
        files: Default::default(),
    }
}

fn run(
    config: DemoConfig,
    out: &Path,
    from: Option<&Path>,
    workers: usize,
    stop_after: Option<u64>,
) -> Result<(Option<Summary>, Vec<String>), DemoError> {
    let tasks = [task()];
    let ready = "expert".parse::<PolicySpec>().unwrap().ready(&tasks).unwrap();
    let source = from.map_or(Source::Policy(&ready), Source::Traces);
    let recording = Recording { config, tasks: &tasks, source, workers };
    let stop = AtomicBool::new(false);
    let (mut attempts, mut notes) = (0, Vec::new());
    let summary = record(&recording, out, &stop, |e| match e {
        Event::Attempt(..) => {
            attempts += 1;
            stop.store(stop_after.is_some_and(|n| attempts >= n), Ordering::Relaxed);
        }
        Event::Note(text) => notes.push(text.to_owned()),
        _ => {}
    })?;
    Ok((summary, notes))
}

/// Every file with its contents.
fn contents(dir: &Path) -> BTreeMap<String, Digest> {
    let mut out = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
                out.insert(name, Digest::of(&fs::read(&path).unwrap()));
            }
        }
    }
    out
}

fn cut(path: &Path, share: f64) {
    let bytes = fs::read(path).unwrap();
    fs::write(path, &bytes[..(bytes.len() as f64 * share) as usize]).unwrap();
}

#[test]
fn interrupted_or_damaged_it_ends_the_same() {
    let whole = directory("whole");
    let (summary, _) = run(config(Format::Lerobot, 3), &whole, None, 2, None).unwrap();
    let summary = summary.unwrap();
    assert!(summary.complete && summary.tasks[0].1 == 3, "{summary:?}");
    assert!(check(&whole).unwrap().is_empty());
    let expected = contents(&whole);
    assert!(expected.contains_key("meta/info.json") && expected.contains_key("README.md"));
    assert!(!expected.keys().any(|f| f.contains("staging") || f.contains("lock")), "{expected:?}");

    // Stopped after one episode, half a file left behind, one pack damaged.
    let again = directory("again");
    let (stopped, _) = run(config(Format::Lerobot, 3), &again, None, 1, Some(2)).unwrap();
    assert!(stopped.is_none());
    assert!(matches!(check(&again), Err(DemoError::Missing { missing: demos::FILES, .. })));
    let staging = again.join("longarm/staging");
    fs::write(staging.join(".0000-00000002.json.1-1.tmp"), "half").unwrap();
    cut(&staging.join("0000-00000000.pictures"), 0.7);
    let (summary, _) = run(config(Format::Lerobot, 3), &again, None, 1, None).unwrap();
    assert!(summary.unwrap().complete);
    assert_eq!(contents(&again), expected);

    // Cut in the middle of a video, of the data, of the metadata.
    for (file, share) in [
        ("videos/observation.images.wrist/chunk-000/file-000.mp4", 0.613),
        ("data/chunk-000/file-000.parquet", 0.99),
        ("meta/stats.json", 0.2),
    ] {
        cut(&again.join(file), share);
        let damage = check(&again).unwrap();
        assert_eq!(damage.len(), 1);
        assert_eq!(damage[0].0, again.join(file));
        let (_, notes) = run(config(Format::Lerobot, 3), &again, None, 2, None).unwrap();
        assert!(notes[0].contains(file) && notes[0].contains("is damaged"), "{notes:?}");
        assert_eq!(contents(&again), expected, "after {file}");
    }

    // A file that its list does not have, gone or there, is not known to be whole.
    let list = again.join("longarm/files.json");
    for gone in [true, false] {
        let file = "data/chunk-000/file-000.parquet";
        let mut manifest = Manifest::read(&list).unwrap().unwrap();
        assert!(manifest.files.remove(file).is_some());
        manifest.write(&list).unwrap();
        if gone {
            fs::remove_file(again.join(file)).unwrap();
        }
        let damage = check(&again).unwrap();
        assert_eq!(damage.len(), 1, "{damage:?}");
        assert!(damage[0].0 == again.join(file) && damage[0].1.contains("does not have it"));
        let (_, notes) = run(config(Format::Lerobot, 3), &again, None, 2, None).unwrap();
        assert!(notes[0].contains(file) && notes[0].contains("does not have it"), "{notes:?}");
        assert_eq!(contents(&again), expected, "{gone}");
    }

    let other = DemoConfig { seed: 4, ..config(Format::Lerobot, 3) };
    let refused = run(other, &again, None, 1, None).unwrap_err().to_string();
    assert!(refused.contains("seed 3 there, 4 now"), "{refused}");
}

#[test]
fn what_is_rendered_again_is_the_same() {
    let (direct, native, again) = (directory("direct"), directory("native"), directory("render"));
    run(config(Format::Lerobot, 2), &direct, None, 2, None).unwrap();
    let (summary, _) = run(config(Format::Native, 2), &native, None, 2, None).unwrap();
    assert!(summary.unwrap().bytes < 60_000, "native demonstrations are small");
    let source = Some(Digest([7; 16]));
    let rendering = DemoConfig { source, ..config(Format::Lerobot, 2) };
    run(rendering.clone(), &again, Some(&native), 1, None).unwrap();
    let (mut a, mut b) = (contents(&direct), contents(&again));
    // What says where it comes from differs.
    for own in ["longarm/demos.toml", "longarm/files.json", "meta/info.json"] {
        assert_ne!(a.remove(own), b.remove(own), "{own}");
    }
    assert_eq!(a, b);

    // A trace that does not lead where it did is refused.
    let trace = native.join("traces").join(TASK).join("3.trace");
    let other = native.join("traces").join(TASK).join("4.trace");
    fs::copy(&other, &trace).unwrap();
    let out = directory("render-wrong");
    let refused = run(rendering, &out, Some(&native), 1, None).unwrap_err().to_string();
    assert!(refused.contains("seed 3 could not be recorded"), "{refused}");
}

/// The dense reward of every step is a column of the formats that hold rewards, and no other column moves.
#[test]
fn the_dense_reward_is_a_column() {
    let (lerobot, hdf5) = (directory("dense-lerobot"), directory("dense-hdf5"));
    let config = |format| DemoConfig { size: Some([16, 16]), ..config(format, 1) };
    run(config(Format::Lerobot), &lerobot, None, 1, None).unwrap();
    run(config(Format::Hdf5), &hdf5, None, 1, None).unwrap();

    let file = fs::File::open(lerobot.join("data/chunk-000/file-000.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let (mut dense, mut by_stages, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for row in reader.get_row_iter(None).unwrap() {
        let row = row.unwrap();
        names = row.get_column_iter().map(|(name, _)| name.clone()).collect();
        for (name, value) in row.get_column_iter() {
            match (name.as_str(), value) {
                ("next.reward_dense", Field::Float(v)) => dense.push(*v),
                ("next.reward", Field::Float(v)) => by_stages.push(*v),
                _ => {}
            }
        }
    }
    assert_eq!(dense.len(), by_stages.len(), "{names:?}");
    assert!((by_stages.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{by_stages:?}");
    let (last, before) = dense.split_last().unwrap();
    assert_eq!(*last, 1.0, "1 with success");
    assert!(before.iter().all(|v| (0.0..1.0).contains(v)), "{before:?}");
    let mean = |part: &[f32]| part.iter().sum::<f32>() / part.len() as f32;
    let half = before.len() / 2;
    assert!(mean(&before[half..]) > mean(&before[..half]) + 0.2, "it rises with the task");
    let info = fs::read_to_string(lerobot.join("meta/info.json")).unwrap();
    assert!(info.contains("\"next.reward_dense\""));

    // In HDF5 it is `rewards_dense`, the same numbers; `rewards` stays that of success.
    let file = fs::read(hdf5.join("longbench_stack-block_demo.hdf5")).unwrap();
    let bytes: Vec<u8> = dense.iter().flat_map(|v| v.to_le_bytes()).collect();
    let holds = |part: &[u8]| file.windows(part.len()).any(|w| w == part);
    assert!(holds(b"rewards_dense") && holds(&bytes));
}

/// One line per window of five frames; windows tile the episode, so every keyframe is a label once; the
/// pictures are files, as many as the message has places for.
#[test]
fn lines_for_a_high_level_model_can_be_trained_on() {
    let out = directory("jsonl");
    let config = DemoConfig {
        window_every: Some(demos::WINDOW as u32),
        size: Some([48, 32]),
        ..config(Format::Jsonl, 2)
    };
    let (stopped, _) = run(config.clone(), &out, None, 1, Some(1)).unwrap();
    assert!(stopped.is_none(), "interrupted");
    run(config.clone(), &out, None, 1, None).unwrap();
    let whole = contents(&out);
    let again = directory("jsonl-again");
    run(config, &again, None, 2, None).unwrap();
    assert_eq!(whole, contents(&again), "resumed or not");

    let rows = demos::read_rows(&out, demos::EPISODES).unwrap();
    for row in &rows {
        let path = out.join(format!("rows/{TASK}/seed{}.jsonl", row.episode.seed));
        let mut labelled = Vec::new();
        let mut said = Vec::new();
        for line in fs::read_to_string(path).unwrap().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = |i: usize, key: &str| line["messages"][i][key].as_str().unwrap().to_owned();
            let roles: Vec<String> = (0..3).map(|i| text(i, "role")).collect();
            assert_eq!(roles, ["system", "user", "assistant"]);
            let images = line["images"].as_array().unwrap();
            let places = text(1, "content").matches("<image>").count();
            let earlier = line["metadata"]["history_keyframe_count"].as_u64().unwrap() as usize;
            assert_eq!((images.len(), places), (2 * (earlier + demos::WINDOW), places));
            assert_eq!(images.len(), places);
            for image in images {
                let bytes = fs::read(out.join(image.as_str().unwrap())).unwrap();
                assert_eq!(jpeg_size(&bytes), Some((48, 32)), "{image}");
            }
            let answer: serde_json::Value =
                serde_json::from_str(&text(2, "content")).expect("strict JSON");
            assert_eq!(answer.as_object().unwrap().len(), 2);
            assert_eq!(answer["keyframe_positions"], line["metadata"]["keyframe_positions"]);
            said.push(answer["current_primitive"].as_str().unwrap().to_owned());
            let first = line["metadata"]["window_frames"][0].as_u64().unwrap();
            let before = row.keyframes.iter().filter(|k| (k.frame as u64) < first).count();
            assert_eq!(before, earlier);
            let at = answer["keyframe_positions"].as_array().unwrap().iter();
            labelled.extend(at.map(|k| (first + k.as_u64().unwrap() - 1) as usize));
        }
        let tiled = row.frames as usize / demos::WINDOW * demos::WINDOW;
        let all: Vec<usize> =
            row.keyframes.iter().map(|k| k.frame).filter(|f| *f < tiled).collect();
        assert_eq!(labelled, all);
        said.dedup();
        let known: Vec<&String> = row.subtasks.iter().filter(|s| *s != "done").collect();
        assert_eq!(said.iter().collect::<Vec<_>>(), known);
    }
}

/// Width and height of a JPEG file.
fn jpeg_size(bytes: &[u8]) -> Option<(u16, u16)> {
    let mut at = 2;
    (bytes.get(..2)? == [0xff, 0xd8] && bytes.ends_with(&[0xff, 0xd9])).then_some(())?;
    loop {
        let [0xff, marker, high, low] = *bytes.get(at..at + 4)? else { return None };
        if matches!(marker, 0xc0..=0xc2) {
            let side =
                |i: usize| Some(u16::from_be_bytes([*bytes.get(at + i)?, *bytes.get(at + i + 1)?]));
            return Some((side(7)?, side(5)?));
        }
        at += 2 + usize::from(u16::from_be_bytes([high, low]));
    }
}

/// One HDF5 file per subtask; joined by their order they are the episode.
#[test]
fn subtasks_have_files_of_their_own() {
    let (out, whole) = (directory("subtasks"), directory("subtasks-whole"));
    let small = |format| DemoConfig { size: Some([16, 16]), ..config(format, 1) };
    run(small(Format::Hdf5Subtasks), &out, None, 1, None).unwrap();
    run(small(Format::Lerobot), &whole, None, 1, None).unwrap();
    let row = demos::read_rows(&out, demos::EPISODES).unwrap().remove(0);
    let mut files: Vec<String> = contents(&out).into_keys().collect();
    files.retain(|f| f.ends_with(".hdf5"));
    let said = row.subtasks.iter().filter(|s| *s != "done").count();
    assert_eq!(files.len(), said, "{files:?}");
    let folder = "phase_dependence/4_stack_block_dataset/subtask_data/";
    assert!(
        files.iter().all(|f| f.starts_with(folder) && f.ends_with("_seed3_task4.hdf5")),
        "{files:?}"
    );
    let order = |f: &String| -> usize {
        let (name, _) = f.rsplit_once("_seed3").unwrap();
        name.rsplit_once('_').unwrap().1.parse().unwrap()
    };
    files.sort_by_key(order);
    assert!(files.iter().map(order).eq(0..said), "{files:?}");

    // The actions of the other format, one file after the other.
    let file = fs::File::open(whole.join("data/chunk-000/file-000.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let mut actions: Vec<f64> = Vec::new();
    for row in reader.get_row_iter(None).unwrap() {
        for (name, value) in row.unwrap().get_column_iter() {
            if let ("action", Field::ListInternal(list)) = (name.as_str(), value) {
                actions.extend(list.elements().iter().map(|v| match v {
                    Field::Float(v) => f64::from(*v),
                    other => panic!("{other}"),
                }));
            }
        }
    }
    let dim = actions.len() / row.frames as usize;
    let changes: Vec<usize> = row.subtask_changes.iter().map(|(f, _)| *f as usize).collect();
    for (i, name) in files.iter().enumerate() {
        let bytes = fs::read(out.join(name)).unwrap();
        let end = if i + 1 == said { row.frames as usize } else { changes[i + 1] };
        let part = &actions[dim * changes[i]..dim * end];
        let part: Vec<u8> = part.iter().flat_map(|v| v.to_le_bytes()).collect();
        assert!(bytes.windows(part.len()).any(|w| w == part), "{name}");
        for key in ["agentview_rgb", "eye_in_hand_rgb", "ee_states", "gripper_states", "keyframes"]
        {
            assert!(bytes.windows(key.len()).any(|w| w == key.as_bytes()), "{name}: {key}");
        }
    }
}

/// Two pours in a row have the same words, and each is a subtask of its own.
#[test]
fn what_is_done_again_is_another_subtask() {
    let pours = |t: &TaskSpec| t.id.as_str().ends_with("pour-wine-into-mug-twice");
    let task = Arc::new(longarm_suites::robomemarena::SUITE.tasks().find(pours).unwrap());
    let out = directory("poured-twice");
    let config = DemoConfig {
        size: Some([16, 16]),
        tasks: DemoConfig::hashes(std::slice::from_ref(&task)),
        ..config(Format::Hdf5Subtasks, 1)
    };
    let tasks = [task];
    let ready = "expert".parse::<PolicySpec>().unwrap().ready(&tasks).unwrap();
    let recording = Recording { config, tasks: &tasks, source: Source::Policy(&ready), workers: 1 };
    record(&recording, &out, &AtomicBool::new(false), |_| {}).unwrap();
    let files = contents(&out).into_keys().filter(|f| f.ends_with(".hdf5"));
    let mut names: Vec<String> = files.map(|f| f.rsplit('/').next().unwrap().to_owned()).collect();
    names.sort_by_key(|n| n.split("_seed").next().unwrap().chars().last());
    let begins = ["pick_up", "pour_from", "pour_from", "put_the"];
    assert_eq!(names.len(), begins.len(), "{names:?}");
    for (i, (name, words)) in names.iter().zip(begins).enumerate() {
        assert!(name.starts_with(words) && name.contains(&format!("_{i}_seed3")), "{names:?}");
    }
}
