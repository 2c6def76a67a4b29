use std::f64::consts::PI;

use longarm_types::{ActionSpec, Bounds, DQuat, DVec3, Pose};
use serde::{Deserialize, Serialize};

use crate::libero::room::Room;
use crate::robots::{self, RobotName};

/// Where a camera sits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CameraMount {
    /// Fixed in the world. Cameras look along their −z with y up, as in MuJoCo.
    World(Pose),
    /// On the robot's hand, in the tool frame.
    Tool(Pose),
}

/// A camera as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CameraSpec {
    /// Name.
    pub name: String,
    /// Where it sits.
    pub mount: CameraMount,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Vertical field of view in degrees.
    pub fovy: f64,
}

/// The furniture a robot stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arena {
    /// A wooden table whose top is z = 0.
    Table,
    /// One of LIBERO's work places.
    Libero(Room),
}

/// A robot at its place with its cameras: the part of a set-up that tasks share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rig {
    /// Name.
    pub name: RigName,
    /// Robot.
    pub robot: RobotName,
    /// Pose of the robot's base.
    pub mount: Pose,
    /// Arm joints at the start of an episode.
    pub home: Vec<f64>,
    /// Furniture.
    pub arena: Arena,
    /// Cameras, in the order policies get their pictures.
    pub cameras: Vec<CameraSpec>,
    /// A view of the whole for people: videos and pictures, never shown to policies.
    pub view: CameraSpec,
    /// Where objects may be and tools may go.
    pub workspace: Bounds,
    /// What actions mean.
    pub action: ActionSpec,
}

/// The rigs there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RigName {
    /// LongBench: ARX-R5 at a table, top-down and wrist camera at 320×240.
    ArxR5,
    /// LoHoRavens: UR5e with suction, pick-and-place actions.
    Ur5eSuction,
    /// Panda at a table, end-effector deltas.
    Panda,
    /// LIBERO: Panda on its column at the kitchen table.
    LiberoKitchen,
    /// LIBERO: Panda at the living-room table.
    LiberoLivingRoom,
    /// LIBERO: Panda on its column at the desk.
    LiberoStudy,
    /// LIBERO: Panda at the coffee table.
    LiberoCoffee,
    /// LIBERO: Panda on the floor.
    LiberoFloor,
}

/// A camera pose at `eye` looking at `target`, the picture's top towards `up`.
pub fn look_at(eye: DVec3, target: DVec3, up: DVec3) -> Pose {
    let z = (eye - target).normalize();
    let x = up.cross(z).normalize();
    let y = z.cross(x);
    Pose::new(eye, DQuat::from_mat3(&longarm_types::DMat3::from_cols(x, y, z)).normalize())
}

impl RigName {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::ArxR5,
        Self::Ur5eSuction,
        Self::Panda,
        Self::LiberoKitchen,
        Self::LiberoLivingRoom,
        Self::LiberoStudy,
        Self::LiberoCoffee,
        Self::LiberoFloor,
    ];

    /// The rig with this name.
    pub fn rig(self) -> Rig {
        match self {
            Self::ArxR5 => arx_r5(),
            Self::Ur5eSuction => ur5e_suction(),
            Self::Panda => panda(),
            Self::LiberoKitchen => libero(self, Room::Kitchen),
            Self::LiberoLivingRoom => libero(self, Room::LivingRoom),
            Self::LiberoStudy => libero(self, Room::Study),
            Self::LiberoCoffee => libero(self, Room::Coffee),
            Self::LiberoFloor => libero(self, Room::Floor),
        }
    }
}

/// A camera for people, from beside the table.
fn view(eye: [f64; 3], target: [f64; 3]) -> CameraSpec {
    let pose = look_at(eye.into(), target.into(), DVec3::Z);
    camera("view", CameraMount::World(pose), [480, 360], 42.0)
}

