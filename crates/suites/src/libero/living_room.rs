//! LIBERO's living room scenes: what stands where, and what is asked there.

use super::scene::{Scene, l10, l90, object, skill, spot};

pub(super) const SCENES: &[Scene] = &[
    Scene {
        name: "LIVING_ROOM_SCENE1",
        fixtures: &[],
        objects: &[
            object("alphabet_soup_1", 0.05, -0.1),
            object("cream_cheese_1", -0.15, 0.06),
            object("tomato_sauce_1", 0.1, -0.2),
            object("ketchup_1", -0.2, -0.15),
            object("basket_1", 0.0, 0.26).half(0.01),
        ],
        spots: &[],
        state: &[],
        free: &[],
        tasks: &[
            l90(
                "pick up the alphabet soup and put it in the basket",
                "in alphabet_soup_1 basket_1_contain_region",
            ),
            l90(
                "pick up the cream cheese box and put it in the basket",
                "in cream_cheese_1 basket_1_contain_region",
            ),
            l90(
                "pick up the ketchup and put it in the basket",
                "in ketchup_1 basket_1_contain_region",
            ),
            l90(
                "pick up the tomato sauce and put it in the basket",
                "in tomato_sauce_1 basket_1_contain_region",
            ),
            l10(
                "put both the alphabet soup and the cream cheese box in the basket",
                "in alphabet_soup_1 basket_1_contain_region & in cream_cheese_1 basket_1_contain_region",
            ),
        ],
    },
    Scene {
        name: "LIVING_ROOM_SCENE2",
        fixtures: &[],
        objects: &[
            object("alphabet_soup_1", -0.1, -0.15),
            object("cream_cheese_1", 0.1, -0.2),
            object("tomato_sauce_1", -0.1, 0.05),
            object("ketchup_1", -0.25, -0.15),
            object("orange_juice_1", 0.0, -0.25),
            object("milk_1", 0.05, -0.1),
            object("butter_1", 0.05, 0.05),
            object("basket_1", 0.0, 0.26).half(0.01),
        ],
        spots: &[],
        state: &[],
        free: &[],
        tasks: &[
            l90(
                "pick up the alphabet soup and put it in the basket",
                "in alphabet_soup_1 basket_1_contain_region",
            ),
            l90(
                "pick up the butter and put it in the basket",
                "in butter_1 basket_1_contain_region",
            ),
            l90("pick up the milk and put it in the basket", "in milk_1 basket_1_contain_region"),
            l90(
                "pick up the orange juice and put it in the basket",
                "in orange_juice_1 basket_1_contain_region",
            ),
            l90(
                "pick up the tomato sauce and put it in the basket",
                "in tomato_sauce_1 basket_1_contain_region",
            ),
            l10(
                "put both the alphabet soup and the tomato sauce in the basket",
                "in alphabet_soup_1 basket_1_contain_region & in tomato_sauce_1 basket_1_contain_region",
            ),
            l10(
                "put both the cream cheese box and the butter in the basket",
                "in cream_cheese_1 basket_1_contain_region & in butter_1 basket_1_contain_region",
            ),
        ],
    },
    Scene {
        name: "LIVING_ROOM_SCENE3",
        fixtures: &[],
        objects: &[
            object("alphabet_soup_1", -0.1, -0.15),
            object("cream_cheese_1", 0.1, -0.2),
            object("tomato_sauce_1", -0.1, 0.05),
            object("ketchup_1", -0.25, -0.15),
            object("butter_1", 0.05, 0.05),
            object("wooden_tray_1", 0.0, 0.26).half(0.01),
        ],
        spots: &[],
        state: &[],
        free: &[],
        tasks: &[
            l90(
                "pick up the alphabet soup and put it in the tray",
                "in alphabet_soup_1 wooden_tray_1_contain_region",
            ),
            l90(
                "pick up the butter and put it in the tray",
                "in butter_1 wooden_tray_1_contain_region",
            ),
            l90(
                "pick up the cream cheese and put it in the tray",
                "in cream_cheese_1 wooden_tray_1_contain_region",
            ),
            l90(
                "pick up the ketchup and put it in the tray",
                "in ketchup_1 wooden_tray_1_contain_region",
            ),
            l90(
                "pick up the tomato sauce and put it in the tray",
                "in tomato_sauce_1 wooden_tray_1_contain_region",
            ),
        ],
    },
    Scene {
        name: "LIVING_ROOM_SCENE4",
        fixtures: &[],
        objects: &[
            object("akita_black_bowl_1", -0.1, -0.15).label("akita_black_bowl_left"),
            object("akita_black_bowl_2", -0.1, 0.05).label("akita_black_bowl_right"),
            object("new_salad_dressing_1", -0.25, -0.1).label("salad_dressing"),
            object("chocolate_pudding_1", 0.1, -0.2),
            object("wooden_tray_1", 0.0, 0.26).half(0.01),
        ],
        spots: &[],
        state: &[],
        free: &[],
        tasks: &[
            l90(
                "pick up the black bowl on the left and put it in the tray",
                "in akita_black_bowl_1 wooden_tray_1_contain_region",
            ),
            l90(
                "pick up the chocolate pudding and put it in the tray",
                "in chocolate_pudding_1 wooden_tray_1_contain_region",
            ),
            l90(
                "pick up the salad dressing and put it in the tray",
                "in new_salad_dressing_1 wooden_tray_1_contain_region",
            ),
            l90(
                "stack the left bowl on the right bowl and place them in the tray",
                "on akita_black_bowl_1 akita_black_bowl_2 & in akita_black_bowl_2 wooden_tray_1_contain_region",
            ),
            l90(
                "stack the right bowl on the left bowl and place them in the tray",
                "on akita_black_bowl_2 akita_black_bowl_1 & in akita_black_bowl_1 wooden_tray_1_contain_region",
            ),
        ],
    },
    Scene {
        name: "LIVING_ROOM_SCENE5",
        fixtures: &[],
        objects: &[
            object("porcelain_mug_1", -0.1, -0.15),
            object("red_coffee_mug_1", -0.2, 0.0),
            object("white_yellow_mug_1", -0.05, 0.1),
            object("plate_1", 0.0, -0.3).label("plate_left_region"),
            object("plate_2", 0.0, 0.3).label("plate_right_region"),
        ],
        spots: &[],
        state: &[],
        free: &[[0.15, -0.3, 0.25, 0.3]],
        tasks: &[
            skill("put the red mug on the left plate", "on red_coffee_mug_1 plate_1"),
            skill("put the red mug on the right plate", "on red_coffee_mug_1 plate_2"),
            skill("put the white mug on the left plate", "on porcelain_mug_1 plate_1"),
            l90("put the yellow and white mug on the right plate", "on white_yellow_mug_1 plate_2"),
            l10(
                "put the white mug on the left plate and put the yellow and white mug on the right plate",
                "on porcelain_mug_1 plate_1 & on white_yellow_mug_1 plate_2",
            ),
        ],
    },
    Scene {
        name: "LIVING_ROOM_SCENE6",
        fixtures: &[],
        objects: &[
            object("porcelain_mug_1", -0.1, -0.15),
            object("red_coffee_mug_1", -0.2, 0.0),
            object("plate_1", 0.15, 0.0),
            object("chocolate_pudding_1", -0.05, 0.1),
        ],
        spots: &[
            spot("plate_left_region", [0.1, -0.15, 0.2, -0.05]).beside("plate_1"),
            spot("plate_right_region", [0.1, 0.05, 0.2, 0.15]).beside("plate_1"),
        ],
        state: &[],
        free: &[[0.15, -0.15, 0.25, -0.1], [0.15, 0.1, 0.25, 0.15]],
        tasks: &[
            skill(
                "put the chocolate pudding to the left of the plate",
                "on chocolate_pudding_1 living_room_table_plate_left_region",
            ),
            skill(
                "put the chocolate pudding to the right of the plate",
                "on chocolate_pudding_1 living_room_table_plate_right_region",
            ),
            skill("put the red mug on the plate", "on red_coffee_mug_1 plate_1"),
            skill("put the white mug on the plate", "on porcelain_mug_1 plate_1"),
            l10(
                "put the white mug on the plate and put the chocolate pudding to the right of the plate",
                "on porcelain_mug_1 plate_1 & on chocolate_pudding_1 living_room_table_plate_right_region",
            ),
        ],
    },
];
