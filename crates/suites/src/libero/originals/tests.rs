//! Composition, draws and the test of success, without a file of LIBERO's.

use std::collections::BTreeMap;
use std::path::PathBuf;

use longarm_task::SourceView;
use longarm_task::bddl::{self, Problem};
use longarm_types::{DMat3, DVec3};

use super::objects::{Extent, Item, Shelf};
use super::*;

/// A stove, a pan and a pot on the kitchen's table.
fn problem(goal: &str) -> Problem {
    let text = format!(
        "(define (problem LIBERO_Kitchen_Tabletop_Manipulation) (:domain robosuite) (:language cook)
        (:regions
          (stove_place (:target kitchen_table) (:ranges ((-0.21000000000000002 0.19 -0.19 0.21000000000000002)))
            (:yaw_rotation ((0.0 0.0))))
          (pan_place (:target kitchen_table) (:ranges ((-0.07500000000000001 -0.275 -0.025 -0.225)))
            (:yaw_rotation ((0.0 0.0))))
          (cook_region (:target flat_stove_1)) (top_region (:target white_cabinet_1)))
        (:fixtures kitchen_table - kitchen_table flat_stove_1 - flat_stove white_cabinet_1 - white_cabinet)
        (:objects moka_pot_1 - moka_pot plate_1 - plate) (:obj_of_interest moka_pot_1)
        (:init (On flat_stove_1 kitchen_table_stove_place) (On moka_pot_1 kitchen_table_pan_place)
          (On white_cabinet_1 kitchen_table_stove_place))
        (:goal (And {goal})))"
    );
    bddl::parse(&text).unwrap()
}

fn item(name: &str, category: &str, shelf: Shelf, movable: bool, bottom: f64) -> Item {
    let extent = Extent { bottom, top: 0.05, radius: 0.05 };
    let body = Element::new("body").with("name", &root_body(name));
    Item { name: name.into(), category: category.into(), shelf, movable, extent, body }
}

#[test]
fn fixtures_stand_where_the_original_drew_them() {
    let items = [
        item("flat_stove_1", "flat_stove", Shelf::Articulated, false, -0.045),
        item("moka_pot_1", "moka_pot", Shelf::Turbosquid, true, -0.06),
        item("white_cabinet_1", "white_cabinet", Shelf::Articulated, false, -0.045),
    ];
    let problem = problem("(Turnon flat_stove_1)");
    let class = arena::class(&problem.name).unwrap();
    let parts = success::Parts::default();
    let sampler = placement::Sampler {
        problem: &problem,
        class,
        items: &items,
        parts: &parts,
        release: &LIBERO,
    };
    let drawn = sampler.reset(0).unwrap();
    let names: Vec<&str> = drawn.fixtures.iter().map(|d| d.0.as_str()).collect();
    assert_eq!(names, ["flat_stove_1", "white_cabinet_1"]);
    // As the original stack did under numpy.random.seed(0), in a scene with the stove first.
    let want = DVec3::new(-0.190_726_744_789_979_42, 0.197_668_830_376_515_56, 0.905);
    let stove = drawn.fixtures[0].1;
    assert_eq!(stove.pos.truncate(), want.truncate());
    assert!((stove.pos.z - want.z).abs() < 1e-12);
    assert_eq!(stove.wxyz(), [1.0, 0.0, 0.0, 0.0]);
    assert_ne!(stove.pos, sampler.reset(1).unwrap().fixtures[0].1.pos);
}

/// A scene that says what it is told.
#[derive(Default)]
struct Told {
    bodies: BTreeMap<&'static str, DVec3>,
    joints: BTreeMap<&'static str, f64>,
    turn: DMat3,
    touch: bool,
}

impl SourceView for Told {
    fn body(&self, name: &str) -> DVec3 {
        self.bodies.get(name).copied().unwrap_or(DVec3::NAN)
    }
    fn site(&self, name: &str) -> (DVec3, DMat3) {
        (self.body(name), self.turn)
    }
    fn joint(&self, name: &str) -> f64 {
        self.joints[name]
    }
    fn touch(&self, _: &str, _: &str) -> bool {
        self.touch
    }
}

fn goal(text: &str) -> OriginalGoal {
    let problem = problem(text);
    let mut parts = success::Parts::default();
    let body = |name: &str, sites: &[(&str, &str)], joint: Option<&str>| {
        let mut out = Element::new("body").with("name", name);
        for (site, size) in sites {
            out.children.push(Element::new("site").with("name", site).with("size", size));
        }
        if let Some(joint) = joint {
            out.children.push(Element::new("joint").with("name", joint));
        }
        out
    };
    for i in problem.objects.iter().chain(&problem.fixtures) {
        let root = root_body(&i.name);
        parts.add(
            i,
            &match i.name.as_str() {
                "flat_stove_1" => body(
                    &root,
                    &[("flat_stove_1_cook_region", "0.1 0.05 0.01")],
                    Some("flat_stove_1_button"),
                ),
                "white_cabinet_1" => {
                    let mut outer = body(&root, &[], None);
                    let inner = [("white_cabinet_1_top_region", "0.1 0.1 0.05")];
                    outer.children.push(body("drawer", &inner, Some("white_cabinet_1_top_level")));
                    outer
                }
                _ => body(&root, &[], None),
            },
        );
    }
    OriginalGoal::new(&problem, "kitchen_table", parts, &LIBERO).unwrap()
}

