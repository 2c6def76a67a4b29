//! Modified scenes, demonstrations played in them, a policy that matches pictures, tasks from files.

mod common;

use common::{folder, refused, works};

const SKILL: &str = "boss/kitchen-scene4-close-the-bottom-drawer-of-the-cabinet";

#[test]
fn demonstrations_are_matched_and_played_elsewhere() {
    let dir = folder("boss-demos");
    let place = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let (native, more) = (place("native"), place("more"));
    works(&["demos", SKILL, "--episodes", "2", "--format", "native", "--out", &native]);

    let nearest = format!("nearest:{native}");
    let run = works(&["run", SKILL, "--policy", &nearest, "--seed", "20000", "--json"]);
    assert!(run.contains(r#""outcome":"success""#), "{run}");
    let again = works(&["run", SKILL, "--policy", &nearest, "--seed", "20000", "--json"]);
    assert_eq!(run, again);
    let other = "boss/kitchen-scene3-turn-on-the-stove";
    refused(&["run", other, "--policy", &nearest], &["turn on the stove", &native]);
    refused(&["run", SKILL, "--policy", &format!("{nearest}?chunk=0")], &["chunk"]);
    let empty = format!("nearest:{}", place("nothing"));
    refused(&["run", SKILL, "--policy", &empty], &["demonstrations", "demos.toml"]);

    let words = ["boss", "augment", &native, "-k", "1", "--scenes", "1", "--format", "native"];
    let said = works(&[&words[..], &["--out", &more]].concat());
    assert!(said.contains("boss/mod1-0-kitchen-scene4-close"), "{said}");
    assert!(said.contains("of 2 attempts"), "{said}");
    works(&["demos", "--check", &more]);
    // What was kept can be rendered like any other recording.
    works(&["render", &more, "--format", "npy", "--size", "16", "--out", &place("pictures")]);
    refused(&["boss", "augment", &place("nothing"), "--out", &place("x")], &["demos.toml"]);
}

#[test]
fn tasks_from_files_and_strict_judgement_are_written_down() {
    let dir = folder("boss-files");
    let place = |name: &str| dir.join(name).to_str().unwrap().to_owned();
    let (file, run, strict) = (place("My task.bddl"), place("run"), place("strict"));
    let known = "libero-90/kitchen-scene7-put-the-white-bowl-to-the-right-of-the-plate";
    std::fs::write(&file, works(&["show", known, "--bddl"])).unwrap();

    let words =
        |out: &'static str| ["--policy", "idle", "--episodes", "1", "--max-steps", "3", out];
    let eval = [&["eval", &file][..], &words("--out"), &[&run]].concat();
    works(&eval);
    std::fs::remove_file(&file).unwrap();
    let said = works(&["verify", &run]);
    assert!(said.contains("1 episode matches"), "{said}");
    let config = std::fs::read_to_string(format!("{run}/run.toml")).unwrap();
    assert!(config.contains("My task.bddl") && config.contains("define (problem"), "{config}");
    // The same file completes the run, another one does not.
    let text = works(&["show", known, "--bddl"]);
    std::fs::write(&file, format!("{text}\n; changed\n")).unwrap();
    let resume = [&eval[..], &["--resume"]].concat();
    refused(&resume, &["bddl/my-task", "another text"]);
    std::fs::write(&file, text).unwrap();
    works(&resume);
    // Another file of that name would be another task with the same id.
    let other = place("other");
    std::fs::create_dir_all(&other).unwrap();
    let other = format!("{other}/My task.bddl");
    let unlike = "libero-90/kitchen-scene1-put-the-black-bowl-on-the-plate";
    std::fs::write(&other, works(&["show", unlike, "--bddl"])).unwrap();
    refused(
        &["eval", &file, &other, "--policy", "idle", "--out", "x"],
        &["bddl/my-task", "rename"],
    );

    works(&[&["eval", known, "--strict-libero"][..], &words("--out"), &[&strict]].concat());
    works(&["verify", &strict]);
    let config = std::fs::read_to_string(format!("{strict}/run.toml")).unwrap();
    assert!(config.contains("strict-libero = true"), "{config}");
    let results = std::fs::read_to_string(format!("{strict}/results.json")).unwrap();
    assert!(results.contains(r#""strict-libero""#), "{results}");
    let hash = |args: &[&str]| {
        let shown: serde_json::Value = serde_json::from_str(&works(args)).unwrap();
        shown["hash"].clone()
    };
    let plain = hash(&["show", known, "--json"]);
    let strict = hash(&["show", known, "--json", "-o", "strict-libero=true"]);
    assert_ne!(plain, strict);
    assert_eq!(strict, hash(&["show", known, "--json", "--strict-libero"]), "the old spelling");
    assert_eq!(strict, "5ab9037eca24bfa62dd526aa4f36a092", "as it always was");
    assert_eq!(plain, hash(&["show", known, "--json", "-o", "strict-libero=false"]));
    refused(&["show", known, "-o", "strict-libero"], &["name=value"]);
    refused(&["run", known, "-o", "strict-libero=maybe"], &["false or true", "maybe"]);
    refused(&["run", "longbench/stack-block", "-o", "strict-libero=true"], &["no options"]);
    assert!(works(&["list", "boss", "--options"]).contains("-o strict-libero=false|true"));
    assert!(works(&["list", "longbench", "--options"]).contains("no options"));
    // Nothing to judge otherwise: the same task.
    let drawer = "libero-90/kitchen-scene1-open-the-top-drawer-of-the-cabinet";
    let plain = hash(&["show", drawer, "--json"]);
    assert_eq!(plain, hash(&["show", drawer, "--json", "--strict-libero"]));
}
