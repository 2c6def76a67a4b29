//! The rigs that come with the engine.

use std::f64::consts::PI;

use longarm_types::{
    ActionSpec, Bounds, ControlMode, DQuat, DVec3, PickPlaceSpace, Pose, ToolScale, WorldFrame,
};

use super::{Arena, CameraMount, CameraSpec, MountedRobot, Rig, RigName, look_at};
use crate::libero::room::Room;
use crate::robots::RobotName;

/// All of them.
pub(super) fn rigs() -> Vec<Rig> {
    let mut all = vec![
        arx_r5(),
        ur5e_suction(),
        panda(),
        two_pandas(),
        xarm7(),
        with_hand(RigName::PANDA_LEAP, RobotName::PANDA_LEAP, 0.012),
        with_hand(RigName::XARM7_LEAP, RobotName::XARM7_LEAP, -0.108),
        two_pandas_leap(),
        tidybot(),
        libero(RigName::LIBERO_KITCHEN, Room::Kitchen),
        libero(RigName::LIBERO_TABLETOP, Room::Tabletop),
        libero(RigName::LIBERO_LIVING_ROOM, Room::LivingRoom),
        libero(RigName::LIBERO_STUDY, Room::Study),
        libero(RigName::LIBERO_COFFEE, Room::Coffee),
        libero(RigName::LIBERO_FLOOR, Room::Floor),
    ];
    all.extend(super::studio::rigs());
    all
}

/// Name of the limb of robots that have one.
pub(super) const ARM: &str = "arm";

/// Control modes in which every control step has an action.
pub(super) const CONTINUOUS: [ControlMode; 3] =
    [ControlMode::ToolDelta, ControlMode::JointTarget, ControlMode::JointDelta];

/// A camera for people, from beside the table.
pub(super) fn view(eye: [f64; 3], target: [f64; 3]) -> CameraSpec {
    let pose = look_at(eye.into(), target.into(), DVec3::Z);
    camera("view", CameraMount::World(pose), [480, 360], 42.0)
}

/// A box by its lower and upper corner.
pub(super) fn span(lo: [f64; 3], hi: [f64; 3]) -> Bounds {
    let (lo, hi) = (DVec3::from(lo), DVec3::from(hi));
    Bounds { centre: ((lo + hi) / 2.0).to_array(), half: ((hi - lo) / 2.0).to_array() }
}

/// LongBench. The arm is short and points down from 0.25 m above its wrist, so it stands on a
/// column: from there it reaches the whole workspace with the tool pointing down.
fn arx_r5() -> Rig {
    let up = DVec3::X;
    // A little from the front, so that the forearm hides less of the table.
    let top = look_at(DVec3::new(0.43, 0.0, 1.2), DVec3::new(0.3, 0.0, 0.0), up);
    let wrist = look_at(DVec3::new(0.072, 0.0, -0.1), DVec3::new(0.02, 0.0, 0.08), up);
    Rig {
        name: RigName::ARX_R5,
        robots: one(RobotName::ARX_R5, Pose::at(0.02, 0.0, 0.25)),
        arena: Arena::Table,
        cameras: vec![
            camera("top", CameraMount::World(top), [320, 240], 26.0),
            camera("wrist", on_hand(wrist), [320, 240], 70.0),
        ],
        view: view([0.60, -0.92, 0.58], [0.24, 0.0, 0.19]),
        workspace: span([0.18, -0.22, 0.0], [0.45, 0.22, 0.27]),
        action: ActionSpec::tool_delta(&[ARM]),
        control: ControlMode::ToolDelta,
        controls: CONTINUOUS.to_vec(),
        tool_scale: ToolScale::DEFAULT,
        frames: Vec::new(),
    }
}

/// LoHoRavens: workspace and cameras of Ravens, with its fourth camera from above.
///
/// Ravens' base stands on the table, from where the arm pointing down reaches the far parts of the
/// workspace at table height only. Ours stands on a column of 0.2 m and reaches all of it at every
/// height.
///
/// Ravens' top camera has pixels that are not square (fx 316, fy 450); ours are, with the wider of
/// the two fields, so that it sees all that the original sees.
fn ur5e_suction() -> Rig {
    let f = |focal: f64| 2.0 * libm::atan(240.0 / focal).to_degrees();
    let eye = |name: &str, at: [f64; 3], euler: [f64; 3], focal: f64| {
        // Ravens' cameras look along +z with y down; ours along −z with y up.
        let [rx, ry, rz] = euler;
        let rot = DQuat::from_rotation_z(rz)
            * DQuat::from_rotation_y(ry)
            * DQuat::from_rotation_x(rx)
            * DQuat::from_rotation_x(PI);
        let pose = Pose::new(at.into(), rot.normalize());
        camera(name, CameraMount::World(pose), [640, 480], f(focal))
    };
    let workspace = span([0.25, -0.5, 0.0], [0.75, 0.5, 0.3]);
    // Beside the objects, which keep away from the edge; random poses stay where objects may be.
    let space = PickPlaceSpace { workspace, idle: Pose::at(0.3, -0.45, 0.3), random_height: 0.1 };
    Rig {
        name: RigName::UR5E_SUCTION,
        robots: one(RobotName::UR5E, Pose::at(0.0, 0.0, 0.2)),
        arena: Arena::Table,
        cameras: vec![
            eye("front", [1.0, 0.0, 0.75], [PI / 4.0, PI, -PI / 2.0], 450.0),
            eye("left", [0.0, 0.5, 0.75], [PI / 4.5, PI, PI / 4.0], 450.0),
            eye("right", [0.0, -0.5, 0.75], [PI / 4.5, PI, 3.0 * PI / 4.0], 450.0),
            eye("top", [0.5, 0.0, 0.55], [0.0, PI, -PI / 2.0], 316.0),
        ],
        view: view([1.32, -0.72, 0.98], [0.38, 0.0, 0.17]),
        workspace,
        action: ActionSpec::pick_place(ARM, &space),
        control: ControlMode::PickPlace,
        controls: vec![ControlMode::PickPlace],
        tool_scale: ToolScale::DEFAULT,
        frames: Vec::new(),
    }
}

