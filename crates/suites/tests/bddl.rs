//! BDDL files: what they mean, what is said of broken ones, and that none panics.

#[path = "../examples/support/mutate.rs"]
mod mutate;

use longarm_suites::{boss, libero};
use longarm_task::bddl::{BddlError, Options, compile, load, parse, write};
use longarm_task::{TaskSpec, sample};
use longarm_types::Seed;

const STOVE: &str = "\
; a comment (
(define (problem LIBERO_Kitchen_Tabletop_Manipulation)
  (:domain robosuite)
  (:language Turn on the stove)
  (:regions
    (stove_region (:target kitchen_table) (:ranges ((-0.21 0.19 -0.19 0.21)))
      (:yaw_rotation ((-pi/8 np.pi/8))) (:rgba (0 0 1 0.5)))
    (pot_region (:target kitchen_table) (:ranges ((0.0 -0.05 0.05 0.0) (0.1 -0.2 0.15 -0.1))))
    (cook_region (:target flat_stove_1))
  )
  (:fixtures kitchen_table - kitchen_table flat_stove_1 - flat_stove)
  (:objects moka_pot_1 moka_pot_2 - moka_pot)
  (:obj_of_interest flat_stove_1)
  (:init (On flat_stove_1 kitchen_table_stove_region)
    (On moka_pot_1 kitchen_table_pot_region) (On moka_pot_2 kitchen_table_pot_region))
  (:goal (And (TurnOn flat_stove_1)
    (Or (On moka_pot_1 flat_stove_1_cook_region) (On moka_pot_2 flat_stove_1_cook_region))))
)";

fn task(text: &str) -> Result<TaskSpec, BddlError> {
    compile(&parse(text)?, &Options::new("bddl/test"))
}

#[test]
fn a_file_becomes_a_task() {
    let spec = task(STOVE).unwrap();
    assert_eq!(spec.instruction, "Turn on the stove");
    assert_eq!(
        spec.stage_names(),
        [
            "turnon flat_stove_1",
            "on moka_pot_1 flat_stove_1_cook_region or on moka_pot_2 flat_stove_1_cook_region"
        ]
    );
    let sentences: Vec<String> = spec.ops().iter().map(|o| o.sentence()).collect();
    assert_eq!(sentences.len(), 3, "{sentences:?}");
    assert!(sentences[0].starts_with("turn on") && sentences[2].contains("cook"), "{sentences:?}");
    let back = task(&write(&parse(STOVE).unwrap())).unwrap();
    assert_eq!(back, spec);
    sample(&spec, Seed(1)).unwrap();
}

#[test]
fn broken_files_are_told_where() {
    let at = |from: &str, to: &str| {
        assert!(STOVE.contains(from), "{from}");
        task(&STOVE.replacen(from, to, 1)).expect_err(to).to_string()
    };
    for (from, to, place, word) in [
        ("- moka_pot)", "- moka_pt)", "12:13", "is not known; categories near it: moka_pot"),
        ("(:goal (And", "(:goal (And (Lift moka_pot_1)", "16:15", "no predicate \"lift\""),
        ("-0.19 0.21)", "-0.19)", "6:53", "expected 4 numbers"),
        ("0.19 -0.19", "0.19 x", "6:65", "not a number"),
        ("(:objects", "(:object", "12:3", ":objects"),
        ("(On moka_pot_2 k", "(On moka_pot_3 k", "15:46", "did you mean moka_pot_"),
        ("(cook_region", "(cok_region", "17:9", "\"flat_stove_1_cook_region\"; did you mean"),
        ("flat_stove_1 - flat_stove)", "flat_stove_1)", "11:44", "no category"),
        ("(:domain robosuite)", "(:domain robosuite", "2:1", "never closed"),
        ("kitchen_table - kitchen_table", "", "2:1", "no table"),
        ("(On moka_pot_2 kitchen_table_pot_region)", "", "12:24", "has no place"),
    ] {
        let said = at(from, to);
        assert!(said.contains(word), "{to}: {said}");
        assert!(said.starts_with(&format!("{place}:")), "{to}: {said}");
    }
}

