//! Rooms: one row per problem class, and what its class does to the room's file.

use longarm_assets::source::{Element, Library};
use longarm_task::bddl::{Problem, Region};

use super::release::Release;
use super::{OriginalError, lacking, recolour};

/// What the problem classes differ in.
#[derive(Debug)]
pub(super) struct Class {
    /// Name of the problem in small letters.
    problem: &'static str,
    /// File in `scenes`.
    scene: &'static str,
    floor: &'static str,
    wall: &'static str,
    /// Category of the fixture that is the table itself.
    pub table_category: &'static str,
    /// What names of the table's regions contain.
    pub workspace: &'static str,
    /// Body that regions of the table belong to.
    table_body: &'static str,
    /// Size and sliding friction of a table that is a box.
    table: Option<([f64; 3], f64)>,
    /// Where regions count from, and their height in the table body's frame.
    zone: [f64; 3],
    /// Where places of objects count from.
    pub origin: [f64; 3],
    /// How far fixtures are raised.
    pub fixture_lift: f64,
    /// Objects are drawn so that they lie within their region as a whole.
    pub inside: bool,
    /// Where the robot stands, and whether on a pedestal.
    pub base: [f64; 3],
    pub mounted: bool,
    cameras: &'static [Camera],
}

impl Class {
    /// Whether it has a camera of this name.
    pub(super) fn has_camera(&self, name: &str) -> bool {
        self.cameras.iter().any(|c| c.0 == name)
    }
}

