//! BDDL files: what they mean, what is said of broken ones, and that none panics.

#[path = "../examples/support/mutate.rs"]
mod mutate;

use longarm_suites::{boss, libero};
use longarm_task::bddl::{BddlError, Options, compile, parse, write};
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
        ("(cook_region", "(cok_region", "9:5", "it has cook_region"),
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

/// Every task of the three suites: valid, drawable, the same after writing and reading.
#[test]
fn every_task_reads_back_and_can_be_drawn() {
    let mut failed = Vec::new();
    for suite in [libero::NINETY, libero::TEN, boss::SUITE] {
        for id in suite.ids() {
            let spec = suite.task(id).unwrap();
            assert_eq!(spec.problems(), [], "{id}");
            if let Some(p) = libero::problem(id).or_else(|| boss::problem(id)) {
                let options = Options { horizon: spec.horizon, ..Options::new(id) };
                let again = compile(&parse(&write(&p)).unwrap(), &options).unwrap();
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