/// LIBERO's world: where our origin lies in it.
fn libero_frame(origin: [f64; 3]) -> Vec<WorldFrame> {
    vec![WorldFrame { name: "libero".to_owned(), origin }]
}

/// LIBERO's tabletop with the table's middle at x = 0.56 and its top at z = 0: a point of LIBERO's
/// world is ours moved by (−0.56, 0, 0.9). LIBERO's base is 0.66 m behind the middle; ours is 0.56 m
/// behind it, as in robosuite, because pointing straight down the arm reaches no further than 0.75 m.
fn panda() -> Rig {
    let agent =
        Pose::from_arrays([0.6586 + 0.56, 0.0, 1.6104 - 0.9], [0.6380, 0.3048, 0.3048, 0.6380]);
    Rig {
        name: RigName::PANDA,
        robots: one(RobotName::FRANKA_PANDA, Pose::at(0.0, 0.0, 0.012)),
        arena: Arena::Table,
        cameras: vec![
            camera("agentview", CameraMount::World(agent), [256, 256], 45.0),
            panda_wrist(),
        ],
        view: view([1.35, -0.75, 0.80], [0.42, 0.0, 0.18]),
        workspace: span([0.28, -0.35, 0.0], [0.7, 0.35, 0.4]),
        action: ActionSpec::tool_delta(&[ARM]),
        control: ControlMode::ToolDelta,
        controls: CONTINUOUS.to_vec(),
        tool_scale: ToolScale::DEFAULT,
        frames: libero_frame([-0.56, 0.0, 0.9]),
    }
}

/// Two Pandas side by side at a table, far enough apart that both reach what lies between them.
fn two_pandas() -> Rig {
    let agent = look_at(DVec3::new(1.45, 0.0, 0.95), DVec3::new(0.42, 0.0, 0.1), DVec3::Z);
    let arm = |name: &str, y: f64| {
        MountedRobot::new(name, RobotName::FRANKA_PANDA, Pose::at(0.0, y, 0.012))
    };
    let wrist = |name: &str, limb: &str| {
        let mount = CameraMount::Tool { limb: limb.to_owned(), pose: panda_wrist_pose() };
        camera(name, mount, [256, 256], 75.0)
    };
    Rig {
        name: RigName::TWO_PANDAS,
        robots: vec![arm("left", 0.32), arm("right", -0.32)],
        arena: Arena::Table,
        cameras: vec![
            camera("agentview", CameraMount::World(agent), [256, 256], 45.0),
            wrist("left-wrist", "left"),
            wrist("right-wrist", "right"),
        ],
        view: view([1.75, -1.0, 1.1], [0.34, 0.0, 0.24]),
        workspace: span([0.3, -0.35, 0.0], [0.65, 0.35, 0.4]),
        action: ActionSpec::tool_delta(&["left", "right"]),
        control: ControlMode::ToolDelta,
        controls: CONTINUOUS.to_vec(),
        tool_scale: ToolScale::DEFAULT,
        frames: Vec::new(),
    }
}

/// The camera that looks at a table's middle from the front.
fn agent() -> CameraSpec {
    let pose = look_at(DVec3::new(1.3, 0.0, 0.85), DVec3::new(0.4, 0.0, 0.08), DVec3::Z);
    camera("agentview", CameraMount::World(pose), [256, 256], 45.0)
}

/// A camera on the hand of a limb, by where it is and what it looks at in the tool frame.
fn wrist(name: &str, limb: &str, eye: [f64; 3], target: [f64; 3], up: DVec3) -> CameraSpec {
    let pose = look_at(eye.into(), target.into(), up);
    let mount = CameraMount::Tool { limb: limb.to_owned(), pose };
    camera(name, mount, [256, 256], 75.0)
}