/// Name, position and quaternion.
type Camera = (&'static str, [f64; 3], [f64; 4]);

pub(super) const STEEP: [f64; 4] = [
    0.638_017_773_628_234_9,
    0.304_849_743_843_078_6,
    0.304_849_863_052_368_16,
    0.638_017_773_628_234_9,
];
const LOW: [f64; 4] = [
    0.618_216_693_401_336_7,
    0.343_230_754_137_039_2,
    0.343_231_439_590_454_1,
    0.618_217_706_680_297_9,
];
const FRONT: [f64; 4] = [0.56, 0.43, 0.43, 0.56];
const GALLERY: Camera = (
    "galleryview",
    [2.844_547_668_904_445, 2.127_968_479_344_066_7, 3.128_616_846_013_882],
    [
        0.422_613_799_571_989_97,
        0.233_744_114_637_374_88,
        0.416_469_395_160_675_05,
        0.770_269_095_897_674_6,
    ],
);
const PAPER: [f64; 4] = [0.513, 0.353, 0.443, 0.645];

/// A mounted robot at a table that is a box.
const TABLETOP: Class = Class {
    problem: "libero_tabletop_manipulation",
    scene: "libero_tabletop_base_style.xml",
    floor: "light-gray-floor-tile.png",
    wall: "light-gray-plaster.png",
    table_category: "table",
    workspace: "main_table",
    table_body: "table",
    table: Some(([1.0, 1.2, 0.05], 0.6)),
    zone: [0.0, 0.0, 0.02],
    origin: [0.0, 0.0, 0.90],
    fixture_lift: 0.01 - 0.05,
    inside: true,
    base: [-0.66, 0.0, 0.0],
    mounted: true,
    cameras: &[
        ("agentview", [0.658_613_174_683_477_1, 0.0, 1.610_350_024_037_242_3], STEEP),
        ("frontview", [1.0, 0.0, 1.48], FRONT),
        GALLERY,
    ],
};

/// A robot that stands on the floor of a living room.
const LIVING_ROOM: Class = Class {
    problem: "libero_living_room_tabletop_manipulation",
    scene: "libero_living_room_tabletop_base_style.xml",
    floor: "seamless_wood_planks_floor.png",
    table_category: "living_room_table",
    workspace: "living_room_table",
    table_body: "living_room_table",
    table: None,
    zone: [0.0, 0.0, 0.41],
    origin: [0.0, 0.0, 0.41],
    fixture_lift: 0.01 - 0.024,
    inside: false,
    base: [-0.51, 0.0, 0.42],
    mounted: false,
    cameras: &[
        ("agentview", [0.606_577_371_683_613_4, 0.0, 0.96], LOW),
        ("frontview", [1.5, 0.0, 0.9], FRONT),
        GALLERY,
        ("paperview", [2.1, 0.735, 1.875], PAPER),
    ],
    ..TABLETOP
};

const CLASSES: &[Class] = &[
    TABLETOP,
    Class {
        problem: "libero_kitchen_tabletop_manipulation",
        scene: "libero_kitchen_tabletop_base_style.xml",
        floor: "gray_ceramic_tile.png",
        wall: "yellow_linen_wall_texture.png",
        table_category: "kitchen_table",
        workspace: "kitchen_table",
        table: Some(([1.0, 1.2, 0.05], 1.0)),
        zone: [0.0; 3],
        inside: false,
        cameras: &[
            ("agentview", [0.658_613_174_683_477_1, 0.0, 1.610_350_024_037_242_3], STEEP),
            ("frontview", [1.0, 0.0, 1.48], FRONT),
            GALLERY,
            ("paperview", [2.1, 0.535, 2.075], PAPER),
        ],
        ..TABLETOP
    },
    Class {
        problem: "libero_study_tabletop_manipulation",
        scene: "libero_study_base_style.xml",
        table_category: "study_table",
        workspace: "study_table",
        table_body: "study_table",
        table: None,
        zone: [-0.2, 0.0, 0.867],
        origin: [-0.2, 0.0, 0.867],
        inside: false,
        base: [-0.75, 0.0, 0.0],
        cameras: &[
            ("agentview", [0.458_613_174_683_477_1, 0.0, 1.610_350_024_037_242_3], STEEP),
            ("frontview", [1.0, 0.0, 1.48], FRONT),
            GALLERY,
            ("paperview", [2.1, 0.535, 2.075], PAPER),
        ],
        ..TABLETOP
    },
    LIVING_ROOM,
    Class {
        problem: "libero_coffee_table_manipulation",
        scene: "libero_coffee_table_base_style.xml",
        table_category: "coffee_table",
        workspace: "coffee_table",
        table_body: "coffee_table",
        zone: TABLETOP.zone,
        inside: true,
        base: [-0.51, 0.0, 0.41],
        cameras: &[
            ("agentview", [1.5, 0.0, 0.9], FRONT),
            GALLERY,
            ("canonical_agentview", [0.538_613_174_683_477_1, 0.0, 0.790_350_024_037_242_3], STEEP),
        ],
        ..LIVING_ROOM
    },
    Class {
        problem: "libero_floor_manipulation",
        scene: "libero_floor_base_style.xml",
        table_category: "floor",
        workspace: "floor",
        table_body: "floor",
        table: None,
        origin: [0.0, 0.0, -0.035],
        fixture_lift: -0.025,
        base: [-0.6, 0.0, 0.0],
        mounted: false,
        cameras: &[
            ("agentview", [0.896_577_371_683_613_4, 5.216_182_733_499_864e-7, 0.65], LOW),
            ("frontview", [1.0, 0.0, 0.65], FRONT),
            GALLERY,
        ],
        ..TABLETOP
    },
];

/// Find the class of a problem by its name.
pub(super) fn class(problem: &str) -> Result<&'static Class, OriginalError> {
    let name = problem.to_ascii_lowercase();
    CLASSES.iter().find(|c| c.problem == name).ok_or(OriginalError::Unknown {
        what: "problem class",
        name: problem.to_owned(),
        remedy: "a problem is called LIBERO_Tabletop_Manipulation or like another of its classes",
    })
}

