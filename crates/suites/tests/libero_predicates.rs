//! LIBERO's predicates at their thresholds.

use longarm_suites::libero;
use longarm_task::bddl::{Fact, Goal, Options, compile};
use longarm_task::stage::{Stages, When};
use longarm_task::{Bound, BoundPredicate, Snapshot, sample};
use longarm_types::{Pose, Seed};

struct Case {
    bound: Bound,
    start: Snapshot,
    goal: BoundPredicate,
}

/// A scene with its goal replaced by one fact.
fn case(scene: &str, fact: &str, strict: bool) -> Case {
    let scene = libero::scenes().find(|s| s.name == scene).unwrap();
    let mut problem = scene.problem(&scene.tasks[0]);
    problem.goal = Goal::Fact(Fact::words(fact).unwrap());
    let region_test = strict.into();
    let options = Options { region_test, ..Options::new("test/predicates") };
    let spec = compile(&problem, &options).unwrap();
    let drawn = sample(&spec, Seed(0)).unwrap();
    let bound = Bound::new(&spec, &drawn).unwrap();
    let Stages::Listed(stages) = &spec.stages else { panic!("goals are listed") };
    let When::Holds(p) = &stages[0].when else { panic!("goals hold") };
    Case { start: bound.start(&drawn), goal: bound.predicate(p).unwrap(), bound }
}

impl Case {
    fn id(&self, name: &str) -> usize {
        self.bound.body(name).unwrap()
    }

    /// With a body elsewhere, touching another and resting on it or not.
    fn with(&self, name: &str, pose: Pose, touches: &str, rests: bool) -> bool {
        let mut s = self.start.clone();
        let (a, b) = (self.id(name), if touches == "table" { 0 } else { self.id(touches) });
        s.bodies[a].pose = pose;
        for other in 0..s.bodies.len() {
            s.rests_on.set(a, other, rests && other == b);
            s.touching.set(a, other, other == b);
            s.touching.set(other, a, other == b);
        }
        self.goal.holds(&s)
    }
}

fn moved(p: Pose, x: f64, y: f64, z: f64) -> Pose {
    Pose::at(p.pos.x + x, p.pos.y + y, p.pos.z + z)
}

#[test]
fn on_an_object() {
    let c = case("KITCHEN_SCENE1", "on akita_black_bowl_1 plate_1", false);
    let plate = c.start.bodies[c.id("plate_1")].pose;
    let bowl =
        |x, z, touches: &str| c.with("akita_black_bowl_1", moved(plate, x, 0.0, z), touches, true);
    assert!(bowl(0.029, 0.01, "plate_1"));
    assert!(!bowl(0.031, 0.01, "plate_1"), "3 cm off");
    assert!(!bowl(0.0, -0.01, "plate_1"), "below it");
    assert!(!bowl(0.0, 0.01, "table"), "not touching it");
}

#[test]
fn on_a_region_of_the_table() {
    let fact = "on white_bowl_1 kitchen_table_plate_right_region";
    for strict in [false, true] {
        let c = case("KITCHEN_SCENE7", fact, strict);
        // The region is x ±0.05, y 0.05 to 0.15.
        let bowl = |x, y, z, rests| c.with("white_bowl_1", Pose::at(x, y, z), "table", rests);
        assert!(bowl(0.0, 0.1, 0.0, true));
        assert!(bowl(0.049, 0.149, 0.001, true));
        assert!(!bowl(0.056, 0.1, 0.0, true) && !bowl(0.0, 0.156, 0.0, true));
        assert_eq!(bowl(0.052, 0.1, 0.0, true), !strict, "within the tolerance");
        assert!(!bowl(0.0, 0.1, 0.12, true), "far above");
        assert_eq!(bowl(0.0, 0.1, 0.08, false), strict, "in mid-air");
    }
}

#[test]
fn in_a_drawer_and_on_a_cabinet() {
    let c = case("KITCHEN_SCENE10", "in akita_black_bowl_1 wooden_cabinet_1_top_region", false);
    let drawer = c.start.bodies[c.id("wooden_cabinet_1/top")].pose;
    let info = c.bound.info("wooden_cabinet_1").unwrap().clone();
    let space = info.region("top_region").unwrap();
    let middle = drawer.point(space.pose.pos);
    let bowl = |z: f64| {
        let at = Pose::at(middle.x, middle.y, middle.z + z);
        c.with("akita_black_bowl_1", at, "wooden_cabinet_1/top", true)
    };
    let half = space.half[2];
    assert!(bowl(-half) && bowl(-half - 0.009) && bowl(half - 0.001));
    assert!(!bowl(-half - 0.011) && !bowl(half + 0.001));
    // An open drawer's inside has moved with it.
    let shut = drawer.pos - c.start.bodies[c.id("wooden_cabinet_1")].pose.pos;
    assert!(shut.y.abs() > 0.13, "the top drawer starts open");

    let c = case("KITCHEN_SCENE10", "on akita_black_bowl_1 wooden_cabinet_1_top_side", false);
    let top = c.start.bodies[c.id("wooden_cabinet_1")].pose;
    let height = info.region("top_side").unwrap().pose.pos.z;
    let bowl = |x: f64, z: f64, touches: &str| {
        c.with("akita_black_bowl_1", moved(top, x, 0.0, height + z), touches, true)
    };
    assert!(bowl(0.0, 0.0, "wooden_cabinet_1") && bowl(0.1, 0.05, "wooden_cabinet_1"));
    assert!(!bowl(0.14, 0.0, "wooden_cabinet_1"), "beside the top");
    assert!(!bowl(0.0, 0.12, "wooden_cabinet_1"), "10 cm above");
    assert!(!bowl(0.0, 0.0, "table"), "not touching");
}

#[test]
fn open_closed_on_and_off() {
    for (scene, fact, part, yes, no) in [
        (
            "KITCHEN_SCENE1",
            "open wooden_cabinet_1_top_region",
            "wooden_cabinet_1/top",
            0.141,
            0.139,
        ),
        (
            "KITCHEN_SCENE1",
            "close wooden_cabinet_1_top_region",
            "wooden_cabinet_1/top",
            -0.001,
            0.001,
        ),
        ("KITCHEN_SCENE7", "open microwave_1", "microwave_1/door", 1.31, 1.29),
        ("KITCHEN_SCENE6", "close microwave_1", "microwave_1/door", 0.004, 0.006),
        ("KITCHEN_SCENE3", "turnon flat_stove_1", "flat_stove_1/knob", 0.51, 0.49),
        ("KITCHEN_SCENE8", "turnoff flat_stove_1", "flat_stove_1/knob", -0.001, 0.001),
    ] {
        let c = case(scene, fact, false);
        let id = c.id(part);
        let at = |q: f64| {
            let mut s = c.start.clone();
            s.joints[id] = q;
            c.goal.holds(&s)
        };
        assert!(at(yes) && !at(no), "{fact}");
    }
}