#[test]
fn on_a_site_turns_the_wrong_way_and_asks_for_contact() {
    let on = goal("(On moka_pot_1 flat_stove_1_cook_region)");
    let mut told = Told { turn: DMat3::IDENTITY, touch: true, ..Told::default() };
    told.bodies.insert("flat_stove_1_cook_region", DVec3::new(1.0, 0.0, 1.0));
    told.bodies.insert("moka_pot_1_main", DVec3::new(1.08, 0.0, 1.05));
    assert!(on.all_hold(&told));
    told.touch = false;
    assert!(!on.all_hold(&told), "in mid-air");
    told.touch = true;
    // Under a turn of 45° about z the original looks at R d where Rᵀ d would be right.
    told.turn = DMat3::from_rotation_z(std::f64::consts::FRAC_PI_4);
    told.bodies.insert("moka_pot_1_main", DVec3::new(1.05, -0.05, 1.05));
    assert!(on.all_hold(&told), "R d = (0.07, 0)");
    told.bodies.insert("moka_pot_1_main", DVec3::new(1.05, 0.05, 1.05));
    assert!(!on.all_hold(&told), "R d = (0, 0.07)");
}

#[test]
fn on_an_object_in_a_region_and_on_the_table() {
    let mut told = Told { turn: DMat3::IDENTITY, touch: true, ..Told::default() };
    let at = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    told.bodies.extend([("moka_pot_1_main", at(0.02, 1.0)), ("plate_1_main", at(0.0, 0.9))]);
    assert!(goal("(On moka_pot_1 plate_1)").all_hold(&told));
    told.bodies.insert("plate_1_main", at(-0.011, 0.9));
    assert!(!goal("(On moka_pot_1 plate_1)").all_hold(&told), "31 mm apart");
    let inside = goal("(In moka_pot_1 white_cabinet_1_top_region)");
    told.bodies.insert("white_cabinet_1_top_region", at(0.0, 1.055));
    assert!(inside.all_hold(&told), "a centimetre below the region still counts");
    told.bodies.insert("white_cabinet_1_top_region", at(0.0, 1.061));
    assert!(!inside.all_hold(&told));
    // A region of the table asks for no contact.
    let table = goal("(On plate_1 kitchen_table_stove_place)");
    told.touch = false;
    told.bodies.insert("kitchen_table_stove_place", at(-0.011, 0.85));
    assert!(table.all_hold(&told));
}

#[test]
fn joints_open_shut_and_turn_on() {
    let (open, shut) =
        (goal("(Open white_cabinet_1_top_region)"), goal("(Close white_cabinet_1_top_region)"));
    let on = goal("(Turnon flat_stove_1)");
    for (drawer, button, want) in [
        (-0.15, 0.5, (true, false, true)),
        (-0.1, 0.49, (false, false, false)),
        (0.001, -0.1, (false, true, false)),
    ] {
        let mut told = Told::default();
        told.joints.insert("white_cabinet_1_top_level", drawer);
        told.joints.insert("flat_stove_1_button", button);
        assert_eq!(
            (open.all_hold(&told), shut.all_hold(&told), on.all_hold(&told)),
            want,
            "{drawer} {button}"
        );
    }
}

/// Folders as users have them, with the least that a scene is made of.
struct Folders(PathBuf);

