//! The operator console as judges use it: real processes, a real browser, the simulator behind a bridge.
#![cfg(feature = "server")]
#![allow(missing_docs, reason = "a test")]

#[path = "../common/mod.rs"]
mod common;
mod judge;
mod lab;

use std::path::Path;
use std::time::Instant;

use common::{folder, longarm, said, works};
use judge::Judge;
use lab::Lab;
use serde_json::{Value, json};

/// Traces of the expert, which solve the task on these seeds.
fn traces(name: &str, task: &str, episodes: &str) -> std::path::PathBuf {
    let dir = folder(name).join("expert");
    let out = dir.display().to_string();
    works(&[
        "eval",
        task,
        "--policy",
        "expert",
        "--episodes",
        episodes,
        "--seed",
        "0",
        "--out",
        &out,
    ]);
    dir
}

fn begin_run(judge: &Judge, lab: &Lab, task: &str, episodes: u32) -> String {
    judge.open(lab, "/console");
    let choose = "const o = [...document.querySelectorAll('#tasks option')].find(o => o.value === arguments[0]); o.selected = true; document.querySelector('[name=episodes]').value = arguments[1]";
    judge.browser.script(choose, &[json!(task), json!(episodes)]);
    judge.browser.find("form.stack button").click();
    judge.browser.until("the run is there", || judge.browser.url().contains("/console/runs/"));
    judge.browser.url().rsplit('/').next().unwrap().to_owned()
}

