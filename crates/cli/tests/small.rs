//! Details a user meets in the first hour.

mod common;

use std::process::Stdio;

use common::{command, folder, longarm, refused, said, works};

const TASK: &str = "longbench/stack-block";

#[test]
fn files_of_other_kinds_are_refused_before_the_work() {
    for (flag, file, instead) in [
        ("--video", "x.avi", "x.mp4"),
        ("--filmstrip", "x.jpg", "x.png"),
        ("--trace", "x.trace", "x.json"),
    ] {
        refused(&["run", TASK, flag, file], &[flag, file, instead]);
    }
    refused(&["show", TASK, "--image", "x.jpg"], &["--image x.jpg", "x.png"]);
    refused(&["show", TASK, "--sheet", "sheet"], &["sheet.png"]);
    refused(&["report", "runs", "--out", "page.pdf"], &["page.html"]);
}

/// Both modes take seven numbers, so that nothing else would tell.
#[test]
fn a_trace_is_replayed_under_its_control_mode_only() {
    let dir = folder("modes");
    let path = |name: &str| dir.join(name).display().to_string();
    let (usual, joints) = (path("usual.json"), path("joints.json"));
    let hash = |words: &[&str]| {
        let told = works(&[&["run", TASK, "--json"], words].concat());
        let record: serde_json::Value = serde_json::from_str(&told).unwrap();
        record["state_hash"].clone()
    };
    let control = ["--control", "joint-target"];
    let recorded = [
        hash(&["--policy", "expert", "--trace", &usual]),
        hash(&[&["--policy", "expert", "--trace", &joints], &control[..]].concat()),
    ];
    assert_ne!(recorded[0], recorded[1]);
    let policies = [format!("replay:{usual}"), format!("replay:{joints}")];
    let replay = ["run", TASK, "--policy"];
    refused(
        &[&replay[..], &[&policies[0]], &control].concat(),
        &[&usual, "usual control mode", "leave --control out"],
    );
    refused(&[&replay[..], &[&policies[1]]].concat(), &[&joints, "--control joint-target"]);
    refused(
        &[&replay[..], &[&policies[1], "--control", "joint-delta"]].concat(),
        &[&joints, "--control joint-target"],
    );
    assert_eq!(hash(&["--policy", &policies[0]]), recorded[0]);
    assert_eq!(hash(&[&["--policy", &policies[1]], &control[..]].concat()), recorded[1]);
}

#[test]
fn a_single_episode_is_cut_short_as_an_evaluation_is() {
    let run = ["run", TASK, "--policy", "idle", "--json", "--max-steps"];
    let record: serde_json::Value =
        serde_json::from_str(&works(&[&run[..], &["3"]].concat())).unwrap();
    assert_eq!(record["steps"], 3);
    refused(&[&run[..], &["0"]].concat(), &["max-steps is 0", "1 or more"]);
}

/// Whoever reads may go away: `longarm … | head`.
#[test]
fn a_closed_pipe_is_no_panic() {
    let dir = folder("pipe");
    let path = |name: &str| dir.join(name).display().to_string();
    let (demos, run, manual) = (path("demos"), path("run"), path("manual"));
    works(&["demos", TASK, "--episodes", "1", "--format", "native", "--out", &demos]);
    let eval = ["eval", TASK, "--policy", "idle", "--episodes", "2", "--max-steps", "2", "--out"];
    works(&[&eval[..], &[&run]].concat());
    for words in [
        vec!["demos", TASK, "--episodes", "1", "--format", "native", "--out", &demos],
        vec!["demos", "--check", &demos],
        vec!["report", &run],
        vec!["manual", "longbench", "--out", &manual],
        vec!["help", "reports"],
        vec!["completions", "bash"],
        vec!["list"],
        vec!["show", TASK, "--json"],
        vec!["run", TASK, "--policy", "idle", "--json"],
    ] {
        let mut started =
            command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(started.stdout.take());
        let ended = started.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success() && !said.contains("panicked"), "{words:?}: {said}");
    }
    // `longarm … 2>&1 | head`, or a terminal that was closed.
    let (other_demos, other_run, file) = (path("demos-2"), path("run-2"), path("mine.toml"));
    for words in [
        vec!["demos", TASK, "--episodes", "1", "--format", "native", "--out", &other_demos],
        [&eval[..], &[&other_run]].concat(),
        vec!["report", &run, &other_run, "--out", &path("comparison.html")],
        vec!["new", "task", &file],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = command(&words).stdout(writer.try_clone().unwrap()).stderr(writer).status();
        assert!(status.unwrap().success(), "{words:?}");
    }
    works(&["verify", &other_run]);
}

/// A task file with one line replaced.
fn changed(dir: &std::path::Path, from: &str, to: &str) -> String {
    let (file, first) = (dir.join("t.toml"), dir.join("first.toml"));
    let text = std::fs::read_to_string(first).unwrap();
    assert!(text.contains(from), "{from}");
    std::fs::write(&file, text.replace(from, to)).unwrap();
    file.display().to_string()
}

