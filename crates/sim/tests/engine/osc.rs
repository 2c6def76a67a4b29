//! Operational-space control: on a rig of ours, and in a world from files.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use longarm_assets::RigName;
use longarm_assets::source::{OscSettings, SourceGripper, SourceModel, SourceRobot, ToolFrame};
use longarm_sim::{OscController, SourceWorld, World};
use longarm_types::{DVec3, ToolScale};

use crate::counting;

#[test]
fn a_rig_of_ours_follows_by_torques() {
    let mut world = crate::empty(RigName::PANDA);
    let chain = world.controller(0).chain().clone();
    let home = world.limb_state(0).joints();
    let controller = OscController::new(chain, OscSettings::uniform(150.0), &home);
    world.set_controller(0, Box::new(controller));
    let tool = |world: &World| world.snapshot().hands[0].pose.pos;
    let start = tool(&world);
    let mut idle = world.control().idle();
    for _ in 0..20 {
        world.step(idle.values()).unwrap();
    }
    assert!((tool(&world) - start).length() < 2e-3, "sinks by {}", (tool(&world) - start).length());
    let want = start + DVec3::new(0.05, 0.12, 0.08);
    let n = counting::allocations(|| {
        for _ in 0..60 {
            let way = (want - world.snapshot().hands[0].pose.pos) / ToolScale::DEFAULT.metres;
            for (to, from) in idle.values_mut().iter_mut().zip(way.to_array()) {
                *to = from as f32;
            }
            world.step(idle.values()).unwrap();
        }
    });
    assert_eq!(n, 0, "allocations in 60 steps");
    assert!((tool(&world) - want).length() < 3e-3, "{} m off", (tool(&world) - want).length());
}

/// Seven joints in a row with two fingers, and a block that is free.
pub fn model() -> SourceModel {
    let mut xml = String::from(
        "<mujoco><compiler angle=\"radian\"/><option timestep=\"0.002\"/><worldbody>\
         <geom name=\"floor\" type=\"plane\" size=\"2 2 0.1\"/>\
         <body name=\"block_main\" pos=\"1 1 0.05\"><joint name=\"block_joint\" type=\"free\"/>\
         <geom type=\"box\" size=\"0.05 0.05 0.05\"/></body>\
         <body name=\"shelf\" pos=\"-1 0 0.5\"><site name=\"top\" pos=\"0 0 0.1\"/></body>",
    );
    for i in 0..7 {
        let axis = if i % 2 == 0 { "0 0 1" } else { "0 1 0" };
        let _ = write!(
            xml,
            "<body pos=\"0 0 {}\"><joint name=\"j{i}\" axis=\"{axis}\" damping=\"0.1\" armature=\"0.5\"/>\
             <geom type=\"capsule\" fromto=\"0 0 0 0 0 0.2\" size=\"0.03\" contype=\"0\" conaffinity=\"0\"/>",
            if i == 0 { "0.3" } else { "0.2" }
        );
    }
    xml.push_str("<site name=\"tool\" pos=\"0 0 0.25\"/>");
    for (i, range) in [(0, "0 0.04"), (1, "-0.04 0")] {
        let _ = write!(
            xml,
            "<body pos=\"0 0 0.2\"><joint name=\"finger{i}\" type=\"slide\" axis=\"0 1 0\" range=\"{range}\" \
             damping=\"100\" armature=\"1\"/><geom type=\"box\" size=\"0.01 0.01 0.02\" contype=\"0\" \
             conaffinity=\"0\"/></body>"
        );
    }
    xml.push_str(&"</body>".repeat(7));
    xml.push_str("</worldbody><actuator>");
    for i in 0..7 {
        let _ = write!(xml, "<motor name=\"m{i}\" joint=\"j{i}\" ctrlrange=\"-80 80\"/>");
    }
    for (i, range) in [(0, "0 0.04"), (1, "-0.04 0")] {
        let _ = write!(
            xml,
            "<position name=\"s{i}\" joint=\"finger{i}\" kp=\"1000\" ctrlrange=\"{range}\"/>"
        );
    }
    xml.push_str("</actuator></mujoco>");
    SourceModel { xml, files: BTreeMap::new(), used: BTreeMap::new() }
}

