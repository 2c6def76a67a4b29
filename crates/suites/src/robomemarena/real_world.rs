//! The five tasks that the paper runs on a real robot only.
//!
//! The paper gives a sentence, the memory type, the mean length and the success rates of each (sections 3.1
//! and 5.5, Tables 4 and S4). Objects, measures, phases and what is drawn are ours: what a lab needs to
//! run the same task as another.

use crate::LabTask;

const ROBOT: &str = "AgileX Cobot Mobile ALOHA, two arms with parallel grippers at a table, a camera on the \
                     head and one on each wrist";

const fn rates(reactive: f64, retrieving: f64, predictive: f64) -> [(&'static str, f64); 3] {
    [("π0.5", reactive), ("MemER", retrieving), ("PrediMem", predictive)]
}

/// The tasks.
pub(super) const TASKS: &[LabTask] = &[
    LabTask {
        name: "real-pour-bottle-twice",
        title: "Pour bottle twice",
        instruction: "pour water from the bottle into the cup exactly twice",
        measures: "counting",
        robot: ROBOT,
        mean_steps: 866,
        objects: &[
            ("bottle", "opaque plastic bottle of 0.5 l, open, a third full of water or of rice"),
            ("cup", "opaque cup of at least 0.3 l, 70 to 90 mm wide"),
        ],
        set_up: &[
            "Stand the bottle 350 mm in front of the right arm's base and 150 mm to the right of the middle.",
            "Stand the cup 350 mm in front of the robot in the middle.",
            "Bring both arms to their joints at the start, grippers open.",
        ],
        draws: &[],
        shown: &[],
        phases: &[
            ("pick up the bottle", "it is held, its foot 30 mm or more above the table"),
            (
                "pour once",
                "its mouth over the cup, tilted until it spills for half a second, upright again",
            ),
            ("pour again", "the same a second time, the bottle having been upright between"),
            (
                "set the bottle down",
                "it stands on the table, released, within 150 mm of where it stood",
            ),
        ],
        fails: &[
            "A third pour.",
            "The bottle or the cup falls over.",
            "More than a spoonful beside the cup.",
        ],
        memory: "Before the first and before the second pour, and after it, the bottle is held over the cup \
                 and looks the same; whether to pour or to set it down is to be remembered. Who guesses at \
                 each is right once in four.",
        published: &rates(20.0, 30.0, 60.0),
        source: SOURCE,
    },
    LabTask {
        name: "real-brush-plates-with-swap",
        title: "Brush plates with swap",
        instruction: "brush the three plates in the order in which they are pointed out, however they are moved",
        measures: "counting and sequence",
        robot: ROBOT,
        mean_steps: 779,
        objects: &[
            ("brush", "dish brush with a handle of 150 mm or more"),
            ("plate 1", "plate of 160 to 200 mm, all three alike"),
            ("plate 2", "as plate 1"),
            ("plate 3", "as plate 1"),
        ],
        set_up: &[
            "Lay the plates in a row 350 mm in front of the robot, 250 mm apart: plate 1 to the left.",
            "Lay the brush 200 mm in front of the robot, its handle towards it.",
            "Bring both arms to their joints at the start, grippers open.",
        ],
        draws: &[
            ("order", &["1, 2, 3", "1, 3, 2", "2, 1, 3", "2, 3, 1", "3, 1, 2", "3, 2, 1"]),
            ("swapped after the first is brushed", &["1 and 2", "1 and 3", "2 and 3"]),
        ],
        shown: &[
            "Point at the plates in the order listed, one second each, before the policy starts.",
            "When the first plate has been brushed and the brush is off it, swap the two plates listed in one \
             slow motion in sight of the head camera.",
        ],
        phases: &[
            ("take the brush", "it is held off the table"),
            (
                "brush the first plate",
                "two strokes of 80 mm or more on it, without lifting between",
            ),
            (
                "brush the second plate",
                "the same on the plate that was pointed out second, wherever it lies now",
            ),
            ("brush the third plate", "the same on the one left"),
            ("lay the brush down", "it lies on the table, released"),
        ],
        fails: &[
            "A plate is brushed out of order, or twice.",
            "A plate is pushed by more than 50 mm.",
        ],
        memory: "The plates are alike: order, progress and the swap are to be remembered. Who guesses the \
                 order is right once in six.",
        published: &rates(10.0, 50.0, 60.0),
        source: SOURCE,
    },
    LabTask {
        name: "real-transfer-objects",
        title: "Transfer objects",
        instruction: "move the watermelon and the carrot from the plate they are on to the other plate",
        measures: "transferring",
        robot: ROBOT,
        mean_steps: 779,
        objects: &[
            ("watermelon", "toy slice or ball of 50 to 70 mm"),
            ("carrot", "toy of 100 to 150 mm"),
            ("left plate", "plate of 200 mm or more; both alike"),
            ("right plate", "as the left plate"),
        ],
        set_up: &[
            "Lay the plates 350 mm in front of the robot, 350 mm apart.",
            "Lay watermelon and carrot on the source plate, 50 mm apart.",
            "Bring both arms to their joints at the start, grippers open.",
        ],
        draws: &[("source", &["left plate", "right plate"])],
        shown: &[],
        phases: &[
            ("pick up the watermelon", "it is held off its plate"),
            ("put the watermelon on the other plate", "it rests there, released"),
            ("pick up the carrot", "it is held off its plate"),
            ("put the carrot on the other plate", "it rests there, released"),
        ],
        fails: &["The watermelon goes back to the source plate.", "An object falls off the table."],
        memory: "With one object on each plate the plates look the same either way round: which one is the \
                 source is to be remembered. Who guesses is right once in two.",
        published: &rates(60.0, 80.0, 80.0),
        source: SOURCE,
    },
    LabTask {
        name: "real-shell-game",
        title: "Shell game",
        instruction: "watch where the ball is hidden and how the cups are moved, then lift the cup with the ball",
        measures: "occlusion and sequence",
        robot: ROBOT,
        mean_steps: 779,
        objects: &[
            ("ball", "ball of 30 to 40 mm"),
            ("left cup", "opaque cup of 70 to 90 mm, upside down; all three alike"),
            ("middle cup", "as the left cup"),
            ("right cup", "as the left cup"),
        ],
        set_up: &[
            "Stand the cups upside down in a row 350 mm in front of the robot, 180 mm apart.",
            "Bring both arms to their joints at the start, out of the head camera's way.",
        ],
        draws: &[
            ("ball under", &["left", "middle", "right"]),
            ("first swap", &["left and middle", "middle and right", "left and right"]),
            ("second swap", &["left and middle", "middle and right", "left and right"]),
            ("third swap", &["left and middle", "middle and right", "left and right"]),
        ],
        shown: &[
            "Lift the cup listed, lay the ball in its place in sight of the head camera, put the cup over it.",
            "Do the three swaps listed, places counted as they are at that moment, two seconds each, cups \
             kept on the table.",
            "Take your hands out of the picture; the policy starts.",
        ],
        phases: &[
            (
                "take hold of the right cup",
                "a gripper closes on the cup with the ball, and on no other first",
            ),
            ("show the ball", "the cup is lifted 80 mm or more and the ball lies free"),
        ],
        fails: &["Another cup is lifted or pushed over."],
        memory: "Nothing in the last picture tells the cups apart. Who guesses is right once in three.",
        published: &rates(10.0, 40.0, 50.0),
        source: SOURCE,
    },
    LabTask {
        name: "real-breakfast-from-human",
        title: "Imitate a human's breakfast",
        instruction: "make breakfast as it was just shown",
        measures: "counting and sequence",
        robot: ROBOT,
        mean_steps: 1265,
        objects: &[
            ("bread", "slice of toast or a toy of it"),
            ("plate", "plate of 200 mm or more"),
            ("sausage", "toy of 80 to 120 mm"),
            ("egg", "toy fried egg of 80 to 120 mm"),
            ("milk carton", "empty carton of 0.5 l"),
            ("mug", "mug of 80 to 90 mm"),
        ],
        set_up: &[
            "Lay the plate 350 mm in front of the robot in the middle, bread, sausage and egg in a row 300 mm \
             to its left, carton and mug 300 mm to its right.",
            "Bring both arms to their joints at the start, grippers open.",
        ],
        draws: &[
            (
                "order on the plate",
                &[
                    "bread, sausage, egg",
                    "bread, egg, sausage",
                    "sausage, bread, egg",
                    "sausage, egg, bread",
                    "egg, bread, sausage",
                    "egg, sausage, bread",
                ],
            ),
            ("pours of milk", &["1", "2", "3"]),
        ],
        shown: &[
            "With your own hands put bread, sausage and egg on the plate in the order listed, three seconds \
             each, in sight of the head camera.",
            "Pour from the carton into the mug as often as listed, the carton upright between.",
            "Put everything back as the set-up says; the policy starts.",
        ],
        phases: &[
            (
                "the first on the plate",
                "the object that was shown first rests on the plate, released",
            ),
            (
                "the second on the plate",
                "the object that was shown second rests there, too, or on the first",
            ),
            ("the third on the plate", "the same of the third"),
            (
                "pour as often as shown",
                "the carton over the mug, tilted for half a second, upright again, each time",
            ),
            ("set the carton down", "it stands on the table, released"),
        ],
        fails: &["An object goes onto the plate out of order.", "A pour more than was shown."],
        memory: "Everything stands as before it was shown: order and number are to be remembered. Who guesses \
                 is right once in eighteen.",
        published: &rates(0.0, 0.0, 10.0),
        source: SOURCE,
    },
];

const SOURCE: &str = "RoboMemArena, arXiv 2605.10921, Tables 4 and S4: name, memory type, mean steps and success \
                      rates are the paper's (its text says that demonstrations of the longest task last over \
                      three minutes). Objects, measures, phases, what fails and what is drawn are ours.";
