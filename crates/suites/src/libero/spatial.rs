//! LIBERO-Spatial: two black bowls on one table, and the one in this place is meant.

use super::scene::{Scene, fixture, from, object, spot};

const GOAL: &str = "on akita_black_bowl_1 plate_1";

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "TABLETOP",
    fixtures: &[
        fixture("wooden_cabinet", 0.03, -0.27)
            .label("cabinet_region")
            .yaw(2.661_377_776_541_067_8, 2.724_209_629_612_863_3),
        fixture("flat_stove", -0.41, -0.14).label("stove_region"),
    ],
    objects: &[
        object("cookies_1", 0.07, 0.03).label("box_region").half(0.01),
        object("glazed_rim_porcelain_ramekin_1", -0.2, 0.2).label("ramekin_region").half(0.01),
        object("plate_1", 0.06, 0.2).label("plate_region").half(0.01),
    ],
    spots: &[
        spot("next_to_plate_region", [0.0, 0.3, 0.02, 0.32]),
        spot("next_to_box_region", [0.12, -0.08, 0.14, -0.06]),
        spot("between_plate_ramekin_region", [-0.06, 0.19, -0.04, 0.21]),
        spot("next_to_ramekin_region", [-0.19, 0.31, -0.17, 0.33]),
        spot("table_center", [-0.1, -0.01, -0.05, 0.01]),
        spot("table_front", [0.19, -0.01, 0.21, 0.01]),
    ],
    state: &[],
    free: &[],
    tasks: &[
        from(
            &[
                "on akita_black_bowl_1 main_table_between_plate_ramekin_region",
                "on akita_black_bowl_2 main_table_next_to_ramekin_region",
            ],
            "pick up the black bowl between the plate and the ramekin and place it on the plate",
            GOAL,
        ),
        from(
            &[
                "on akita_black_bowl_1 main_table_next_to_ramekin_region",
                "on akita_black_bowl_2 main_table_next_to_box_region",
            ],
            "pick up the black bowl next to the ramekin and place it on the plate",
            GOAL,
        ),
        from(
            &[
                "on akita_black_bowl_1 main_table_table_center",
                "on akita_black_bowl_2 main_table_next_to_plate_region",
            ],
            "pick up the black bowl from table center and place it on the plate",
            GOAL,
        ),
        from(
            &["on akita_black_bowl_1 cookies_1", "on akita_black_bowl_2 wooden_cabinet_1_top_side"],
            "pick up the black bowl on the cookie box and place it on the plate",
            GOAL,
        ),
        from(
            &[
                "in akita_black_bowl_1 wooden_cabinet_1_top_region",
                "on akita_black_bowl_2 wooden_cabinet_1_top_side",
                "open wooden_cabinet_1_top_region",
            ],
            "pick up the black bowl in the top drawer of the wooden cabinet and place it on the plate",
            GOAL,
        ),
        from(
            &[
                "on akita_black_bowl_1 glazed_rim_porcelain_ramekin_1",
                "on akita_black_bowl_2 cookies_1",
            ],
            "pick up the black bowl on the ramekin and place it on the plate",
            GOAL,
        ),
        from(
            &[
                "on akita_black_bowl_1 main_table_next_to_box_region",
                "on akita_black_bowl_2 flat_stove_1_cook_region",
            ],
            "pick up the black bowl next to the cookie box and place it on the plate",
            GOAL,
        ),
        from(
            &[
                "on akita_black_bowl_1 flat_stove_1_cook_region",
                "on akita_black_bowl_2 wooden_cabinet_1_top_side",
            ],
            "pick up the black bowl on the stove and place it on the plate",
            GOAL,
        ),
        from(
            &[
                "on akita_black_bowl_1 main_table_next_to_plate_region",
                "on akita_black_bowl_2 main_table_next_to_ramekin_region",
            ],
            "pick up the black bowl next to the plate and place it on the plate",
            GOAL,
        ),
        from(
            &[
                "on akita_black_bowl_1 wooden_cabinet_1_top_side",
                "on akita_black_bowl_2 flat_stove_1_cook_region",
            ],
            "pick up the black bowl on the wooden cabinet and place it on the plate",
            GOAL,
        ),
    ],
}];