#[test]
fn numbers_that_mean_nothing_are_refused_in_task_files() {
    let dir = folder("numbers");
    works(&["new", "task", &dir.join("first.toml").display().to_string()]);
    let spot = "spot = { at = [[0.42, 0.10], [0.52, 0.20]] }";
    let plan = "do = \"put block on plate\"";
    for (from, to, words) in [
        ("size = [0.04, 0.04, 0.04]", "size = [-0.04, 0.04, 0.04]", "size is [-0.04"),
        ("radius = 0.09", "radius = -0.09", "radius is -0.09"),
        (
            spot,
            &spot.replace(" }", ", tolerance = -0.02 }"),
            "tolerance of region \"spot\" is -0.02",
        ),
        (
            plan,
            "do = \"put block on plate\"\n\n[forbid]\n\"tipped\" = \"upright(block, within=-0.8)\"",
            "-0.8",
        ),
    ] {
        let file = changed(&dir, from, to);
        let o = longarm(&["run", &file, "--policy", "idle"]);
        let text = said(&o);
        assert_eq!(o.status.code(), Some(2), "{to}: {text}");
        assert!(text.contains(words) && !text.contains("panicked"), "{to}: {text}");
    }
    // A region beyond the table is allowed, and warned of.
    let file = changed(&dir, spot, "spot = { at = [[0.42, 0.10], [0.92, 0.20]] }");
    let o = longarm(&["show", &file]);
    let text = said(&o);
    assert!(
        text.contains("warning: ") && text.contains("region \"spot\" reaches beyond"),
        "{text}"
    );
    let file = changed(&dir, "# A task of your own.", &format!("id = \"{TASK}\""));
    refused(&["run", &file], &[TASK, "belongs to a task of the suite longbench"]);
}

#[test]
fn one_is_not_said_as_many() {
    let dir = folder("singular");
    let path = |name: &str| dir.join(name).display().to_string();
    let (demos, run) = (path("demos"), path("run"));
    let out = works(&["demos", TASK, "--episodes", "1", "--format", "native", "--out", &demos]);
    assert!(out.contains("1 of 1 attempt kept") && out.contains("1 episode of 1 attempt"), "{out}");
    let eval = ["eval", TASK, "--policy", "idle", "--episodes", "1", "--max-steps", "2", "--out"];
    let out = works(&[&eval[..], &[&run]].concat());
    assert!(out.contains("1 failure;"), "{out}");
}

#[test]
fn robots_are_listed_posed_and_drawn() {
    let listed: serde_json::Value = serde_json::from_str(&works(&["robots", "--json"])).unwrap();
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"franka-panda"), "{names:?}");
    assert_eq!(listed[names.iter().position(|n| *n == "franka-panda").unwrap()]["dof"], 7);
    // All joints at zero but the elbow: Franka's published frames put the flange there.
    let posed = ["robot", "franka-panda", "--joints", "0,0,0,-0.1,0,0,0", "--json"];
    let posed: serde_json::Value = serde_json::from_str(&works(&posed)).unwrap();
    let links = posed["links"].as_object().unwrap();
    assert!(links.len() > 7 && links.contains_key("tool"), "{:?}", links.keys());
    for link in links.values() {
        let q: Vec<f64> =
            link["quat_wxyz"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        let norm: f64 = q.iter().map(|v| v * v).sum();
        assert!((norm - 1.0).abs() < 1e-9, "{link}");
    }
    refused(&["robot", "franka-pnada"], &["no robot", "did you mean franka-panda?"]);
    refused(&["robot", "franka-panda", "--joints", "0,0"], &["7 joints", "2 values"]);
    refused(&["robot", "franka-panda", "--joints", "9,0,0,-1,0,0,0"], &["takes -2.", "not 9"]);
    refused(&["robot", "franka-panda", "--image", "x.jpg"], &["x.png"]);
    let file = folder("robots").join("panda.png");
    works(&["robot", "franka-panda", "--image", &file.display().to_string()]);
    assert!(std::fs::metadata(file).unwrap().len() > 10_000);
}

/// Sentences call objects what people call them.
#[test]
fn subtasks_have_no_internal_names() {
    let dir = folder("sentences");
    let out = dir.join("demos").display().to_string();
    let task = "libero-90/kitchen-scene1-put-the-black-bowl-on-the-plate";
    works(&["demos", task, "--episodes", "1", "--format", "native", "--out", &out]);
    let rows = std::fs::read_to_string(dir.join("demos/longarm/episodes.jsonl")).unwrap();
    let row: serde_json::Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    let told: Vec<&str> =
        row["subtasks"].as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect();
    assert_eq!(told, ["pick up the black bowl", "put the black bowl on the plate"]);
}
