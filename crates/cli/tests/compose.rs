//! Tasks from sentences, with recorded answers: what is refused names its step, what is not becomes a task.

mod common;

use std::path::{Path, PathBuf};

use common::{folder, longarm, refused, said, works};

fn given(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compose").join(name)
}

/// Arguments that replay the cassette, which was recorded from answers written by hand, and record nothing.
fn replaying(dir: &Path) -> Vec<String> {
    let cassette = given("cassette.jsonl").display().to_string();
    std::fs::copy(given("scene.toml"), dir.join("scene.toml")).unwrap();
    let out = dir.display().to_string();
    [
        "--out",
        &out,
        "--model",
        "by-hand",
        "--replay",
        "--cassette",
        &cassette,
        "--trials",
        "1",
        "--demos",
        "0",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn compose<'a>(first: &[&'a str], more: &'a [String]) -> Vec<&'a str> {
    let mut all = vec!["compose"];
    all.extend(first);
    all.extend(more.iter().map(String::as_str));
    all
}

#[test]
fn refused_answers_name_their_step() {
    let dir = folder("compose-refused");
    let more = replaying(&dir);
    let batch = dir.join("descriptions.txt");
    std::fs::write(
        &batch,
        "libero-goal/put-the-bowl-on-the-plate | put the teapot on the stove\nscene.toml | put the mug on the far shelf\n",
    )
    .unwrap();
    let batch = batch.display().to_string();
    for again in [false, true] {
        let o = longarm(&compose(&["--batch", &batch], &more));
        assert_eq!(o.status.code(), Some(1), "{}", said(&o));
        let text = said(&o);
        if !again {
            for fault in [
                "sent back: step 1: Move: there is no object \"teapot\"",
                "sent back: step 1: Move: there is no object \"tea_pot_1\"",
                "sent back: the model did not answer with JSON",
                "sent back: step 2: Place: far shelf at (1.60, 0.30, 0.00) is out of the arm's reach",
            ] {
                assert!(text.contains(fault), "{fault}\n{text}");
            }
        }
        assert_eq!(text.contains("is there already"), again, "{text}");
        assert!(text.contains("refused: \"put the teapot on the stove\""), "{text}");
        assert!(text.contains("after 3 repairs"), "{text}");
    }
    let tasks = std::fs::read_dir(&dir).unwrap().filter_map(Result::ok);
    let toml = tasks.filter(|e| e.path().extension().is_some_and(|x| x == "toml")).count();
    assert_eq!(toml, 1, "only the scene");
}

#[test]
fn a_sentence_becomes_a_task() {
    let dir = folder("compose-task");
    let more = replaying(&dir);
    let text = "put the bowl on the stove, and the cream cheese where the bowl was";
    let scene = ["--scene", "libero-goal/put-the-bowl-on-the-plate"];
    let o = longarm(&compose(&[&[text][..], &scene[..]].concat(), &more));
    assert!(o.status.success(), "{}", said(&o));
    let file = dir.join("put-bowl-on-stove-cream-cheese-where-bowl.toml");
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(written.contains("put cream_cheese_1 where akita_black_bowl_1 was"), "{written}");
    assert!(written.contains("memory ratio"), "{written}");
    let shown = works(&["show", &file.display().to_string()]);
    assert!(shown.contains("put the bowl on the stove, and the cream cheese"), "{shown}");
}

#[test]
fn what_cannot_be_asked_is_said() {
    let dir = folder("compose-unasked");
    let more = replaying(&dir);
    let scene = ["--scene", "libero-goal/put-the-bowl-on-the-plate"];
    let args = [&["something else"][..], &scene[..]].concat();
    refused(&compose(&args, &more), &["the cassette has no answer"]);
    let wrong = ["put it away", "--scene", "libero-goal/no-such-task"];
    refused(&compose(&wrong, &more), &["no-such-task"]);
}
