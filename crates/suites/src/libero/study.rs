//! LIBERO's study scenes: what stands where, and what is asked there.

use std::f64::consts::PI;

use super::scene::{Scene, fixture, l10, l90, object, spot};

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "STUDY_SCENE1",
        fixtures: &[fixture("desk_caddy", -0.2, -0.14).yaw(PI, PI)],
        objects: &[
            object("black_book_1", 0.0, 0.15).yaw(-PI / 2.0, -PI / 4.0),
            object("white_yellow_mug_1", 0.1, 0.0),
        ],
        spots: &[spot("desk_caddy_right_region", [-0.25, 0.1, -0.15, 0.2])
            .beside("desk_caddy_1")
            .yaw(PI, PI)],
        state: &[],
        free: &[],
        tasks: &[
            l90(
                "pick up the book and place it in the front compartment of the caddy",
                "in black_book_1 desk_caddy_1_front_contain_region",
            ),
            l90(
                "pick up the book and place it in the left compartment of the caddy",
                "in black_book_1 desk_caddy_1_left_contain_region",
            ),
            l90(
                "pick up the book and place it in the right compartment of the caddy",
                "in black_book_1 desk_caddy_1_right_contain_region",
            ),
            l90(
                "pick up the yellow and white mug and place it to the right of the caddy",
                "on white_yellow_mug_1 study_table_desk_caddy_right_region",
            ),
            l10(
                "pick up the book and place it in the back compartment of the caddy",
                "in black_book_1 desk_caddy_1_back_contain_region",
            ),
        ],
    },
    Scene {
        name: "STUDY_SCENE2",
        fixtures: &[fixture("desk_caddy", -0.2, -0.14).yaw(PI, PI)],
        objects: &[
            object("black_book_1", 0.0, -0.05).yaw(-PI / 2.0, -PI / 4.0),
            object("red_coffee_mug_1", 0.0, 0.15),
        ],
        spots: &[],
        state: &[],
        free: &[],
        tasks: &[
            l90(
                "pick up the book and place it in the back compartment of the caddy",
                "in black_book_1 desk_caddy_1_back_contain_region",
            ),
            l90(
                "pick up the book and place it in the front compartment of the caddy",
                "in black_book_1 desk_caddy_1_front_contain_region",
            ),
            l90(
                "pick up the book and place it in the left compartment of the caddy",
                "in black_book_1 desk_caddy_1_left_contain_region",
            ),
            l90(
                "pick up the book and place it in the right compartment of the caddy",
                "in black_book_1 desk_caddy_1_right_contain_region",
            ),
        ],
    },
    Scene {
        name: "STUDY_SCENE3",
        fixtures: &[fixture("desk_caddy", -0.2, -0.14).yaw(PI, PI)],
        objects: &[
            object("black_book_1", 0.0, -0.15).label("desk_caddy_front_left_contain_region"),
            object("red_coffee_mug_1", 0.2, 0.15),
            object("porcelain_mug_1", 0.0, 0.0),
        ],
        spots: &[
            spot("red_coffee_mug_behind_region", [0.05, 0.1, 0.15, 0.2]),
            spot("black_book_init_region", [0.075, -0.025, 0.125, 0.025]),
            spot("desk_caddy_right_region", [-0.25, 0.1, -0.15, 0.2])
                .beside("desk_caddy_1")
                .yaw(PI, PI),
        ],
        state: &[],
        free: &[],
        tasks: &[
            l90(
                "pick up the book and place it in the front compartment of the caddy",
                "in black_book_1 desk_caddy_1_front_contain_region",
            ),
            l90(
                "pick up the book and place it in the left compartment of the caddy",
                "in black_book_1 desk_caddy_1_left_contain_region",
            ),
            l90(
                "pick up the book and place it in the right compartment of the caddy",
                "in black_book_1 desk_caddy_1_right_contain_region",
            ),
            l90(
                "pick up the red mug and place it to the right of the caddy",
                "on red_coffee_mug_1 study_table_desk_caddy_right_region",
            ),
            l90(
                "pick up the white mug and place it to the right of the caddy",
                "on porcelain_mug_1 study_table_desk_caddy_right_region",
            ),
        ],
    },
    Scene {
        name: "STUDY_SCENE4",
        fixtures: &[fixture("wooden_two_layer_shelf", 0.0, 0.28)],
        objects: &[
            object("black_book_1", 0.05, -0.15).half(0.01),
            object("yellow_book_1", 0.0, 0.0).label("yellow_book_right").half(0.01),
            object("yellow_book_2", -0.05, -0.25).label("yellow_book_left").half(0.01),
        ],
        spots: &[],
        state: &[],
        free: &[],
        tasks: &[
            l90(
                "pick up the book in the middle and place it on the cabinet shelf",
                "in black_book_1 wooden_two_layer_shelf_1_top_region",
            ),
            l90(
                "pick up the book on the left and place it on top of the shelf",
                "on yellow_book_2 wooden_two_layer_shelf_1_top_side",
            ),
            l90(
                "pick up the book on the right and place it on the cabinet shelf",
                "in yellow_book_1 wooden_two_layer_shelf_1_top_region",
            ),
            l90(
                "pick up the book on the right and place it under the cabinet shelf",
                "in yellow_book_1 wooden_two_layer_shelf_1_bottom_region",
            ),
        ],
    },
];
