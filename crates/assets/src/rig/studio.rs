//! ManiLadder's base environment: robots at a table centred on the origin, cameras in front, to the left,
//! above and on each wrist, all 224 × 224.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use longarm_types::{ActionSpec, ControlMode, DVec3, Pose, ToolScale};

use super::ours::{ARM, CONTINUOUS, back_of_hand, camera, panda_wrist_pose, span, view};
use super::{Arena, CameraMount, CameraSpec, MountedRobot, Rig, RigName, look_at};
use crate::robots::RobotName;

/// Pixels of every camera.
const SIZE: [usize; 2] = [224, 224];
/// Where arms stand: x, height, and half the distance between two of them.
const BEHIND: f64 = -0.5;
const STANDS: f64 = 0.012;
const APART: f64 = 0.32;

/// Joints of an arm whose palm faces up in the middle of the workspace.
const PALM_UP: [f64; 7] = [-0.2809, 0.4316, 0.2166, -2.4929, 2.75, 0.2431, FRAC_PI_4];
/// How far from the table's middle cameras look that see a raised palm.
const RAISED: DVec3 = DVec3::new(0.0, 0.0, 0.32);
/// Joints of a hand whose fingers and thumb are bent around what lies on the palm.
const CUPPED: [f64; 16] =
    [0.0, 0.0, 1.3, 0.6, 0.0, 0.0, 1.3, 0.6, 0.0, 0.0, 1.3, 0.6, 1.2, 0.4, 0.2, 0.3];

/// All of them.
pub(super) fn rigs() -> Vec<Rig> {
    let arm =
        |name: &str, robot, y: f64| MountedRobot::new(name, robot, Pose::at(BEHIND, y, STANDS));
    let wrist = |name: &str, limb: &str| {
        let mount = CameraMount::Tool { limb: limb.to_owned(), pose: panda_wrist_pose() };
        camera(name, mount, SIZE, 75.0)
    };
    let palm = |name: &str, limb: &str| {
        let [width, height] = SIZE;
        CameraSpec { width, height, ..back_of_hand(name, limb) }
    };
    let start = Pose::at(-1.15, 0.0, crate::objects::arena::FLOOR_Z);
    let mut two = studio(
        RigName::STUDIO_TWO_PANDAS,
        vec![
            arm("left", RobotName::FRANKA_PANDA, APART),
            arm("right", RobotName::FRANKA_PANDA, -APART),
        ],
        vec![wrist("left-wrist", "left"), wrist("right-wrist", "right")],
    );
    let mut hands = studio(
        RigName::STUDIO_TWO_PANDAS_LEAP,
        vec![
            arm("left", RobotName::PANDA_LEAP_LEFT, APART + 0.04),
            arm("right", RobotName::PANDA_LEAP, -APART - 0.04),
        ],
        vec![palm("left-wrist", "left"), palm("right-wrist", "right")],
    );
    for rig in [&mut two, &mut hands] {
        rig.view = view([1.25, -1.0, 1.1], [-0.14, 0.0, 0.22]);
        rig.workspace = span([-0.2, -0.35, 0.0], [0.15, 0.35, 0.4]);
    }
    let mut tidybot = MountedRobot::new("robot", RobotName::TIDYBOT, start);
    // From the deck the arm's usual posture would have its hand below the table's height.
    tidybot.home = vec![vec![0.0, -FRAC_PI_4, 0.0, -3.0 * FRAC_PI_4, 0.0, FRAC_PI_2, FRAC_PI_4]];
    let mut mobile = studio(RigName::STUDIO_TIDYBOT, vec![tidybot], vec![wrist("wrist", ARM)]);
    mobile.view = view([1.9, -2.3, 2.3], [-0.15, 0.0, -0.3]);
    let mut cupped = studio(
        RigName::STUDIO_PANDA_LEAP_CUPPED,
        vec![arm("robot", RobotName::PANDA_LEAP, 0.0)],
        vec![palm("wrist", ARM)],
    );
    cupped.robots[0].home = vec![PALM_UP.to_vec()];
    cupped.robots[0].fingers = vec![CUPPED.to_vec()];
    cupped.action = cupped.tool_actions();
    cupped.cameras.splice(..3, fixed(RAISED, 0.5));
    cupped.view = view([0.32, -0.42, 0.74], [-0.12, 0.0, 0.36]);
    vec![
        studio(
            RigName::STUDIO_PANDA,
            vec![arm("robot", RobotName::FRANKA_PANDA, 0.0)],
            vec![wrist("wrist", ARM)],
        ),
        two,
        studio(
            RigName::STUDIO_PANDA_LEAP,
            vec![arm("robot", RobotName::PANDA_LEAP, 0.0)],
            vec![palm("wrist", ARM)],
        ),
        cupped,
        hands,
        mobile,
    ]
}

/// Robots in the studio, each taking tool deltas, with the three cameras that stand fixed.
fn studio(name: RigName, robots: Vec<MountedRobot>, wrists: Vec<CameraSpec>) -> Rig {
    let mut cameras = fixed(DVec3::ZERO, 1.0);
    cameras.extend(wrists);
    let mut rig = Rig {
        name,
        robots,
        arena: Arena::Studio,
        cameras,
        view: view([0.85, -0.75, 0.80], [-0.08, 0.0, 0.16]),
        workspace: span([-0.22, -0.32, 0.0], [0.15, 0.32, 0.4]),
        action: ActionSpec::new(Vec::new()),
        control: ControlMode::ToolDelta,
        controls: CONTINUOUS.to_vec(),
        tool_scale: ToolScale::DEFAULT,
        frames: Vec::new(),
    };
    rig.action = rig.tool_actions();
    rig
}

/// The cameras that stand fixed, moved along and brought nearer to what they look at.
fn fixed(along: DVec3, share: f64) -> Vec<CameraSpec> {
    let looks = |name: &str, eye: [f64; 3], target: [f64; 3], up: DVec3| {
        let (eye, target) = (DVec3::from(eye) + along, DVec3::from(target) + along);
        let eye = if share < 1.0 { target + share * (eye - target) } else { eye };
        camera(name, CameraMount::World(look_at(eye, target, up)), SIZE, 45.0)
    };
    vec![
        looks("front", [0.9, 0.0, 0.66], [-0.12, 0.0, 0.05], DVec3::Z),
        looks("left", [-0.12, 1.0, 0.66], [-0.12, 0.0, 0.06], DVec3::Z),
        looks("top", [-0.04, 0.0, 1.2], [-0.06, 0.0, 0.0], DVec3::X),
    ]
}
