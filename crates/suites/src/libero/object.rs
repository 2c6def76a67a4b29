//! LIBERO-Object: six groceries on the floor, and this one is put in the basket.

use super::scene::{Scene, SceneItem, TableSpot, from, object, spot};

/// A grocery as scenes name it.
macro_rules! item {
    ($($word:ident)+) => { concat!($(stringify!($word), "_",)+ "1") };
}

/// What is asked for, and what else stands there.
macro_rules! groceries {
    (
        $first:ident $($more:ident)*;
        $($a:ident)+, $($b:ident)+, $($c:ident)+, $($d:ident)+, $($e:ident)+
    ) => {
        from(
            &[
                concat!("on ", item!($first $($more)*), " floor_target_object_region"),
                concat!("on ", item!($($a)+), " floor_other_object_region_0"),
                concat!("on ", item!($($b)+), " floor_other_object_region_1"),
                concat!("on ", item!($($c)+), " floor_other_object_region_2"),
                concat!("on ", item!($($d)+), " floor_other_object_region_3"),
                concat!("on ", item!($($e)+), " floor_other_object_region_4"),
            ],
            concat!(
                "pick up the ", stringify!($first), $(" ", stringify!($more),)*
                " and place it in the basket"
            ),
            concat!("in ", item!($first $($more)*), " basket_1_contain_region"),
        )
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
            groceries![alphabet soup; salad dressing, cream cheese, milk, tomato sauce, butter],
            groceries![ketchup; bbq sauce, salad dressing, alphabet soup, cream cheese, milk],
            groceries![butter; tomato sauce, orange juice, chocolate pudding, bbq sauce, ketchup],
            groceries![milk; cream cheese, tomato sauce, butter, orange juice, chocolate pudding],
            groceries![chocolate pudding; orange juice, bbq sauce, ketchup, salad dressing, alphabet soup],
        ],
    ),
    floor(
        &spots(MIDDLE, SIDE),
        &[
            groceries![cream cheese; alphabet soup, milk, tomato sauce, butter, orange juice],
            groceries![salad dressing; ketchup, alphabet soup, cream cheese, milk, tomato sauce],
            groceries![bbq sauce; chocolate pudding, ketchup, salad dressing, alphabet soup, cream cheese],
            groceries![tomato sauce; milk, butter, orange juice, chocolate pudding, bbq sauce],
            groceries![orange juice; butter, chocolate pudding, bbq sauce, ketchup, salad dressing],
        ],
    ),
];