/// Read a room and set it up for a problem.
pub(super) fn arena(
    library: &Library,
    class: &Class,
    problem: &Problem,
    release: &Release,
) -> Result<Element, OriginalError> {
    let file = format!("libero:scenes/{}", class.scene);
    let mut room = library.model(&file)?;
    room.inline_defaults();
    let lacks = |what: &str| lacking(&file, what);
    for (texture, picture) in [("texplane", class.floor), ("tex-wall", class.wall)] {
        let element = room.find_mut("texture", texture).ok_or_else(|| lacks(texture))?;
        let old = element.get("file").ok_or_else(|| lacks(texture))?;
        let folder = old.rsplit_once('/').map_or("libero:", |(folder, _)| folder).to_owned();
        element.set("file", format!("{folder}/{picture}"));
    }
    recolour(room.section("worldbody"), "0.5 0.5 0 1");
    if let Some((size, friction)) = class.table {
        set_table(room.section("worldbody"), size, friction).ok_or_else(|| lacks("table"))?;
    }
    for (name, pos, quat) in class.cameras {
        let world = room.section("worldbody");
        if world.find_mut("camera", name).is_none() {
            world.children.push(Element::new("camera").with("name", name));
        }
        let camera = world.find_mut("camera", name).ok_or_else(|| lacks(name))?;
        let (pos, quat) = match &release.agentview {
            Some((pos, quat)) if *name == "agentview" => (pos, quat),
            _ => (pos, quat),
        };
        camera.set_numbers("pos", pos);
        camera.set_numbers("quat", quat);
    }
    let body = room.section("worldbody").find_mut("body", class.table_body);
    let body = body.ok_or_else(|| lacks(class.table_body))?;
    body.children.extend(problem.regions.iter().filter_map(|r| zone(class, r)));
    Ok(room)
}

/// Give a table its size: top, legs and the mark on top of it.
fn set_table(world: &mut Element, size: [f64; 3], friction: f64) -> Option<()> {
    const HEIGHT: f64 = 0.90;
    let half = size.map(|s| s / 2.0);
    world.find_mut("geom", "floor")?.set_numbers("pos", &[0.0; 3]);
    let table = world.find_mut("body", "table")?;
    table.set_numbers("pos", &[0.0, 0.0, -half[2] + HEIGHT]);
    let felt = table.find_mut("geom", "table_collision")?;
    felt.set_numbers("size", &half);
    felt.set_numbers("friction", &[friction, 0.005, 0.0001]);
    table.find_mut("geom", "table_visual")?.set_numbers("size", &half);
    table.find_mut("site", "table_top")?.set_numbers("pos", &[0.0, 0.0, half[2]]);
    for (leg, dx, dy) in [(1, 0.1, 0.1), (2, -0.1, 0.1), (3, -0.1, -0.1), (4, 0.1, -0.1)] {
        let leg = table.find_mut("geom", &format!("table_leg{leg}_visual"))?;
        let at = |d: f64, half: f64| {
            if half > (d * 2.0).abs() { half.copysign(d) - d } else { 0.0 }
        };
        let z = (HEIGHT - half[2]) / 2.0;
        leg.set_numbers("pos", &[at(dx, half[0]), at(dy, half[1]), -z]);
        leg.set_numbers("size", &[0.025, z]);
    }
    Some(())
}

/// The mark of a region of the table.
fn zone(class: &Class, region: &Region) -> Option<Element> {
    let key = region.key();
    let [x0, y0, x1, y1] = *region.ranges.first()?;
    if !key.contains(class.workspace) {
        return None;
    }
    let [dx, dy, z] = class.zone;
    let mut site = Element::new("site").with("name", &key).with("type", "box");
    site.set_numbers("pos", &[(x1 + x0) / 2.0 + dx, (y1 + y0) / 2.0 + dy, z]);
    site.set_numbers("quat", &[1.0, 0.0, 0.0, 0.0]);
    site.set_numbers("rgba", &region.rgba.unwrap_or([0.0, 0.0, 1.0, 0.0]));
    site.set_numbers("size", &[(x1 - x0) / 2.0, (y1 - y0) / 2.0, 0.007]);
    Some(site)
}
