//! `cargo xtask fuzz toml|json|mjcf [SECONDS]`: spoiled files against the readers until the time is
//! over. A file that makes one panic, or read outside of its folder, is left as `fuzz-panic.*`.

#[path = "../../suites/examples/support/fuzz.rs"]
mod fuzz;
#[path = "../../suites/examples/support/spoil.rs"]
mod spoil;

use std::collections::BTreeMap;
use std::path::Path;

use longarm_assets::outside::{self, Folder};
use longarm_catalogue::Catalogue;
use longarm_catalogue::starter::STARTERS;
use longarm_task::form::{self, Format, NoFiles};
use longarm_task::sample;
use longarm_types::{Rng, Seed};

/// Words a spoiled file may have anywhere.
const WORDS: [&str; 40] = [
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "=",
    ",",
    "\n",
    "[[plan]]",
    "1e999",
    "nan",
    "-0",
    "9223372036854775807",
    "é",
    "\u{0}",
    "on(block, plate)",
    "not(",
    "pick block",
    "put block on",
    "{ repeat = 3, steps = [] }",
    "when = \"n >= 2\"",
    "<",
    "/>",
    "</body>",
    "<body>",
    "<geom type=\"mesh\" mesh=\"m\"/>",
    "<include file=\"o.xml\"/>",
    "size=\"0 0 0\"",
    "<default class=\"a\">",
    "class=\"a\"",
    "<joint range=\"0 90\"/>",
    "name=\"a\"",
    "../secret.obj",
    "link.obj",
    "euler=\"1 2 3\"",
    "fromto=\"0 0 0 1 1 1\"",
    "kind = \"custom\"",
    "objects",
    "null",
];

fn starters(kind: &str) -> Vec<String> {
    STARTERS.iter().filter(|s| s.kind == kind).map(|s| s.text.replace("NAME", "o")).collect()
}

const MODEL: &str = r#"<mujoco model="o"><compiler angle="radian" meshdir="."/>
<default><geom friction="0.9"/><default class="a"><geom rgba="1 0 0 1"/></default></default>
<asset><mesh name="m" file="m.obj" scale="0.1 0.1 0.1"/><material name="p" rgba="0 1 0 1"/></asset>
<worldbody><body name="o" pos="0 0 0.1" euler="0 0 1"><freejoint/>
<geom class="a" type="box" size="0.02 0.03 0.04"/><geom type="mesh" mesh="m" material="p" mass="0.1"/>
<geom type="capsule" fromto="0 0 0 0 0 0.1" size="0.01"/>
<body name="door" pos="0.02 0 0"><joint type="hinge" axis="0 0 1" range="0 1.5"/>
<geom type="cylinder" size="0.01 0.02"/></body></body></worldbody></mujoco>"#;
const MESH: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const OBJECT: &str = "noun = \"o\"\nmodel = \"o.xml\"\nmass = 0.1\nsymmetry = 2\n\
    [regions.top]\nkind = \"surface\"\nat = [0, 0, 0.1]\nsize = [0.05, 0.05]\n\
    [[grasps]]\nat = [0, 0, 0.05]\n[parts.door]\nopen = [1.0, 1.5]\n";

/// Reads it as a task. True if it is one.
fn task(bytes: &[u8], format: Format) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    match form::read(text, format, "local/fuzz", &NoFiles) {
        Err(e) => {
            assert!(e.line >= 1 && e.column >= 1 && !e.message.is_empty(), "no place: {e:?}");
            false
        }
        Ok(read) => {
            assert_eq!(read.task.problems(), []);
            let again = form::read(&read.task.to_json(), Format::Json, "local/fuzz", &NoFiles);
            assert_eq!(
                again.map(|r| r.task.hash()).ok(),
                Some(read.task.hash()),
                "does not read back"
            );
            let _ = sample(&read.task, Seed(0));
            true
        }
    }
}

/// Reads it as an object, from memory and, now and then, from a folder beside a secret.
fn object(bytes: &[u8], rng: &mut Rng, dir: &Path) -> bool {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (name, text) in [("o.toml", OBJECT), ("o.xml", MODEL), ("m.obj", MESH)] {
        files.insert(name.into(), text.into());
    }
    let which = ["o.toml", "o.xml", "m.obj"][rng.below(3)];
    files.insert(which.into(), bytes.to_vec());
    let asset = outside::from_files("o.toml", files.clone());
    if rng.below(40) == 0 {
        for (name, bytes) in &files {
            let _ = std::fs::write(dir.join("inside").join(name), bytes);
        }
        let folder = Folder::new(&dir.join("inside"), &[]).expect("a folder");
        if let Ok(a) = outside::load(folder, "o.toml") {
            let read = a.custom().expect("an object of its own");
            let secret = longarm_types::Digest::of(SECRET.as_bytes());
            assert!(read.files().all(|(_, h)| h != secret), "read outside of the folder");
        }
    }
    let Ok(asset) = asset else { return false };
    let json = serde_json::to_string(&asset).expect("writes");
    let again: longarm_assets::Asset = serde_json::from_str(&json).expect("reads back");
    assert_eq!(again, asset);
    let mut out = longarm_assets::Mjcf::default();
    asset.build("o", &mut out);
    let (xml, _) = out.finish("");
    assert!(!xml.contains("NaN") && !xml.contains("inf"), "numbers that are none");
    true
}

const SECRET: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n# secret";

fn main() {
    let asked = fuzz::asked(1, "fuzz_files toml|json|mjcf");
    let kind = std::env::args().nth(1).unwrap_or_else(|| "toml".into());
    let toml: Vec<String> = ["task", "scene", "rig"].iter().flat_map(|k| starters(k)).collect();
    let corpus: Vec<Vec<u8>> = match kind.as_str() {
        "toml" => toml.into_iter().map(String::into_bytes).collect(),
        "json" => {
            let as_json = |t: &String| {
                let v: toml::Value = toml::from_str(t).expect("starters are TOML");
                serde_json::to_string_pretty(&v).expect("as JSON")
            };
            let specs = Catalogue::default().tasks().step_by(40).map(|t| t.to_json());
            toml.iter().map(as_json).chain(specs).map(String::into_bytes).collect()
        }
        "mjcf" => [MODEL, MESH, OBJECT].iter().map(|t| t.as_bytes().to_vec()).collect(),
        other => {
            eprintln!("no reader {other:?}; there are toml, json and mjcf");
            std::process::exit(2);
        }
    };
    let dir = std::env::temp_dir().join(format!("longarm-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(dir.join("inside")).expect("a folder");
    std::fs::write(dir.join("secret.obj"), SECRET).expect("a secret");
    #[cfg(unix)]
    let _ = std::os::unix::fs::symlink(dir.join("secret.obj"), dir.join("inside/link.obj"));
    let make = |rng: &mut Rng| spoil::spoil(&corpus, &WORDS, None, rng);
    let good = "good and none that reads outside of its folder";
    fuzz::fuzz(&kind, good, asked, make, |bytes, rng| match kind.as_str() {
        "toml" => task(bytes, Format::Toml),
        "json" => task(bytes, Format::Json),
        _ => object(bytes, rng, &dir),
    });
    let _ = std::fs::remove_dir_all(&dir);
}