/// What LIBERO skips is skipped, and said; what it would stumble over is refused.
#[test]
fn what_libero_ignores_is_a_warning() {
    let told = |changes: &[(&str, &str)]| {
        let mut text = STOVE.to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replacen(from, to, 1);
        }
        let loaded = load(&parse(&text).unwrap(), &Options::new("bddl/test")).unwrap();
        let warnings: Vec<String> = loaded.warnings.iter().map(ToString::to_string).collect();
        (loaded.task, warnings)
    };
    let plain = task(STOVE).unwrap();
    let (same, none) = told(&[]);
    assert_eq!((same, none), (plain.clone(), vec![]));
    let interest = "(:obj_of_interest flat_stove_1";
    for (change, words) in [
        ((interest, "(:obj_of_interest kettle_1 flat_stove_1"), "2:1: \"kettle_1\""),
        (
            ("(:regions", "(:regions (lid (:target kettle_1))"),
            "5:13: region \"lid\" is ignored: no object",
        ),
        (("(cook_region", "(lid (:target flat_stove_1)) (cook_region"), "it has cook_region"),
        (("(:init", "(:init (Open kettle_1)"), "14:10: (open kettle_1) is ignored"),
        (("(:init", "(:init (Open moka_pot_1)"), "no drawer, door or knob"),
        (("(:objects", "(:objects egg_1 - egg"), "12:13: \"egg_1\" is left out: it has no place"),
    ] {
        let (spec, warnings) = told(&[change]);
        assert_eq!(spec, plain, "{change:?}");
        assert!(matches!(&warnings[..], [w] if w.contains(words)), "{change:?}: {warnings:?}");
    }
    let egg = [("(:objects", "(:objects egg_1 - egg"), ("(:init", "(:init (On egg_1 nest)")];
    let (spec, warnings) = told(&egg);
    assert_eq!(spec, plain);
    assert!(warnings[0].contains("its place \"nest\" is not known"), "{warnings:?}");
    // A region of interest stands for what it belongs to.
    for region in ["flat_stove_1_cook_region", "flat_stove_1 kitchen_table_pot_region"] {
        assert_eq!(
            told(&[(interest, &format!("(:obj_of_interest {region}"))]),
            (plain.clone(), vec![])
        );
    }
    // Named by a place or the goal, a region must exist.
    let lid = STOVE.replace("(:regions", "(:regions (lid (:target kettle_1))");
    let e = task(
        &lid.replace("(On moka_pot_1 flat_stove_1_cook_region)", "(On moka_pot_1 kettle_1_lid)"),
    );
    assert!(e.unwrap_err().to_string().contains("no object \"kettle_1\""));
}

/// LIBERO keeps only a small circle of each object clear.
#[test]
fn objects_without_room_stand_close_or_on_one_another() {
    let pots = "(0.0 -0.05 0.05 0.0) (0.1 -0.2 0.15 -0.1)";
    let at = |range: &str| {
        let text = STOVE.replace(pots, range);
        load(&parse(&text).unwrap(), &Options::new("bddl/test")).unwrap()
    };
    let bound = |spec: &TaskSpec, seed| {
        let scene = sample(spec, Seed(seed)).unwrap();
        [scene.poses[1].pos, scene.poses[2].pos]
    };
    let wide = at(pots).task;
    assert!(wide.init.clearance > 0.0 && !wide.init.pile);
    let pot = longarm_assets::libero::asset("moka_pot").unwrap();
    let touching = 2.0 * pot.info().bounds.half[0];
    let close = at(&format!("(0.0 -0.001 {} 0.001)", touching + 0.008));
    assert_eq!(
        (close.task.init.clearance, close.task.init.pile, close.warnings),
        (0.0, false, vec![])
    );
    for seed in 0..5 {
        let [a, b] = bound(&close.task, seed);
        assert!(a.z == b.z && (a.x - b.x).abs() > touching - 1e-9, "{a} {b}");
    }
    let narrow = at("(0.0 -0.001 0.03 0.001)");
    assert!(narrow.warnings[0].message.contains("no room for \"moka_pot_2\" beside moka_pot_1"));
    assert!(narrow.task.init.pile);
    for seed in 0..5 {
        let [low, high] = bound(&narrow.task, seed);
        assert!(high.z > low.z + 0.05, "{low} {high}");
    }
}

