//! LIBERO's vocabulary against its published numbers.

use std::collections::BTreeSet;

use longarm_assets::libero::room::Room;
use longarm_assets::libero::{self, Category};
use longarm_assets::{Asset, GraspKind, Mjcf, PartMotion, RegionKind, RigName};
use longarm_types::DVec3;

/// Category, full size (stood up where LIBERO stands it up) and clearance, as published.
const PUBLISHED: &[(&str, [f64; 3], f64)] = &[
    ("akita_black_bowl", [0.1072, 0.107, 0.0505], 0.025),
    ("alphabet_soup", [0.0661, 0.0711, 0.0836], 0.025),
    ("basket", [0.1695, 0.1573, 0.1415], 0.025),
    ("bbq_sauce", [0.0498, 0.0335, 0.1142], 0.015),
    ("black_book", [0.0302, 0.1133, 0.1382], 0.025),
    ("bowl_drainer", [0.2074, 0.2325, 0.1441], 0.025),
    ("butter", [0.0775, 0.0398, 0.018], 0.02),
    ("chefmate_8_frypan", [0.3585, 0.2057, 0.0588], 0.025),
    ("chocolate_pudding", [0.0835, 0.0495, 0.0299], 0.025),
    ("cookies", [0.0621, 0.0836, 0.0201], 0.025),
    ("cream_cheese", [0.0829, 0.0427, 0.0194], 0.03),
    ("glazed_rim_porcelain_ramekin", [0.0893, 0.0891, 0.0433], 0.025),
    ("ketchup", [0.0645, 0.0434, 0.1486], 0.025),
    ("macaroni_and_cheese", [0.0865, 0.0281, 0.1164], 0.025),
    ("milk", [0.0541, 0.0549, 0.1428], 0.03),
    ("moka_pot", [0.0814, 0.152, 0.1542], 0.025),
    ("new_salad_dressing", [0.064, 0.0437, 0.1474], 0.025),
    ("orange_juice", [0.0537, 0.0546, 0.1444], 0.025),
    ("plate", [0.1382, 0.1376, 0.0191], 0.025),
    ("popcorn", [0.0632, 0.0425, 0.02], 0.025),
    ("porcelain_mug", [0.1307, 0.0968, 0.1146], 0.025),
    ("red_bowl", [0.0849, 0.0832, 0.0354], 0.025),
    ("red_coffee_mug", [0.1263, 0.0932, 0.1367], 0.025),
    ("salad_dressing", [0.064, 0.0437, 0.1474], 0.025),
    ("tomato_sauce", [0.0665, 0.0702, 0.0828], 0.025),
    ("white_bowl", [0.0849, 0.0832, 0.0354], 0.025),
    ("white_yellow_mug", [0.1404, 0.1061, 0.1049], 0.025),
    ("wine_bottle", [0.0435, 0.0442, 0.1588], 0.025),
    ("wooden_tray", [0.2977, 0.1667, 0.0824], 0.025),
    ("yellow_book", [0.027, 0.1012, 0.1242], 0.025),
    ("desk_caddy", [0.1578, 0.44, 0.1694], 0.025),
    ("flat_stove", [0.297, 0.19, 0.0739], 0.045),
    ("microwave", [0.345, 0.2631, 0.1885], 0.015),
    ("white_cabinet", [0.2564, 0.2218, 0.2184], 0.045),
    ("wine_rack", [0.27, 0.2656, 0.3304], 0.025),
    ("wooden_cabinet", [0.2564, 0.2218, 0.2184], 0.045),
    ("wooden_two_layer_shelf", [0.3515, 0.1909, 0.2104], 0.025),
];

/// Regions by LIBERO's site names.
const REGIONS: &[(&str, &[&str])] = &[
    ("wooden_cabinet", &["top_side", "top_region", "middle_region", "bottom_region"]),
    ("white_cabinet", &["top_side", "top_region", "middle_region", "bottom_region"]),
    ("microwave", &["top_side", "heating_region"]),
    ("flat_stove", &["cook_region"]),
    ("wine_rack", &["top_region"]),
    ("wooden_two_layer_shelf", &["top_side", "top_region", "bottom_region"]),
    (
        "desk_caddy",
        &[
            "left_contain_region",
            "right_contain_region",
            "back_contain_region",
            "front_contain_region",
        ],
    ),
    ("basket", &["contain_region"]),
    ("wooden_tray", &["contain_region"]),
    ("bowl_drainer", &["left_region", "right_region"]),
];

