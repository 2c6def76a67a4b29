//! The program as a user meets it.

mod common;

use std::path::Path;
use std::process::Output;

use common::{RECORD, folder, longarm, refused, said};

fn json(o: &Output) -> serde_json::Value {
    assert!(o.status.success(), "{}", said(o));
    serde_json::from_slice(&o.stdout).expect("valid JSON")
}

fn entries(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn list_keeps_its_contract() {
    let all = json(&longarm(&["list", "--json"]));
    let rows = all.as_array().unwrap();
    assert_eq!(rows.len(), longarm_suites::ids().count());
    for r in rows {
        for key in ["id", "suite", "instruction", "labels", "stages", "horizon", "robot"] {
            assert!(r.get(key).is_some(), "{key} is missing in {r}");
        }
    }
    let some = json(&longarm(&["list", "longbench", "--json"]));
    let ids: Vec<&str> = some.as_array().unwrap().iter().filter_map(|r| r["id"].as_str()).collect();
    let suite = longarm_suites::suite("longbench").unwrap();
    assert_eq!(ids, suite.ids(), "in the order of the suite");
}

#[test]
fn run_keeps_its_contract_across_processes() {
    let dir = folder("contract");
    let (video, trace) = (dir.join("out.mp4"), dir.join("trace.json"));
    let args = ["run", "longbench/repeat-placement", "--policy", "expert", "--seed", "3", "--json"];
    let first = json(&longarm(&args));
    for key in RECORD {
        assert!(first.get(key).is_some(), "{key} is missing in {first}");
    }
    assert_eq!(first["outcome"], "success");
    assert_eq!(first["stages"].as_array().unwrap().len(), 8);
    // Watching changes nothing, and neither does another process.
    let mut watched = args.to_vec();
    let (v, t) = (video.to_str().unwrap(), trace.to_str().unwrap());
    watched.extend(["--video", v, "--trace", t]);
    assert_eq!(json(&longarm(&watched)), first);
    assert!(std::fs::metadata(&video).unwrap().len() > 10_000);
    assert_eq!(entries(&dir), ["out.mp4", "trace.json"], "nothing else is left behind");
    let replay = format!("replay:{t}");
    let again = json(&longarm(&[
        "run",
        "longbench/repeat-placement",
        "--policy",
        &replay,
        "--seed",
        "3",
        "--json",
    ]));
    for key in ["outcome", "score", "stages", "steps", "state_hash", "action_hash"] {
        assert_eq!(again[key], first[key], "{key}");
    }
}

#[test]
fn pictures_are_the_same_bytes_in_every_process() {
    let dir = folder("pictures");
    let files = ["a.png", "b.png"].map(|f| dir.join(f));
    for f in &files {
        let o = longarm(&[
            "show",
            "longbench/pull-drawer",
            "--seed",
            "5",
            "--image",
            f.to_str().unwrap(),
        ]);
        assert!(o.status.success(), "{}", said(&o));
    }
    let [a, b] = files.map(|f| std::fs::read(f).unwrap());
    assert!(a == b && a.len() > 10_000);
}

#[test]
fn bad_input_ends_in_one_clear_sentence() {
    refused(
        &["run", "longbench/repeat-placment"],
        &["repeat-placment", "did you mean longbench/repeat-placement?"],
    );
    refused(&["list", "longbenhc"], &["longbenhc", "did you mean longbench"]);
    refused(&["run", "longbench/stack-block", "--policy", "exprt"], &["exprt", "expert"]);
    refused(&["run", "no-such.json"], &["no-such.json"]);
    refused(
        &["run", "longbench/stack-block", "--video", "/no/such/folder/x.mp4"],
        &["/no/such/folder"],
    );
    refused(
        &["show", "longbench/stack-block", "--image", "/no/such/folder/x.png"],
        &["/no/such/folder"],
    );
    refused(
        &["run", "longbench/stack-block", "--policy", "replay:/no/such/trace"],
        &["/no/such/trace"],
    );

    let dir = folder("bad");
    let write = |name: &str, text: &str| {
        let path = dir.join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let shown = json(&longarm(&["show", "longbench/stack-block", "--json"]));
    let spec = shown["spec"].clone();
    refused(&["run", &write("torn.json", &spec.to_string()[..500])], &["torn.json:1:500"]);
    let mut unknown = spec.clone();
    unknown["plan"][0]["do"]["op"]["pick"]["object"] = "blok_2".into();
    refused(&["run", &write("unknown.json", &unknown.to_string())], &["blok_2", "block_2"]);
    let mut crowded = spec.clone();
    for r in crowded["regions"].as_array_mut().unwrap() {
        r["rects"] = serde_json::json!([[0.30, 0.0, 0.301, 0.001]]);
    }
    let text = crowded.to_string();
    refused(&["run", &write("crowded.json", &text)], &["longbench/stack-block belongs", "own"]);
    crowded["id"] = "mine/crowded".into();
    refused(&["run", &write("crowded.json", &crowded.to_string())], &["block_2"]);
    // And the untouched specification runs, from a file.
    let o = longarm(&["run", &write("good.json", &spec.to_string()), "--policy", "idle", "--json"]);
    assert_eq!(json(&o)["outcome"], "task_failure");
}

#[test]
fn bddl_files_are_run_and_broken_ones_placed() {
    let file = folder("bddl").join("Turn On.bddl");
    let name = file.to_str().unwrap();
    let id = "libero-90/kitchen-scene3-turn-on-the-stove";
    let text = String::from_utf8(longarm(&["show", id, "--bddl"]).stdout).unwrap();
    std::fs::write(&file, &text).unwrap();
    let ran = json(&longarm(&["run", name, "--policy", "idle", "--json"]));
    assert_eq!((&ran["task"], &ran["outcome"]), (&"bddl/turn-on".into(), &"task_failure".into()));
    // What LIBERO ignores is named, and the rest is run.
    let idle = text.replace("(:obj_of_interest", "(:obj_of_interest teapot_1");
    std::fs::write(&file, idle.replace("(:regions", "(:regions (lid (:target teapot_1))")).unwrap();
    let o = longarm(&["run", name, "--policy", "idle", "--json"]);
    let said = String::from_utf8_lossy(&o.stderr);
    assert_eq!(json(&o)["outcome"], "task_failure");
    for word in
        ["warning: ", "Turn On.bddl:4:13: region \"lid\"", "\"teapot_1\" of :obj_of_interest"]
    {
        assert!(said.contains(word), "{said}");
    }
    std::fs::write(&file, text.replace("- moka_pot", "- teapot")).unwrap();
    refused(&["run", name], &["Turn On.bddl:", "category \"teapot\" is not known", "moka_pot"]);
    refused(&["show", "longbench/stack-block", "--bddl"], &["not written in BDDL"]);
}

#[test]
fn boss_lists_its_modifications() {
    let all = json(&longarm(&["boss", "modifications", "--json"]));
    let all = all.as_array().unwrap();
    assert_eq!(all.len(), 1727);
    for m in all {
        assert!(m["task"].is_string() && m["rule"].is_string() && m["edits"].is_array());
        let idle = m["changes_nothing"] == true;
        assert_eq!(m["edits"].as_array().unwrap().is_empty(), idle, "{m}");
    }
    refused(&["boss", "modifications", "boss/kitchen-scene3-turn-on-the-stov"], &["did you mean"]);
}
