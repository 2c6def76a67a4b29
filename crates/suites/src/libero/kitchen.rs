//! LIBERO's kitchen scenes: what stands where, and what is asked there.

use std::f64::consts::PI;

use super::scene::{Scene, fixture, l10, l90, object, skill, spot};

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "KITCHEN_SCENE1",
        fixtures: &[fixture("wooden_cabinet", 0.0, -0.3).yaw(PI, PI)],
        objects: &[object("akita_black_bowl_1", 0.0, 0.0), object("plate_1", 0.0, 0.25)],
        spots: &[],
        state: &[],
        free: &[[-0.3, -0.025, -0.12, 0.3], [0.12, -0.025, 0.3, 0.3]],
        tasks: &[
            skill("open the bottom drawer of the cabinet", "open wooden_cabinet_1_bottom_region"),
            skill("open the top drawer of the cabinet", "open wooden_cabinet_1_top_region"),
            l90(
                "open the top drawer of the cabinet and put the bowl in it",
                "open wooden_cabinet_1_top_region & in akita_black_bowl_1 wooden_cabinet_1_top_region",
            ),
            skill("put the black bowl on the plate", "on akita_black_bowl_1 plate_1"),
            skill(
                "put the black bowl on top of the cabinet",
                "on akita_black_bowl_1 wooden_cabinet_1_top_side",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE2",
        fixtures: &[fixture("wooden_cabinet", 0.0, -0.3).yaw(PI, PI)],
        objects: &[
            object("akita_black_bowl_1", 0.1, 0.15).label("akita_black_bowl_front"),
            object("akita_black_bowl_2", -0.05, 0.2).label("akita_black_bowl_middle"),
            object("akita_black_bowl_3", -0.15, 0.05).label("akita_black_bowl_back"),
            object("plate_1", 0.0, 0.0),
        ],
        spots: &[],
        state: &[],
        free: &[[-0.3, 0.025, -0.25, 0.3], [0.2, 0.025, 0.3, 0.3]],
        tasks: &[
            skill("open the top drawer of the cabinet", "open wooden_cabinet_1_top_region"),
            skill("put the black bowl at the back on the plate", "on akita_black_bowl_3 plate_1"),
            skill("put the black bowl at the front on the plate", "on akita_black_bowl_1 plate_1"),
            skill("put the middle black bowl on the plate", "on akita_black_bowl_2 plate_1"),
            skill(
                "put the middle black bowl on top of the cabinet",
                "on akita_black_bowl_2 wooden_cabinet_1_top_side",
            ),
            skill(
                "stack the black bowl at the front on the black bowl in the middle",
                "on akita_black_bowl_1 akita_black_bowl_2",
            ),
            skill(
                "stack the middle black bowl on the back black bowl",
                "on akita_black_bowl_2 akita_black_bowl_3",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE3",
        fixtures: &[fixture("flat_stove", -0.2, 0.2)],
        objects: &[
            object("chefmate_8_frypan_1", -0.05, -0.25).label("frypan"),
            object("moka_pot_1", 0.05, 0.0),
        ],
        spots: &[],
        state: &[],
        free: &[[-0.3, -0.275, -0.175, 0.3], [0.25, -0.275, 0.3, 0.3]],
        tasks: &[
            skill(
                "put the frying pan on the stove",
                "on chefmate_8_frypan_1 flat_stove_1_cook_region",
            ),
            skill("put the moka pot on the stove", "on moka_pot_1 flat_stove_1_cook_region"),
            skill("turn on the stove", "turnon flat_stove_1"),
            l90(
                "turn on the stove and put the frying pan on it",
                "turnon flat_stove_1 & on chefmate_8_frypan_1 flat_stove_1_cook_region",
            ),
            l10(
                "turn on the stove and put the moka pot on it",
                "turnon flat_stove_1 & on moka_pot_1 flat_stove_1_cook_region",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE4",
        fixtures: &[
            fixture("white_cabinet", 0.0, 0.3),
            fixture("wine_rack", -0.1, -0.3).yaw(PI, PI),
        ],
        objects: &[object("akita_black_bowl_1", 0.03, -0.05), object("wine_bottle_1", -0.15, 0.05)],
        spots: &[],
        state: &["open white_cabinet_1_bottom_region"],
        free: &[[0.15, -0.5, 0.275, 0.055]],
        tasks: &[
            skill("close the bottom drawer of the cabinet", "close white_cabinet_1_bottom_region"),
            l90(
                "close the bottom drawer of the cabinet and open the top drawer",
                "close white_cabinet_1_bottom_region & open white_cabinet_1_top_region",
            ),
            skill(
                "put the black bowl in the bottom drawer of the cabinet",
                "in akita_black_bowl_1 white_cabinet_1_bottom_region",
            ),
            skill(
                "put the black bowl on top of the cabinet",
                "on akita_black_bowl_1 white_cabinet_1_top_side",
            ),
            skill(
                "put the wine bottle in the bottom drawer of the cabinet",
                "in wine_bottle_1 white_cabinet_1_bottom_region",
            ),
            skill(
                "put the wine bottle on the wine rack",
                "on wine_bottle_1 wine_rack_1_top_region",
            ),
            l10(
                "put the black bowl in the bottom drawer of the cabinet and close it",
                "close white_cabinet_1_bottom_region & in akita_black_bowl_1 white_cabinet_1_bottom_region",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE5",
        fixtures: &[fixture("white_cabinet", 0.0, 0.3)],
        objects: &[
            object("akita_black_bowl_1", 0.03, -0.05),
            object("plate_1", -0.05, -0.25),
            object("ketchup_1", -0.1, -0.1),
        ],
        spots: &[],
        state: &["open white_cabinet_1_top_region"],
        free: &[[-0.3, -0.275, -0.2, -0.025], [0.15, -0.275, 0.3, -0.025]],
        tasks: &[
            skill("close the top drawer of the cabinet", "close white_cabinet_1_top_region"),
            skill(
                "put the black bowl in the top drawer of the cabinet",
                "in akita_black_bowl_1 white_cabinet_1_top_region",
            ),
            skill("put the black bowl on the plate", "on akita_black_bowl_1 plate_1"),
            skill(
                "put the black bowl on top of the cabinet",
                "on akita_black_bowl_1 white_cabinet_1_top_side",
            ),
            skill(
                "put the ketchup in the top drawer of the cabinet",
                "in ketchup_1 white_cabinet_1_top_region",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE6",
        fixtures: &[fixture("microwave", 0.0, 0.35)],
        objects: &[object("porcelain_mug_1", -0.1, -0.25), object("white_yellow_mug_1", 0.0, 0.0)],
        spots: &[
            spot("porcelain_mug_front_region", [-0.05, -0.3, 0.05, -0.2]).beside("porcelain_mug_1")
        ],
        state: &["open microwave_1"],
        free: &[[-0.3, -0.3, -0.2, 0.05], [0.1, -0.3, 0.3, 0.05]],
        tasks: &[
            skill("close the microwave", "close microwave_1"),
            l90(
                "put the yellow and white mug to the front of the white mug",
                "on white_yellow_mug_1 kitchen_table_porcelain_mug_front_region",
            ),
            l10(
                "put the yellow and white mug in the microwave and close it",
                "in white_yellow_mug_1 microwave_1_heating_region & close microwave_1",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE7",
        fixtures: &[fixture("microwave", 0.0, -0.25).yaw(PI, PI)],
        objects: &[
            object("white_bowl_1", 0.0, 0.0).on("microwave_1_top_side"),
            object("plate_1", 0.0, 0.0),
        ],
        spots: &[spot("plate_right_region", [-0.05, 0.05, 0.05, 0.15]).beside("plate_1")],
        state: &["close microwave_1"],
        free: &[[-0.3, -0.1, -0.15, 0.15], [0.15, -0.1, 0.3, 0.15]],
        tasks: &[
            skill("open the microwave", "open microwave_1"),
            skill("put the white bowl on the plate", "on white_bowl_1 plate_1"),
            skill(
                "put the white bowl to the right of the plate",
                "on white_bowl_1 kitchen_table_plate_right_region",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE8",
        fixtures: &[fixture("flat_stove", -0.2, -0.2)],
        objects: &[
            object("moka_pot_1", -0.05, 0.25).label("moka_pot_right"),
            object("moka_pot_2", 0.05, 0.05).label("moka_pot_left"),
        ],
        spots: &[],
        state: &["turnon flat_stove_1"],
        free: &[[0.08, -0.18, 0.13, -0.13], [0.025, 0.225, 0.075, 0.275]],
        tasks: &[
            skill(
                "put the right moka pot on the stove",
                "on moka_pot_1 flat_stove_1_cook_region & turnon flat_stove_1",
            ),
            skill("turn off the stove", "turnoff flat_stove_1"),
            l10(
                "put both moka pots on the stove",
                "on moka_pot_1 flat_stove_1_cook_region & on moka_pot_2 flat_stove_1_cook_region & turnon flat_stove_1",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE9",
        fixtures: &[
            fixture("flat_stove", -0.2, 0.3),
            fixture("wooden_two_layer_shelf", 0.0, -0.25).yaw(PI, PI),
        ],
        objects: &[
            object("white_bowl_1", -0.15, 0.1),
            object("chefmate_8_frypan_1", 0.05, 0.0).label("frypan"),
        ],
        spots: &[],
        state: &[],
        free: &[[-0.3, -0.2, -0.2, 0.2], [0.15, -0.2, 0.3, 0.2]],
        tasks: &[
            skill(
                "put the frying pan on the cabinet shelf",
                "in chefmate_8_frypan_1 wooden_two_layer_shelf_1_top_region",
            ),
            skill(
                "put the frying pan on top of the cabinet",
                "on chefmate_8_frypan_1 wooden_two_layer_shelf_1_top_side",
            ),
            skill(
                "put the frying pan under the cabinet shelf",
                "in chefmate_8_frypan_1 wooden_two_layer_shelf_1_bottom_region",
            ),
            skill(
                "put the white bowl on top of the cabinet",
                "on white_bowl_1 wooden_two_layer_shelf_1_top_side",
            ),
            skill("turn on the stove", "turnon flat_stove_1"),
            l90(
                "turn on the stove and put the frying pan on it",
                "turnon flat_stove_1 & on chefmate_8_frypan_1 flat_stove_1_cook_region",
            ),
        ],
    },
    Scene {
        name: "KITCHEN_SCENE10",
        fixtures: &[fixture("wooden_cabinet", 0.0, -0.3).yaw(PI, PI)],
        objects: &[
            object("akita_black_bowl_1", -0.1, 0.0),
            object("butter_1", 0.0, 0.2).label("butter_front"),
            object("butter_2", -0.1, 0.2).label("butter_back"),
            object("chocolate_pudding_1", 0.0, 0.05),
        ],
        spots: &[],
        state: &["open wooden_cabinet_1_top_region"],
        free: &[[-0.3, -0.2, -0.2, 0.3], [0.15, -0.2, 0.3, 0.3]],
        tasks: &[
            skill("close the top drawer of the cabinet", "close wooden_cabinet_1_top_region"),
            l90(
                "close the top drawer of the cabinet and put the black bowl on top of it",
                "close wooden_cabinet_1_top_region & on akita_black_bowl_1 wooden_cabinet_1_top_side",
            ),
            skill(
                "put the black bowl in the top drawer of the cabinet",
                "in akita_black_bowl_1 wooden_cabinet_1_top_region",
            ),
            l90(
                "put the butter at the back in the top drawer of the cabinet and close it",
                "in butter_2 wooden_cabinet_1_top_region & close wooden_cabinet_1_top_region",
            ),
            l90(
                "put the butter at the front in the top drawer of the cabinet and close it",
                "in butter_1 wooden_cabinet_1_top_region & close wooden_cabinet_1_top_region",
            ),
            l90(
                "put the chocolate pudding in the top drawer of the cabinet and close it",
                "in chocolate_pudding_1 wooden_cabinet_1_top_region & close wooden_cabinet_1_top_region",
            ),
        ],
    },
];
