//! Every rung is complete, labelled as in the registry, and can be drawn.

use longarm_suites::maniladder::SUITE;
use longarm_task::sample;
use longarm_types::Seed;

const HEADINGS: [&str; 5] =
    ["Scene:", "Randomization:", "Stages:", "Success:", "Source and deviations:"];

#[test]
fn every_file_has_its_headings_and_is_in_the_table() {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/src/maniladder");
    let mut files = 0;
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().replace('_', "-");
        if ["mod", "knobs"].contains(&name.as_str()) {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(&path).unwrap();
        let ids = [format!("maniladder/{name}"), format!("maniladder/dual-arm-{name}")];
        assert!(ids.iter().any(|id| SUITE.ids().contains(&id.as_str())), "{name} is in no table");
        for h in HEADINGS {
            assert!(text.contains(&format!("//! {h}")), "{name} has no heading {h}");
        }
    }
    assert_eq!(files, SUITE.ids().len());
}

/// `DualArmPressButton-v1` becomes `dual-arm-press-button`.
fn kebab(registered: &str) -> String {
    let name = registered.trim_end_matches("-v1").trim_end_matches("Env");
    let mut out = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[test]
fn ids_and_labels_are_those_of_the_registry() {
    let protocol = (SUITE.protocol)();
    assert_eq!(protocol.episodes, 20);
    for id in SUITE.ids() {
        let spec = SUITE.task(id).unwrap();
        assert_eq!(spec.id.as_str(), id);
        assert_eq!(spec.problems(), [], "{id}");
        // A version for grippers of a task for hands says so, one for a single arm drops the two.
        let own = format!("maniladder/{}", kebab(&spec.source.title));
        let single = own.replace("dual-arm-", "");
        let versions = [format!("{own}-gripper"), format!("{single}-gripper"), single];
        assert!(own == id || versions.iter().any(|o| o == id), "{id}: {own}");
        let groups: Vec<&str> = spec
            .labels
            .iter()
            .map(|l| protocol.label(l).unwrap_or_else(|| panic!("{id}: {l}")).1.name.as_str())
            .collect();
        assert_eq!(groups, ["level", "domain", "embodiment"], "{id}");
        let limbs = spec.rig().limbs().len();
        assert_eq!(limbs == 2, spec.labels[2].starts_with("dual-arm"), "{id}");
        assert!(!spec.source.deviations.is_empty(), "{id} says what is ours");
    }
}

#[test]
fn cameras_are_those_of_the_paper() {
    for id in SUITE.ids() {
        let rig = SUITE.task(id).unwrap().rig();
        let names: Vec<&str> = rig.cameras.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names[..3], ["front", "left", "top"], "{id}");
        assert_eq!(names.len(), 3 + rig.limbs().len(), "{id}: one on every wrist");
        assert!(rig.cameras.iter().all(|c| [c.width, c.height] == [224; 2]), "{id}");
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