#[test]
fn arbitrary_and_spoilt_files_never_panic() {
    let corpus = mutate::corpus();
    let mut rng = Seed(7).stream("test");
    for _ in 0..1500 {
        mutate::try_out(&mutate::mutate(&corpus, &mut rng));
        let n = rng.below(80);
        let noise: Vec<u8> = (0..n).map(|_| rng.next_u64() as u8).collect();
        mutate::try_out(&noise);
    }
}

/// Every task of the six suites: valid, drawable, the same after writing and reading.
#[test]
fn every_task_reads_back_and_can_be_drawn() {
    let mut failed = Vec::new();
    let libero = [libero::SPATIAL, libero::OBJECT, libero::GOAL, libero::TEN, libero::NINETY];
    for suite in libero.into_iter().chain([boss::SUITE]) {
        for id in suite.ids() {
            let spec = suite.task(id).unwrap();
            assert_eq!(spec.problems(), [], "{id}");
            if let Some(p) = libero::problem(id).or_else(|| boss::problem(id)) {
                let options = Options { horizon: spec.horizon, ..Options::new(id) };
                let again = parse(&write(&p)).and_then(|p| load(&p, &options)).unwrap().task;
                let told =
                    TaskSpec { source: spec.source.clone(), labels: spec.labels.clone(), ..again };
                assert_eq!(told, spec, "{id}");
            }
            for seed in 0..3 {
                failed.extend(sample(&spec, Seed(seed)).err().map(|e| e.to_string()));
            }
        }
    }
    assert!(failed.is_empty(), "{} of them:\n{}", failed.len(), failed.join("\n"));
}

/// A modification as edits of the plain task is the modified task, but for its plan.
#[test]
fn edits_are_the_modification() {
    for (i, s) in boss::skills().iter().enumerate() {
        let options = Options::new(s.id());
        let plain = compile(&s.problem(), &options).unwrap();
        for m in s.modifications().iter().skip(i % 5).step_by(5) {
            let modified = compile(&s.with([&m.fact]), &options).unwrap();
            let edits = plain.edits_to(&modified);
            assert!(edits.len() <= 2, "{}: {edits:?}", m.fact);
            let edited = plain.edited(&edits).unwrap();
            let same_plan = TaskSpec { plan: modified.plan.clone(), ..edited };
            assert_eq!(same_plan, modified, "{}", m.fact);
        }
    }
}

/// What readers are told of stages is in words, whatever names a file gives to objects and regions.
#[test]
fn stages_are_told_in_words() {
    let mut told = std::collections::BTreeSet::new();
    for task in longarm_suites::tasks() {
        for (name, title) in task.stage_names().into_iter().zip(task.stage_titles()) {
            assert!(!title.contains('_'), "{}: {name:?} is told as {title:?}", task.id);
            told.insert((name, title));
        }
    }
    for (name, title) in [
        ("on akita_black_bowl_1 plate_1", "put the black bowl on the plate"),
        ("on moka_pot_1 flat_stove_1_cook_region", "put the moka pot on the stove"),
        ("turnon flat_stove_1", "turn on the stove"),
        ("open wooden_cabinet_1_top_region", "open the top drawer of the cabinet"),
        (
            "in white_yellow_mug_1 microwave_1_heating_region",
            "put the yellow and white mug in the microwave",
        ),
        ("close microwave_1", "close the microwave"),
        ("on plate_1 main_table_stove_front_region", "put the plate in front of the stove"),
        (
            "on wine_bottle_1 wooden_cabinet_1_top_side",
            "put the wine bottle on the top of the cabinet",
        ),
        (
            "in black_book_1 desk_caddy_1_back_contain_region",
            "put the black book in the back of the caddy",
        ),
    ] {
        let known = told.iter().filter(|(n, _)| n == name).collect::<Vec<_>>();
        assert!(known.iter().any(|(_, t)| t == title), "{title:?} is not among {known:?}");
    }
}