/// A box by its lower and upper corner.
fn span(lo: [f64; 3], hi: [f64; 3]) -> Bounds {
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
        name: RigName::ArxR5,
        robot: RobotName::ArxR5,
        mount: Pose::at(0.02, 0.0, 0.25),
        home: robots::spec(RobotName::ArxR5).home,
        arena: Arena::Table,
        cameras: vec![
            camera("top", CameraMount::World(top), [320, 240], 26.0),
            camera("wrist", CameraMount::Tool(wrist), [320, 240], 70.0),
        ],
        view: view([0.60, -0.92, 0.58], [0.24, 0.0, 0.19]),
        workspace: span([0.18, -0.22, 0.0], [0.45, 0.22, 0.27]),
        action: ActionSpec::EE_DELTA,
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
    Rig {
        name: RigName::Ur5eSuction,
        robot: RobotName::Ur5e,
        mount: Pose::at(0.0, 0.0, 0.2),
        home: robots::spec(RobotName::Ur5e).home,
        arena: Arena::Table,
        cameras: vec![
            eye("front", [1.0, 0.0, 0.75], [PI / 4.0, PI, -PI / 2.0], 450.0),
            eye("left", [0.0, 0.5, 0.75], [PI / 4.5, PI, PI / 4.0], 450.0),
            eye("right", [0.0, -0.5, 0.75], [PI / 4.5, PI, 3.0 * PI / 4.0], 450.0),
            eye("top", [0.5, 0.0, 0.55], [0.0, PI, -PI / 2.0], 316.0),
        ],
        view: view([1.32, -0.72, 0.98], [0.38, 0.0, 0.17]),
        workspace: span([0.25, -0.5, 0.0], [0.75, 0.5, 0.3]),
        action: ActionSpec::PICK_PLACE,
    }
}

impl Rig {
    /// Names of the limbs, in the order of hands and action channels.
    pub fn limb_names(&self) -> Vec<String> {
        vec!["arm".to_owned()]
    }

    /// Where our world's origin lies in LIBERO's. Its rooms say so; elsewhere the middle of the table
    /// stands for that of LIBERO's kitchen table.
    pub fn libero_origin(&self) -> [f64; 3] {
        match self.arena {
            Arena::Libero(room) => room.offset(),
            _ => [-0.56, 0.0, 0.9],
        }
    }
}

/// LIBERO's tabletop with the table's middle at x = 0.56 and its top at z = 0: a point of LIBERO's
/// world is ours moved by (−0.56, 0, 0.9). LIBERO's base is 0.66 m behind the middle; ours is 0.56 m
/// behind it, as in robosuite, because pointing straight down the arm reaches no further than 0.75 m.
fn panda() -> Rig {
    let agent =
        Pose::from_arrays([0.6586 + 0.56, 0.0, 1.6104 - 0.9], [0.6380, 0.3048, 0.3048, 0.6380]);
    Rig {
        name: RigName::Panda,
        robot: RobotName::FrankaPanda,
        mount: Pose::at(0.0, 0.0, 0.012),
        home: robots::spec(RobotName::FrankaPanda).home,
        arena: Arena::Table,
        cameras: vec![
            camera("agentview", CameraMount::World(agent), [256, 256], 45.0),
            panda_wrist(),
        ],
        view: view([1.35, -0.75, 0.80], [0.42, 0.0, 0.18]),
        workspace: span([0.28, -0.35, 0.0], [0.7, 0.35, 0.4]),
        action: ActionSpec::EE_DELTA,
    }
}

/// LIBERO's camera at (0.05, 0, 0) of the hand, seen from the tool.
fn panda_wrist() -> CameraSpec {
    let pose = Pose::from_arrays([0.05, 0.0, -0.1034], [0.0, 1.0, 1.0, 0.0]);
    camera("wrist", CameraMount::Tool(pose), [256, 256], 75.0)
}

/// One of LIBERO's work places as published: base, start, cameras. See [`Room`] for the frame.
fn libero(name: RigName, room: Room) -> Rig {
    let [x, y, z] = room.base();
    let (at, rot) = room.agentview();
    let agent = Pose::from_arrays(at, rot);
    Rig {
        name,
        robot: RobotName::FrankaPanda,
        mount: Pose::at(x, y, z),
        home: robots::spec(RobotName::FrankaPanda).home,
        arena: Arena::Libero(room),
        cameras: vec![
            camera("agentview", CameraMount::World(agent), [256, 256], 45.0),
            panda_wrist(),
        ],
        view: view([0.96, -0.36, 0.96], [-0.10, 0.0, 0.13]),
        workspace: span([-0.35, -0.42, 0.0], [0.25, 0.42, 0.45]),
        action: ActionSpec::EE_DELTA,
    }
}

fn camera(name: &str, mount: CameraMount, [width, height]: [usize; 2], fovy: f64) -> CameraSpec {
    CameraSpec { name: name.to_owned(), mount, width, height, fovy }
}