/// What drives it.
pub fn robot() -> SourceRobot {
    let names = |letter: &str| (0..7).map(|i| format!("{letter}{i}")).collect();
    SourceRobot {
        joints: names("j"),
        motors: names("m"),
        tool: "tool".into(),
        hand: ToolFrame { body: "world".into(), ahead: 0.0 },
        home: vec![0.1, 0.6, 0.0, 0.9, 0.0, 0.8, 0.0],
        osc: OscSettings::uniform(150.0),
        scale: ToolScale::DEFAULT,
        gripper: SourceGripper {
            joints: vec![("finger0".into(), 0.02), ("finger1".into(), -0.02)],
            actuators: vec![("s0".into(), -1.0), ("s1".into(), 1.0)],
            speed: 0.01,
            travel: 0.04,
        },
    }
}

#[test]
fn a_world_from_files_moves_its_tool_and_its_fingers() {
    let mut world = SourceWorld::new(&model(), &robot()).unwrap();
    let start = world.tool().0;
    let finger = world.joint("finger0").unwrap();
    let n = counting::allocations(|| {
        for _ in 0..8 {
            world.step(&[0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
        }
    });
    assert_eq!(n, 0, "allocations in 8 steps");
    world.refresh();
    let way = world.tool().0 - start;
    assert!(way.y > 0.03 && way.x.abs() < 0.02 && way.z.abs() < 0.02, "{way}");
    // Half the way at 1 % of it per physics step is four control steps; the servos take their time.
    for _ in 0..20 {
        world.step(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1]).unwrap();
    }
    assert!(world.positions()[finger] < 1e-3, "shut: {}", world.positions()[finger]);
    let before = world.positions()[finger];
    world.step(&[0.0; 7]).unwrap();
    assert!((world.positions()[finger] - before).abs() < 1e-4, "no command holds");
}

#[test]
fn a_state_is_set_and_the_controller_is_told_or_not() {
    let mut world = SourceWorld::new(&model(), &robot()).unwrap();
    let mut state = vec![0.0];
    state.extend_from_slice(world.positions());
    state.resize(world.state_len(), 0.0);
    assert!(!world.set_state(&state[1..]), "one number is missing");
    let elbow = 1 + world.joint("j3").unwrap();
    state[elbow] += 0.1;
    let moved = |told: bool, world: &mut SourceWorld| {
        world.reset();
        assert!(world.set_state(&state));
        if told {
            world.tell_controller();
        }
        let from = world.tool().0;
        for _ in 0..3 {
            world.step(&[0.0; 7]).unwrap();
        }
        world.refresh();
        (world.tool().0 - from).length()
    };
    let (told, not) = (moved(true, &mut world), moved(false, &mut world));
    assert!(told < 2e-3, "held: {told}");
    assert!(not > 0.01, "pulled back to where it was reset: {not}");
    assert_eq!(not.to_bits(), moved(false, &mut world).to_bits(), "the same again");
}

#[test]
fn fixed_bodies_are_placed_and_names_found() {
    let mut world = SourceWorld::new(&model(), &robot()).unwrap();
    let (shelf, top) = (world.body("shelf").unwrap(), world.site("top").unwrap());
    let pose = longarm_types::Pose::new(DVec3::new(0.5, -0.5, 0.25), world.body_pose(shelf).rot);
    world.place(shelf, &pose);
    world.reset();
    assert!((world.site_pose(top).0 - DVec3::new(0.5, -0.5, 0.35)).length() < 1e-12);
    assert!(world.body("nobody").unwrap_err().to_string().contains("no body \"nobody\""));
    let (block, floor) = (world.felt_geoms("block_"), world.felt_geoms("world"));
    assert_eq!((block.len(), floor.len()), (1, 1));
    for _ in 0..2 {
        world.step(&[0.0; 7]).unwrap();
    }
    assert!(world.touch(&block, &floor) && world.touch(&floor, &block));
    assert_eq!(world.numbers().bodies[1].name, "block_main");
}
