//! LIBERO-Object: six groceries on the floor, and this one is put in the basket.

use super::scene::{Scene, SceneItem, TableSpot, from, object, spot};

/// What is asked for, and what else stands there.
macro_rules! groceries {
    ($target:literal; $a:literal, $b:literal, $c:literal, $d:literal, $e:literal) => {
        &[
            concat!("on ", $target, " floor_target_object_region"),
            concat!("on ", $a, " floor_other_object_region_0"),
            concat!("on ", $b, " floor_other_object_region_1"),
            concat!("on ", $c, " floor_other_object_region_2"),
            concat!("on ", $d, " floor_other_object_region_3"),
            concat!("on ", $e, " floor_other_object_region_4"),
        ]
    };
}

const fn square(name: &'static str, x: f64, y: f64) -> TableSpot {
    spot(name, [x - 0.025, y - 0.025, x + 0.025, y + 0.025])
}

const BASKET: &[SceneItem] = &[object("basket_1", 0.0, 0.26).label("bin_region").half(0.01)];

/// The floor with what is asked for and the first of the others at these points.
const fn floor(spots: &'static [TableSpot], tasks: &'static [super::Task]) -> Scene {
    Scene { name: "FLOOR", fixtures: &[], objects: BASKET, spots, state: &[], free: &[], tasks }
}

const SIDE: [f64; 2] = [-0.12, -0.24];
const MIDDLE: [f64; 2] = [0.05, -0.1];

const fn spots(target: [f64; 2], first: [f64; 2]) -> [TableSpot; 6] {
    [
        square("target_object_region", target[0], target[1]),
        square("other_object_region_0", first[0], first[1]),
        square("other_object_region_1", -0.15, 0.06),
        square("other_object_region_2", 0.1, -0.2),
        square("other_object_region_3", 0.15, 0.03),
        square("other_object_region_4", -0.2, -0.08),
    ]
}

pub(super) const SCENES: &[Scene] = &[
    floor(
        &spots(SIDE, MIDDLE),
        &[
            from(
                groceries!["alphabet_soup_1"; "salad_dressing_1", "cream_cheese_1", "milk_1", "tomato_sauce_1", "butter_1"],
                "pick up the alphabet soup and place it in the basket",
                "in alphabet_soup_1 basket_1_contain_region",
            ),
            from(
                groceries!["ketchup_1"; "bbq_sauce_1", "salad_dressing_1", "alphabet_soup_1", "cream_cheese_1", "milk_1"],
                "pick up the ketchup and place it in the basket",
                "in ketchup_1 basket_1_contain_region",
            ),
            from(
                groceries!["butter_1"; "tomato_sauce_1", "orange_juice_1", "chocolate_pudding_1", "bbq_sauce_1", "ketchup_1"],
                "pick up the butter and place it in the basket",
                "in butter_1 basket_1_contain_region",
            ),
            from(
                groceries!["milk_1"; "cream_cheese_1", "tomato_sauce_1", "butter_1", "orange_juice_1", "chocolate_pudding_1"],
                "pick up the milk and place it in the basket",
                "in milk_1 basket_1_contain_region",
            ),
            from(
                groceries!["chocolate_pudding_1"; "orange_juice_1", "bbq_sauce_1", "ketchup_1", "salad_dressing_1", "alphabet_soup_1"],
                "pick up the chocolate pudding and place it in the basket",
                "in chocolate_pudding_1 basket_1_contain_region",
            ),
        ],
    ),
    floor(
        &spots(MIDDLE, SIDE),
        &[
            from(
                groceries!["cream_cheese_1"; "alphabet_soup_1", "milk_1", "tomato_sauce_1", "butter_1", "orange_juice_1"],
                "pick up the cream cheese and place it in the basket",
                "in cream_cheese_1 basket_1_contain_region",
            ),
            from(
                groceries!["salad_dressing_1"; "ketchup_1", "alphabet_soup_1", "cream_cheese_1", "milk_1", "tomato_sauce_1"],
                "pick up the salad dressing and place it in the basket",
                "in salad_dressing_1 basket_1_contain_region",
            ),
            from(
                groceries!["bbq_sauce_1"; "chocolate_pudding_1", "ketchup_1", "salad_dressing_1", "alphabet_soup_1", "cream_cheese_1"],
                "pick up the bbq sauce and place it in the basket",
                "in bbq_sauce_1 basket_1_contain_region",
            ),
            from(
                groceries!["tomato_sauce_1"; "milk_1", "butter_1", "orange_juice_1", "chocolate_pudding_1", "bbq_sauce_1"],
                "pick up the tomato sauce and place it in the basket",
                "in tomato_sauce_1 basket_1_contain_region",
            ),
            from(
                groceries!["orange_juice_1"; "butter_1", "chocolate_pudding_1", "bbq_sauce_1", "ketchup_1", "salad_dressing_1"],
                "pick up the orange juice and place it in the basket",
                "in orange_juice_1 basket_1_contain_region",
            ),
        ],
    ),
];
