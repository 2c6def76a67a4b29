//! The Panda with its gripper and pedestal, and what drives it.

use std::f64::consts::FRAC_PI_4;

use longarm_assets::source::{
    Element, Library, OscSettings, SourceGripper, SourceRobot, ToolFrame,
};
use longarm_types::ToolScale;

use super::arena::Class;
use super::{OriginalError, lacking, merge_assets, recolour};

const HOME: [f64; 7] = [0.0, -1.610_373_89e-1, 0.0, -2.444_597_47, 0.0, 2.226_752_20, FRAC_PI_4];
const DAMPING: [f64; 7] = [0.1, 0.1, 0.1, 0.1, 0.1, 0.01, 0.01];
/// Fingers half open.
const FINGER: f64 = 0.020_833;

/// Read one of robosuite's models: unnamed geoms get names, all names a prefix.
fn part(library: &Library, file: &str, prefix: &str, rgba: &str) -> Result<Element, OriginalError> {
    let mut model = library.model(&format!("robosuite:{file}"))?;
    model.inline_defaults();
    let (mut felt, mut seen) = (0, 0);
    model.visit(&mut |e| {
        if e.tag() != "geom" || e.name().is_some() {
            return;
        }
        let (count, kind) =
            if e.get("group") == Some("1") { (&mut seen, "vis") } else { (&mut felt, "col") };
        e.set("name", format!("g{count}_{kind}"));
        *count += 1;
    });
    model.prefix(prefix);
    recolour(model.section("worldbody"), rgba);
    Ok(model)
}

/// Put a part onto a body of the robot.
fn attach(robot: &mut Element, mut part: Element, body: &str) -> Result<(), OriginalError> {
    let onto = robot.section("worldbody").find_mut("body", body);
    let onto = onto.ok_or_else(|| lacking("robosuite:robots/panda/robot.xml", body))?;
    onto.children.append(&mut part.section("worldbody").children);
    for tag in ["actuator", "sensor"] {
        let children = std::mem::take(&mut part.section(tag).children);
        robot.section(tag).children.extend(children);
    }
    merge_assets(robot, std::mem::take(&mut part.section("asset").children));
    Ok(())
}

/// Put the robot of a problem class together.
pub(super) fn robot(library: &Library, class: &Class) -> Result<Element, OriginalError> {
    let mut robot = part(library, "robots/panda/robot.xml", "robot0_", "0 0.5 0 1")?;
    let mut joint = 0;
    robot.section("worldbody").visit(&mut |e| {
        if e.tag() != "joint" {
            return;
        }
        if e.get("frictionloss").is_none() {
            e.set("frictionloss", "0.1");
        }
        if e.get("armature").is_none() {
            e.set_numbers("armature", &[5.0 / f64::from(joint + 1)]);
        }
        e.set_numbers("damping", &[DAMPING.get(joint as usize).copied().unwrap_or(0.1)]);
        joint += 1;
    });
    // How far the pedestal's foot is below where the robot stands on it, and that place above its origin.
    let (file, foot, top) = if class.mounted {
        ("mounts/rethink_mount.xml", 0.912, 0.01)
    } else {
        ("mounts/null_mount.xml", 0.0, 0.0)
    };
    let mut mount = part(library, file, "mount0_", "0.5 0.5 0 1")?;
    let root = mount.section("worldbody").find_mut("body", "mount0_base");
    root.ok_or_else(|| lacking(file, "base"))?.set_numbers("pos", &[0.0, 0.0, top]);
    attach(&mut robot, mount, "robot0_base")?;
    let gripper = part(library, "grippers/panda_gripper.xml", "gripper0_", "0 0 0.5 1")?;
    attach(&mut robot, gripper, "robot0_right_hand")?;
    let [x, y, z] = class.base;
    let base = robot.section("worldbody").find_mut("body", "robot0_base");
    base.ok_or_else(|| lacking("robosuite:robots/panda/robot.xml", "base"))?
        .set_numbers("pos", &[x, y, z + foot]);
    Ok(robot)
}

/// Return what drives the robot: `OSC_POSE` as robosuite configures it, and the gripper.
pub(super) fn drive() -> SourceRobot {
    let names = |before: &str| (1..=7).map(|i| format!("robot0_{before}{i}")).collect();
    let finger = |i: u32| format!("gripper0_finger_joint{i}");
    let servo = |i: u32| format!("gripper0_gripper_finger_joint{i}");
    SourceRobot {
        joints: names("joint"),
        motors: names("torq_j"),
        tool: "gripper0_grip_site".into(),
        // Observations turn with the hand; our tool is 103.4 mm from it, the site 97 mm.
        hand: ToolFrame { body: "robot0_right_hand".into(), ahead: 0.0064 },
        home: HOME.to_vec(),
        osc: OscSettings { single_precision: true, ..OscSettings::uniform(150.0) },
        scale: ToolScale::DEFAULT,
        gripper: SourceGripper {
            joints: vec![(finger(1), FINGER), (finger(2), -FINGER)],
            actuators: vec![(servo(1), -1.0), (servo(2), 1.0)],
            speed: 0.01,
            travel: 0.04,
        },
    }
}