fn rows(run: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(run.join("episodes.jsonl")).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

const TASK: &str = "longbench/repeat-placement";

#[test]
fn a_long_task_is_judged_by_two_through_every_mishap() {
    let traces = traces("console-long", TASK, "2");
    let policy = format!("replay:{}", traces.display());
    let mut lab = Lab::open("console-long-lab", TASK, &policy);
    let (ada, ben) = lab.judges();
    let Some(a) = Judge::come(&lab, "ada", &ada) else { return };
    let b = Judge::come(&lab, "ben", &ben).unwrap();
    let run = begin_run(&a, &lab, TASK, 2);
    a.picture(&lab, "1-run");
    let first = format!("/console/runs/{run}/0");
    a.open(&lab, &first);
    a.press("control");
    a.picture(&lab, "2-set-up");
    a.press("begin");
    a.becomes("ready");
    // The other judge, who cannot drive.
    b.open(&lab, &first);
    b.press("join");
    b.browser.shows("Ben (you)");
    assert!(b.browser.find("#go").attribute("hidden").is_some(), "only one is in control");
    b.press("control");
    b.browser.shows("Ada is in control");
    a.press("go");
    a.becomes("running");
    a.reaches(20);
    a.tick("phase", 0);
    a.picture(&lab, "3-running");
    // The tablet is closed in the middle: the arm halts, and what was ticked is there when it comes back.
    a.browser.go("about:blank");
    b.becomes("halted");
    lab.heard("halted by stop", "the page in control was not heard");
    a.open(&lab, &first);
    assert_eq!(
        a.browser.find("[data-phase='0']").attribute("aria-pressed").as_deref(),
        Some("true")
    );
    a.press("control");
    a.press("go");
    a.becomes("running");
    // The connection is lost: the page says so, the arm halts without it.
    a.reaches(60);
    a.browser.offline(true);
    lab.cut(&a.browser);
    a.browser.shows("The connection is lost");
    a.picture(&lab, "4-lost");
    a.browser.find("#stop").click();
    b.becomes("halted");
    a.browser.offline(false);
    a.press("control");
    a.press("go");
    a.becomes("running");
    // Stop, measured from the press to the answer of the bridge.
    a.reaches(90);
    a.browser.find("#stop").click();
    a.becomes("halted");
    let data = |name: &str| a.browser.find("#console").attribute(name);
    a.browser.until("the time is known", || data("data-stop-ms").is_some());
    println!(
        "stop on loopback: bridge answered the server after {} ms, the page knew after {} ms",
        data("data-bridge-ms").unwrap_or_default(),
        data("data-stop-ms").unwrap_or_default()
    );
    a.press("go");
    // To the end of what was recorded; the simulator agrees that it was solved.
    a.browser.until("the policy has ended", || a.stage() == "judging");
    let n = a.phases();
    (1..n).for_each(|i| a.tick("phase", i));
    (0..n - 1).for_each(|i| b.tick("phase", i));
    a.browser.shows("disagree");
    a.picture(&lab, "5-disagree");
    let film = lab.dir.join("film.mp4");
    std::fs::write(&film, b"\0\0\0\x18ftypisom and the rest of a film").unwrap();
    a.browser.find("input[type=file]").type_text(film.to_str().unwrap());
    a.reach("form.video button").click();
    a.browser.shows("attached: videos/");
    a.press("control");
    a.press("close");
    a.becomes("closed");
    lab.heard("the simulator says success", "");
    a.clean();
    b.clean();

    // The second: an attempt that is reset, then something forbidden, and a server that is killed.
    let second = format!("/console/runs/{run}/1");
    a.open(&lab, &second);
    a.press("control");
    a.press("begin");
    a.press("go");
    a.reaches(10);
    assert!(!a.compares(), "what moves is seen clearly");
    a.press("reset");
    a.answer("a block fell while it was set up");
    a.becomes("set-up");
    a.browser.until("the first frame lies over the view again", || a.compares());
    a.press("begin");
    a.press("go");
    a.reaches(30);
    a.tick("phase", 0);
    lab.kill();
    lab.heard("halted by watchdog", "");
    lab.again();
    a.open(&lab, &second);
    a.becomes("judging");
    assert_eq!(
        a.browser.find("[data-phase='0']").attribute("aria-pressed").as_deref(),
        Some("true")
    );
    a.tick("event", 0);
    a.press("control");
    a.picture(&lab, "6-forbidden");
    a.press("close");
    a.becomes("closed");
    a.browser.dark(true);
    a.browser.size(768, 1024);
    a.picture(&lab, "7-closed-dark-portrait");
    a.open(&lab, &format!("/console/tasks/{TASK}"));
    a.picture(&lab, "8-task");
    a.clean();

    let run = lab.run(&run);
    let rows = rows(&run);
    assert_eq!(rows.len(), 2);
    let judged = &rows[0]["judged"];
    assert_eq!(rows[0]["evidence"], "real");
    assert_eq!(judged["judges"].as_array().unwrap().len(), 2);
    assert_eq!(judged["disagreed"].as_array().unwrap().len(), 1, "{judged}");
    assert!(judged["agreement"].as_f64().unwrap() < 1.0);
    assert!(judged["halts"].as_array().unwrap().len() >= 3, "{judged}");
    assert_eq!(rows[0]["score"], 100.0 * (n - 1) as f64 / n as f64);
    assert!(run.join(rows[0]["video"].as_str().unwrap()).is_file());
    assert_eq!(rows[1]["outcome"], "task_failure");
    assert_eq!(rows[1]["judged"]["resets"][0]["reason"], "a block fell while it was set up");
    assert!(rows[1]["reason"].as_str().unwrap().starts_with("forbidden: "), "{}", rows[1]);
    beside_a_simulated_one(&lab, &run, &traces);
}

/// The run reads as any other, beside a simulated one, and says that it is real.
fn beside_a_simulated_one(lab: &Lab, run: &Path, simulated: &Path) {
    let page = lab.dir.join("both.html").display().to_string();
    let dirs = [run.display().to_string(), simulated.display().to_string()];
    let text = works(&["report", &dirs[0], &dirs[1], "--out", &page]);
    assert!(text.contains("Real: judged by people"), "{text}");
    let html = std::fs::read_to_string(&page).unwrap();
    assert!(html.contains("judged by people on a real arm") && html.contains(">real<"), "marked");
    let both = works(&["report", &dirs[0], &dirs[1], "--out", &page, "--json"]);
    let both: Value = serde_json::from_str(&both).unwrap();
    assert_eq!(both["runs"][0]["results"]["evidence"], "real");
    assert!(both["runs"][1]["results"]["evidence"].is_null());
    assert_eq!(both["comparison"]["pairs"][0]["counts"]["both"], 0, "{}", both["comparison"]);
    let verified = longarm(&["verify", &dirs[0]]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(said(&verified).contains("real arm"), "{}", said(&verified));
}

#[test]
fn a_task_of_memory_is_judged_from_the_manual_to_the_report() {
    const TASK: &str = "robomemarena-real/pour-bottle-twice";
    let traces = traces("console-memory", TASK, "1");
    let policy = format!("replay:{}", traces.display());
    let lab = Lab::open("console-memory-lab", TASK, &policy);
    let (ada, _) = lab.judges();
    let Some(a) = Judge::come(&lab, "ada", &ada) else { return };
    // From the paper to the page: the code of the manual.
    let paper = lab.dir.join("manual").display().to_string();
    works(&["manual", TASK, "--out", &paper, "--initializations", "1", "--console", &lab.url("")]);
    let printed = std::fs::read_to_string(lab.dir.join("manual/pour-bottle-twice.html")).unwrap();
    let (_, link) = printed.split_once("class=\"lead-in\" href=\"").unwrap();
    a.browser.go(link.split('"').next().unwrap());
    a.browser.shows("Checklist for the judge");
    a.picture(&lab, "1-task");
    let run = begin_run(&a, &lab, TASK, 1);
    a.open(&lab, &format!("/console/runs/{run}/0"));
    a.press("control");
    a.picture(&lab, "2-set-up");
    a.press("begin");
    a.press("go");
    a.becomes("running");
    a.reaches(40);
    a.tick("phase", 0);
    a.picture(&lab, "3-running");
    a.browser.until("the policy has ended", || a.stage() == "judging");
    (1..a.phases()).for_each(|i| a.tick("phase", i));
    a.press("close");
    a.becomes("closed");
    a.picture(&lab, "4-closed");
    a.clean();
    lab.heard("the simulator says success", "");
    let run = lab.run(&run);
    let rows = rows(&run);
    assert_eq!(
        (rows[0]["outcome"].as_str(), rows[0]["score"].as_f64()),
        (Some("success"), Some(100.0))
    );
    assert!(rows[0]["judged"]["agreement"].is_null());
    // What the policy did is what was recorded, number by number.
    let simulated = self::rows(&traces);
    assert_eq!(rows[0]["action_hash"], simulated[0]["action_hash"]);
    beside_a_simulated_one(&lab, &run, &traces);
}

#[test]
fn strangers_are_kept_out_and_limits_kept() {
    const TASK: &str = "longbench/stack-block";
    let mut lab = Lab::with("console-doors", TASK, "idle", &["--max-upload", "1"]);
    let (ada, ben) = lab.judges();
    let none = lab.account("Eve", "submitter");
    // Pages of judges are for judges.
    assert_eq!(lab.get("/console", &none).status, 403);
    assert_eq!(lab.get("/console", &ada).status, 200);
    let run = lab.new_run(&ada, TASK, 1);
    let socket = format!("/console/runs/{run}/0/socket");
    for (origin, status) in [("", 403), ("http://elsewhere.example", 403), ("own", 101)] {
        assert_eq!(lab.shake(&socket, &ada, origin), status, "{origin:?}");
    }
    assert_eq!(lab.shake(&socket, &none, "own"), 403);
    // One in control at a time.
    let (mut a, mut b) = (lab.socket(&socket, &ada), lab.socket(&socket, &ben));
    assert_eq!(a.order(json!({ "do": "control" })), None);
    a.until("in control", |s| s["control"]["mine"] == true);
    let why = b.order(json!({ "do": "control" })).expect("refused");
    assert!(why.contains("Ada is in control"), "{why}");
    assert!(b.order(json!({ "do": "begin" })).unwrap().contains("in control"));
    assert_eq!(a.order(json!({ "do": "begin" })), None);
    assert_eq!(a.order(json!({ "do": "go" })), None);
    a.until("running", |s| s["arm"]["running"] == true);
    // Whoever sees danger stops it, in control or not.
    let pressed = Instant::now();
    assert_eq!(b.order(json!({ "do": "stop" })), None);
    b.until("halted", |s| s["episode"]["stage"] == "halted");
    println!("stop by a watcher: all over after {:.1} ms", pressed.elapsed().as_secs_f64() * 1e3);
    lab.heard("halted by stop", "stop was pressed");
    // Orders that mean nothing.
    for order in
        [json!({ "do": "fly" }), json!({ "do": "tick", "phase": 99, "on": true }), json!([])]
    {
        assert!(a.order(order.clone()).is_some(), "{order}");
    }
    // Videos: their kind, and the limit of submissions.
    let video = format!("/console/runs/{run}/0/video");
    assert_eq!(lab.upload(&video, &ada, b"<script>no film at all</script>"), 415);
    let mut long = b"\0\0\0\x18ftypisom".to_vec();
    long.resize(2 << 20, 0);
    assert_eq!(lab.upload(&video, &ada, &long), 413);
    assert_eq!(lab.upload(&video, &ada, &long[..1000]), 303);
    let kept: Vec<_> = std::fs::read_dir(lab.run(&run).join("videos")).unwrap().flatten().collect();
    assert_eq!(kept.len(), 1, "no half of a file stays: {kept:?}");
    // The page in control falls silent, its connection open: the arm halts all the same.
    assert_eq!(a.order(json!({ "do": "control" })), None);
    assert_eq!(a.order(json!({ "do": "go" })), None);
    b.until("halted again", |s| s["episode"]["stage"] == "halted");
    lab.heard("halted by stop", "the page in control was not heard");
    lab.kill();
}
