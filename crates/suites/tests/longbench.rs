//! Every task is complete, within reach, and as its snapshot says.

use longarm_assets::RigName;
use longarm_suites::longbench::SUITE;
use longarm_task::sample;
use longarm_types::Seed;

const HEADINGS: [&str; 5] =
    ["Scene:", "Randomization:", "Stages:", "Success:", "Source and deviations:"];

fn files() -> Vec<(String, String)> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/longbench");
    let mut out = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !["mod", "published"].contains(&name.as_str()) {
            out.push((name, std::fs::read_to_string(path).unwrap()));
        }
    }
    out.sort();
    out
}

#[test]
fn every_file_has_its_headings_and_is_in_the_table() {
    let files = files();
    assert_eq!(files.len(), SUITE.ids().len());
    for (name, text) in files {
        let id = format!("longbench/{}", name.replace('_', "-"));
        assert!(SUITE.ids().contains(&&*id), "{id} is not in the table");
        for h in HEADINGS {
            assert!(text.contains(&format!("//! {h}")), "{name}.rs has no heading {h}");
        }
    }
}

#[test]
fn names_phases_and_specs_agree() {
    for id in SUITE.ids() {
        let spec = SUITE.task(id).unwrap();
        assert_eq!(spec.id.as_str(), id);
        assert_eq!(spec.problems(), [], "{id}");
        assert_eq!(Some(spec.stage_names().len() as u32), spec.source.phases, "{id}");
        assert_eq!(spec.quiet, Some(2.0), "{id}");
        assert!(spec.source.mean_length.is_some_and(|m| (481..=960).contains(&m)), "{id}");
    }
}

/// Fixtures, and what a belt brings along, may stand beyond what the hand reaches.
#[test]
fn regions_lie_within_the_workspace() {
    let w = RigName::ARX_R5.rig().workspace;
    for id in SUITE.ids() {
        let spec = SUITE.task(id).unwrap();
        let fixed = |r: &str| {
            spec.init.places.iter().any(|p| {
                let names = serde_json::to_string(&p.place).unwrap();
                let object = spec.object(&p.object).unwrap();
                names.contains(&format!("{r:?}")) && object.assets.iter().all(|a| a.info().fixed)
            })
        };
        for r in &spec.regions {
            if fixed(&r.name) || r.name == "reach" {
                continue;
            }
            for q in &r.rects {
                for (x, y) in [(q.0, q.1), (q.2, q.3)] {
                    let inside = (x - w.centre[0]).abs() <= w.half[0] + 1e-9
                        && (y - w.centre[1]).abs() <= w.half[1] + 1e-9;
                    assert!(inside, "{id}: region {:?} reaches ({x}, {y})", r.name);
                }
            }
        }
    }
}

#[test]
fn two_hundred_seeds_can_be_drawn() {
    for id in SUITE.ids() {
        let spec = SUITE.task(id).unwrap();
        for seed in 0..200 {
            sample(&spec, Seed(seed)).unwrap_or_else(|e| panic!("{id}: {e}"));
        }
    }
}

#[test]
fn specs_are_as_recorded() {
    for id in SUITE.ids() {
        let spec = SUITE.task(id).unwrap();
        insta::assert_snapshot!(id.replace('/', "__"), spec.to_json());
    }
}