/// Beside a hand with fingers, looking under its palm.
pub(super) fn back_of_hand(name: &str, limb: &str) -> CameraSpec {
    wrist(name, limb, [0.13, 0.0, -0.12], [0.0, 0.0, 0.01], DVec3::NEG_Z)
}

/// Robots at our table, each taking tool deltas.
fn at_table(name: RigName, robots: Vec<MountedRobot>, cameras: Vec<CameraSpec>) -> Rig {
    let mut rig = Rig {
        name,
        robots,
        arena: Arena::Table,
        cameras,
        view: view([1.35, -0.75, 0.80], [0.42, 0.0, 0.18]),
        workspace: span([0.28, -0.32, 0.0], [0.62, 0.32, 0.4]),
        action: ActionSpec::new(Vec::new()),
        control: ControlMode::ToolDelta,
        controls: CONTINUOUS.to_vec(),
        tool_scale: ToolScale::DEFAULT,
        frames: Vec::new(),
    };
    rig.action = rig.tool_actions();
    rig
}

/// The arm's own model stands 0.12 m above the ground; here it stands on a plate.
fn xarm7() -> Rig {
    let eye = wrist("wrist", ARM, [0.062, 0.0, -0.09], [0.012, 0.0, 0.04], DVec3::X);
    at_table(RigName::XARM7, one(RobotName::XARM7, Pose::at(0.0, 0.0, -0.108)), vec![agent(), eye])
}

fn with_hand(name: RigName, robot: RobotName, z: f64) -> Rig {
    let cameras = vec![agent(), back_of_hand("wrist", ARM)];
    at_table(name, one(robot, Pose::at(0.0, 0.0, z)), cameras)
}

fn two_pandas_leap() -> Rig {
    let arm = |name: &str, robot, y: f64| MountedRobot::new(name, robot, Pose::at(0.0, y, 0.012));
    let robots = vec![
        arm("left", RobotName::PANDA_LEAP_LEFT, 0.36),
        arm("right", RobotName::PANDA_LEAP, -0.36),
    ];
    let wrists = ["left", "right"].map(|l| back_of_hand(&format!("{l}-wrist"), l));
    let mut cameras = vec![agent()];
    cameras.extend(wrists);
    let mut rig = at_table(RigName::TWO_PANDAS_LEAP, robots, cameras);
    rig.view = view([1.75, -1.0, 1.1], [0.34, 0.0, 0.24]);
    rig
}

/// On the floor, far enough from the table to drive up to it.
fn tidybot() -> Rig {
    let start = Pose::at(-1.2, 0.0, crate::objects::arena::FLOOR_Z);
    let mut rig =
        at_table(RigName::TIDYBOT, one(RobotName::TIDYBOT, start), vec![agent(), panda_wrist()]);
    rig.view = view([0.9, -1.9, 1.0], [-0.45, 0.0, -0.2]);
    rig.workspace = span([-0.22, -0.5, 0.0], [0.1, 0.5, 0.4]);
    rig
}

/// LIBERO's camera at (0.05, 0, 0) of the hand, seen from the tool.
pub(super) fn panda_wrist_pose() -> Pose {
    Pose::from_arrays([0.05, 0.0, -0.1034], [0.0, 1.0, 1.0, 0.0])
}

fn panda_wrist() -> CameraSpec {
    camera("wrist", on_hand(panda_wrist_pose()), [256, 256], 75.0)
}

/// One of LIBERO's work places as published: base, start, cameras. See [`Room`] for the frame.
fn libero(name: RigName, room: Room) -> Rig {
    let [x, y, z] = room.base();
    let (at, rot) = room.agentview();
    let agent = Pose::from_arrays(at, rot);
    Rig {
        name,
        robots: one(RobotName::FRANKA_PANDA, Pose::at(x, y, z)),
        arena: Arena::Libero(room),
        cameras: vec![
            camera("agentview", CameraMount::World(agent), [256, 256], 45.0),
            panda_wrist(),
        ],
        view: view([0.96, -0.36, 0.96], [-0.10, 0.0, 0.13]),
        workspace: span([-0.35, -0.42, 0.0], [0.25, 0.42, 0.45]),
        action: ActionSpec::tool_delta(&[ARM]),
        control: ControlMode::ToolDelta,
        controls: CONTINUOUS.to_vec(),
        tool_scale: ToolScale::DEFAULT,
        frames: libero_frame(room.offset()),
    }
}

/// One robot alone.
pub(super) fn one(robot: RobotName, mount: Pose) -> Vec<MountedRobot> {
    vec![MountedRobot::new("robot", robot, mount)]
}

/// On the hand of a robot's only arm.
pub(super) fn on_hand(pose: Pose) -> CameraMount {
    CameraMount::Tool { limb: ARM.to_owned(), pose }
}

pub(super) fn camera(
    name: &str,
    mount: CameraMount,
    [width, height]: [usize; 2],
    fovy: f64,
) -> CameraSpec {
    CameraSpec { name: name.to_owned(), mount, width, height, fovy }
}
