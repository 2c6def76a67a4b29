//! LIBERO-Goal: one table, ten goals.

use std::f64::consts::PI;

use super::scene::{Scene, fixture, l90, object, spot};

pub(super) const SCENES: &[Scene] = &[Scene {
    name: "TABLETOP",
    fixtures: &[
        fixture("wooden_cabinet", 0.03, -0.24).label("cabinet_region").yaw(PI, PI),
        fixture("flat_stove", -0.41, 0.21).label("stove_region"),
        fixture("wine_rack", -0.26, -0.26).label("wine_rack_region").yaw(PI, PI),
    ],
    objects: &[
        object("akita_black_bowl_1", -0.09, 0.0).label("akita_black_bowl_region").half(0.01),
        object("cream_cheese_1", -0.05, 0.13).label("cream_cheese_region").half(0.01),
        object("wine_bottle_1", -0.2, -0.05).label("wine_bottle_region").half(0.01),
        object("plate_1", 0.05, -0.02).label("plate_region").half(0.01),
    ],
    spots: &[spot("stove_front_region", [-0.09, 0.17, -0.01, 0.25])],
    state: &[],
    free: &[],
    tasks: &[
        l90("open the middle drawer of the cabinet", "open wooden_cabinet_1_middle_region"),
        l90("put the bowl on the stove", "on akita_black_bowl_1 flat_stove_1_cook_region"),
        l90(
            "put the wine bottle on top of the cabinet",
            "on wine_bottle_1 wooden_cabinet_1_top_side",
        ),
        l90(
            "open the top drawer and put the bowl inside",
            "in akita_black_bowl_1 wooden_cabinet_1_top_region",
        ),
        l90(
            "put the bowl on top of the cabinet",
            "on akita_black_bowl_1 wooden_cabinet_1_top_side",
        ),
        l90("push the plate to the front of the stove", "on plate_1 main_table_stove_front_region"),
        l90("put the cream cheese in the bowl", "on cream_cheese_1 akita_black_bowl_1"),
        l90("turn on the stove", "turnon flat_stove_1"),
        l90("put the bowl on the plate", "on akita_black_bowl_1 plate_1"),
        l90("put the wine bottle on the rack", "on wine_bottle_1 wine_rack_1_top_region"),
    ],
}];