impl Folders {
    fn new() -> Self {
        let dir = std::env::temp_dir().join(format!("longarm-originals-{}", std::process::id()));
        let object = |name: &str, inner: &str| {
            format!(
                "<mujoco model=\"{name}\"><worldbody><body><body name=\"object\">{inner}\
                 <geom type=\"box\" size=\"0.1 0.1 0.1\" group=\"0\"/></body>\
                 <site name=\"bottom_site\" pos=\"0 0 -0.045\" size=\"0.005\"/></body></worldbody></mujoco>"
            )
        };
        let legs: String = (1..=4)
            .map(|i| format!("<geom name=\"table_leg{i}_visual\" type=\"cylinder\" size=\"1 1\" group=\"1\"/>"))
            .collect();
        let scene = format!(
            "<mujoco><asset><texture name=\"texplane\" type=\"2d\" file=\"../textures/a.png\"/>\
             <texture name=\"tex-wall\" type=\"2d\" file=\"../textures/a.png\"/></asset><worldbody>\
             <geom name=\"floor\" type=\"plane\" size=\"3 3 .1\" group=\"1\"/><body name=\"table\">\
             <geom name=\"table_collision\" type=\"box\" size=\"1 1 1\" group=\"0\" material=\"m\"/>\
             <geom name=\"table_visual\" type=\"box\" size=\"1 1 1\" group=\"1\"/>\
             <site name=\"table_top\" size=\"0.001\"/>{legs}</body></worldbody></mujoco>"
        );
        let files = [
            ("robosuite/base.xml", "<mujoco><option cone=\"elliptic\"/><worldbody/></mujoco>".to_owned()),
            (
                "robosuite/robots/panda/robot.xml",
                "<mujoco><worldbody><body name=\"base\"><joint name=\"joint1\"/><joint name=\"joint2\"/>\
                 <geom type=\"box\" size=\"1 1 1\"/><body name=\"right_hand\"/></body></worldbody></mujoco>"
                    .to_owned(),
            ),
            (
                "robosuite/grippers/panda_gripper.xml",
                "<mujoco><worldbody><body name=\"eef\"/></worldbody><actuator><position name=\"a\" \
                 joint=\"f\"/></actuator></mujoco>"
                    .to_owned(),
            ),
            ("robosuite/mounts/rethink_mount.xml", "<mujoco><worldbody><body name=\"base\"/></worldbody></mujoco>".to_owned()),
            ("libero/assets/scenes/libero_kitchen_tabletop_base_style.xml", scene),
            (
                "libero/assets/articulated_objects/flat_stove.xml",
                object("s", "<joint name=\"button\"/><site name=\"cook_region\" size=\"0.1 0.1 0.1\"/>"),
            ),
            (
                "libero/assets/articulated_objects/white_cabinet.xml",
                object("c", "<joint name=\"top_level\"/><site name=\"top_region\" size=\"0.1 0.1 0.1\"/>"),
            ),
            ("libero/assets/turbosquid_objects/moka_pot/moka_pot.xml", object("m", "")),
            ("libero/assets/stable_scanned_objects/plate/plate.xml", object("p", "")),
        ];
        for (file, text) in files {
            let path = dir.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self(dir)
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_scene_is_composed_in_the_originals_order_and_names() {
    let folders = Folders::new();
    let (libero, robosuite) = (folders.0.join("libero"), folders.0.join("robosuite"));
    let library = library(&libero, &robosuite, &[]).unwrap();
    let problem = problem("(Turnon flat_stove_1)");
    let error = compose(&library, &problem, Physics::Current).unwrap_err().to_string();
    assert!(
        error.contains("libero:textures/gray_ceramic_tile.png"),
        "a missing file is named: {error}"
    );
    let textures = folders.0.join("libero/assets/textures");
    std::fs::create_dir_all(&textures).unwrap();
    // The smallest PNG there is.
    let png = [
        137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1, 8, 0,
        0, 0, 0, 58, 126, 155, 85, 0, 0, 0, 10, 73, 68, 65, 84, 120, 156, 99, 96, 0, 0, 0, 2, 0, 1,
        72, 175, 164, 113, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
    ];
    for name in ["gray_ceramic_tile.png", "yellow_linen_wall_texture.png"] {
        std::fs::write(textures.join(name), png).unwrap();
    }
    let scene = compose(&library, &problem, Physics::Earlier).unwrap();
    let xml = &scene.model.xml;
    let order = [
        "\"table\"",
        "\"robot0_base\"",
        "\"gripper0_eef\"",
        "\"mount0_base\"",
        "\"moka_pot_1_main\"",
        "\"plate_1_main\"",
        "\"flat_stove_1_main\"",
        "\"white_cabinet_1_main\"",
    ];
    let places: Vec<usize> =
        order.iter().map(|n| xml.find(&format!("<body name={n}")).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    for part in [
        "<joint name=\"robot0_joint2\" frictionloss=\"0.1\" armature=\"2.5\" damping=\"0.1\"/>",
        "<joint type=\"free\" name=\"moka_pot_1_joint0\" damping=\"0.0005\"/>",
        "name=\"flat_stove_1_g0\"",
        "name=\"robot0_g0_col\" rgba=\"0 0.5 0 1\"",
        "<flag nativeccd=\"disable\" multiccd=\"disable\"/>",
        "colorspace=\"linear\"",
        "<body name=\"robot0_base\" pos=\"-0.66 0 0.912\">",
    ] {
        assert!(xml.contains(part), "{part} in\n{xml}");
    }
    assert!(!xml.contains("flat_stove_1_joint0"), "fixtures have no joint at the root");
    assert_eq!((scene.objects.len(), scene.fixtures.len()), (2, 2));
    assert!(scene.model.used.len() >= 11 && scene.fixture_poses(0).unwrap().len() == 2);
    let mut other = problem.clone();
    other.objects[0].category = "anvil".into();
    let error = compose(&library, &other, Physics::Current).unwrap_err().to_string();
    assert!(error.contains("\"anvil\""), "{error}");
    other.objects[0].category = "a\"b".into();
    assert!(
        compose(&library, &other, Physics::Current).unwrap_err().to_string().contains("letters")
    );
}