fn asset(name: &str) -> Asset {
    libero::asset(name).unwrap_or_else(|| panic!("no {name}"))
}

/// Corners of everything drawn at rest: positions of the meshes' vertices.
fn drawn(asset: &Asset) -> (DVec3, DVec3) {
    let mut out = Mjcf::default();
    asset.build("sample", &mut out);
    let (xml, files) = out.finish("");
    let mut at = vec![DVec3::ZERO];
    let (mut lo, mut hi) = (DVec3::MAX, DVec3::MIN);
    for tag in xml.split('<').skip(1) {
        let value = |key: &str| -> Option<&str> {
            let from = tag.find(&format!(" {key}=\""))? + key.len() + 3;
            tag[from..].split('"').next()
        };
        let place = || -> DVec3 {
            let v: Vec<f64> = value("pos").map_or(vec![0.0; 3], |p| {
                p.split(' ').map(|x| x.parse().expect("number")).collect()
            });
            DVec3::new(v[0], v[1], v[2])
        };
        if tag.starts_with("body ") {
            at.push(at[at.len() - 1] + place());
        } else if tag.starts_with("/body") {
            at.pop();
        } else if let (true, Some(mesh)) = (tag.starts_with("geom class=\"visual\""), value("mesh"))
        {
            let bytes = &files[&format!("{mesh}.msh")];
            let word = |i: usize| -> [u8; 4] { bytes[4 * i..4 * i + 4].try_into().expect("four") };
            for v in 0..i32::from_le_bytes(word(0)) as usize {
                let p = [0, 1, 2].map(|k| f64::from(f32::from_le_bytes(word(4 + 3 * v + k))));
                let p = at[at.len() - 1] + place() + DVec3::from(p);
                (lo, hi) = (lo.min(p), hi.max(p));
            }
        }
    }
    (lo, hi)
}

#[test]
fn sizes_are_the_published_ones() {
    for &(name, size, clearance) in PUBLISHED {
        let category = Category::named(name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(category.clearance(), clearance, "{name}");
        let info = asset(name).info().clone();
        let off = (2.0 * DVec3::from(info.bounds.half) - DVec3::from(size)).abs();
        assert!(off.max_element() < 0.006, "{name}: bounds are off by {off}");
    }
    let listed: BTreeSet<_> = PUBLISHED.iter().map(|p| p.0).collect();
    let ours: Vec<_> = libero::CATEGORIES.iter().filter(|c| !listed.contains(**c)).collect();
    let of_our_own =
        ["corn", "egg", "lemon", "onion", "potato", "rack", "wooden_cabinet_tall_bottom"];
    assert_eq!(ours, of_our_own.each_ref(), "sizes of our own");
}

#[test]
fn what_is_drawn_fills_the_bounds() {
    for name in libero::CATEGORIES {
        let b = asset(name).info().bounds;
        let (lo, hi) = drawn(&asset(name));
        let (c, h) = (DVec3::from(b.centre), DVec3::from(b.half));
        let off = (lo - (c - h)).abs().max((hi - (c + h)).abs());
        assert!(off.max_element() < 0.004, "{name}: drawn {lo} to {hi}, bounds {b:?}");
    }
}

#[test]
fn names_lead_to_assets_and_back() {
    assert_eq!(libero::CATEGORIES.len(), Category::ALL.len());
    for name in libero::CATEGORIES {
        let category = Category::named(name).unwrap();
        assert_eq!(category.name(), *name);
        assert!(!asset(name).noun().contains('_'));
    }
    assert_eq!(libero::asset("teapot"), None);
    assert_eq!(libero::asset("kitchen_table"), None, "tables belong to the rig");
    assert_eq!(libero::table("kitchen_table"), Some(RigName::LIBERO_KITCHEN));
    assert_eq!(libero::table("table"), Some(RigName::LIBERO_TABLETOP));
    assert_eq!(libero::table("akita_black_bowl"), None);
}

#[test]
fn sites_are_regions() {
    for (name, regions) in REGIONS {
        let info = asset(name).info().clone();
        let names: Vec<_> = info.regions.iter().map(|r| r.name.as_str()).collect();
        for r in *regions {
            let region = info.region(r).unwrap_or_else(|| panic!("{name} has {names:?}, not {r}"));
            let flat = matches!(*r, "top_side" | "cook_region") || *name == "wine_rack";
            assert_eq!(region.kind == RegionKind::Surface, flat, "{name} {r}");
        }
        assert_eq!(names.len(), regions.len(), "{name} has {names:?}");
    }
}

#[test]
fn parts_move_as_published() {
    for name in ["wooden_cabinet", "white_cabinet"] {
        let info = asset(name).info().clone();
        for drawer in ["top", "middle", "bottom"] {
            let part = info.part(drawer).expect("drawer");
            assert_eq!(part.motion, PartMotion::Slide { axis: [0.0, -1.0, 0.0] });
            assert_eq!((part.range, part.open[0], part.closed[1]), ([-0.01, 0.16], 0.14, 0.0));
            assert_eq!((part.start(true), part.start(false)), ([0.14, 0.16], [-0.005, 0.0]));
            let region = info.region(&format!("{drawer}_region")).expect("region");
            assert_eq!(region.part.as_deref(), Some(drawer));
            assert!(info.grasps.iter().any(|g| g.part.as_deref() == Some(drawer)));
        }
    }
    let info = asset("microwave").info().clone();
    let door = info.part("door").expect("door");
    assert_eq!((door.range, door.open[0], door.closed[1]), ([0.0, 2.094], 1.3, 0.005));
    assert_eq!((door.start(true), door.start(false)), ([1.3, 2.094], [0.0, 0.005]));
    let info = asset("flat_stove").info().clone();
    let knob = info.part("knob").expect("knob");
    assert_eq!((knob.range, knob.open[0], knob.closed[1]), ([-0.005, 2.1], 0.5, 0.0));
    for (name, part) in [("microwave", "door"), ("flat_stove", "knob")] {
        let info = asset(name).info().clone();
        assert!(info.grasps.iter().any(|g| g.part.as_deref() == Some(part)), "{name}");
    }
}

#[test]
fn objects_are_taken_where_hands_take_them() {
    let kinds = |name: &str| -> Vec<GraspKind> {
        asset(name).info().grasps.iter().map(|g| g.kind).collect()
    };
    for name in ["akita_black_bowl", "white_bowl", "plate", "porcelain_mug", "basket"] {
        assert_eq!(kinds(name)[0], GraspKind::Rim, "{name}");
    }
    for name in ["chefmate_8_frypan", "moka_pot", "red_coffee_mug"] {
        assert!(kinds(name).contains(&GraspKind::Handle), "{name}");
    }
    for name in ["butter", "milk", "ketchup", "black_book", "wine_bottle", "egg", "corn"] {
        assert_eq!(kinds(name)[0], GraspKind::Pinch, "{name}");
    }
}

#[test]
fn rigs_see_what_libero_sees() {
    let rigs = [
        RigName::LIBERO_KITCHEN,
        RigName::LIBERO_TABLETOP,
        RigName::LIBERO_LIVING_ROOM,
        RigName::LIBERO_STUDY,
        RigName::LIBERO_COFFEE,
        RigName::LIBERO_FLOOR,
    ];
    for (room, rig) in Room::ALL.into_iter().zip(rigs) {
        let rig = rig.rig();
        assert_eq!(rig.arena, longarm_assets::Arena::Libero(room));
        assert_eq!((rig.cameras[0].fovy, rig.cameras[1].fovy), (45.0, 75.0));
        let longarm_assets::CameraMount::World(eye) = rig.cameras[0].mount else { panic!() };
        // The middle of the table lies in the picture.
        let p = eye.local(DVec3::ZERO);
        let edge = -p.z * 22.5f64.to_radians().tan();
        assert!(p.z < 0.0 && p.x.abs() < edge && p.y.abs() < edge, "{room:?}: {p}");
        // Its top is up.
        assert!(eye.dir(DVec3::Y).z > 0.5);
    }
    let kitchen = RigName::LIBERO_KITCHEN.rig();
    assert!((kitchen.robots[0].mount.pos - DVec3::new(-0.66, 0.0, 0.012)).length() < 1e-12);
    let study = RigName::LIBERO_STUDY.rig();
    assert!((study.robots[0].mount.pos - DVec3::new(-0.55, 0.0, 0.045)).length() < 1e-12);
}
