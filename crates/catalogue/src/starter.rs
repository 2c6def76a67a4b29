//! Files to start from: each runs as it is.

/// A file to start from.
pub struct Starter {
    /// What it is: task, scene, rig, object.
    pub kind: &'static str,
    /// Its text.
    pub text: &'static str,
    /// A file beside it, by its ending, with `NAME` for the name of both.
    pub beside: Option<(&'static str, &'static str)>,
}

/// All of them.
pub const STARTERS: [Starter; 4] = [
    Starter { kind: "task", text: TASK, beside: None },
    Starter { kind: "scene", text: SCENE, beside: None },
    Starter { kind: "rig", text: RIG, beside: None },
    Starter { kind: "object", text: OBJECT, beside: Some(("xml", MODEL)) },
];

/// The starting file of a kind.
pub fn starter(kind: &str) -> Option<&'static Starter> {
    STARTERS.iter().find(|s| s.kind == kind)
}

const TASK: &str = r#"# A task of your own.
#
#   longarm run FILE.toml --policy expert        one episode, printed stage by stage
#   longarm show FILE.toml --image scene.png     the scene of a seed
#   longarm schema task                          every field there is
#
# Lengths are metres, angles radians. x points away from the robot, y to its left, z up.

# Robot, table and cameras: one of ours, or a file made by `longarm new rig`.
rig = "panda"

# What the policy is told; names in braces are filled in for each episode.
instruction = "put the {block.colour} block on the plate"

# Places on the table: a point [x, y] or a rectangle [[x0, y0], [x1, y1]].
[regions]
start = { at = [[0.40, -0.20], [0.50, -0.08]], yaw = [-0.4, 0.4] }
spot = { at = [[0.42, 0.10], [0.52, 0.20]] }

# What there is, and where it starts: at a region, on or under another object.
[objects.block]
asset = { kind = "block", size = [0.04, 0.04, 0.04] }
colour = "any"
at = "start"

[objects.plate]
asset = { kind = "plate", radius = 0.09 }
at = "spot"

# How it is done. Each step is a stage that must be completed; the expert follows it.
# Instead of a plan a goal is enough: goal = "on(block, plate)"
[[plan]]
do = "pick block from start"

[[plan]]
do = "put block on plate"
"#;

const SCENE: &str = r#"# A scene that several tasks share: scene = "FILE.toml" in a task takes all of this over.
rig = "panda"

[regions]
left = { at = [[0.40, 0.10], [0.50, 0.22]], yaw = [-0.4, 0.4] }
right = { at = [[0.40, -0.22], [0.50, -0.10]], yaw = [-0.4, 0.4] }

[objects.plate]
asset = { kind = "plate", radius = 0.09 }
at = "left"

[objects.block]
asset = { kind = "block", size = [0.04, 0.04, 0.04] }
colour = "any"
at = "right"
"#;

const RIG: &str = r#"# A rig of your own: rig = "FILE.toml" in a task. Every field: longarm schema rig

# What is not said here is as in this rig.
like = "panda"

# Where objects may be and tools may go: lower and upper corner.
workspace = [[0.28, -0.35, 0.0], [0.70, 0.35, 0.40]]

# Cameras fixed in the world; one of a known name replaces it.
[cameras.agentview]
eye = [1.10, 0.0, 0.60]
target = [0.45, 0.0, 0.05]
size = [256, 256]
fovy = 45.0
"#;

const OBJECT: &str = r#"# An object of your own: this file says what it is, NAME.xml beside it what it looks like.
# In a task: asset = "NAME.toml". Every field: longarm schema object

noun = "holder"

# An MJCF file, or a mesh: mesh = "NAME.stl", scale = 0.001 if its numbers are millimetres.
model = "NAME.xml"

# Kilograms; density = 600 instead gives the mass by volume.
mass = 0.12

# Turning it by 2π/n gives the same object; 0 means any angle does.
symmetry = 4

# Geoms of the model that take the colour a task draws.
tint = ["body"]

# Where other objects go. The frame is that of the model; the engine stands it on the table.
[regions.top]
kind = "surface"
at = [0.0, 0.0, 0.05]
size = [0.05, 0.05]

# Ways to take hold of it. Without any they follow from its size.
# [[grasps]]
# at = [0.0, 0.0, 0.03]     between the finger tips
# close = [0.0, 1.0, 0.0]   the way the fingers close
# opening = 0.07
"#;

const MODEL: &str = r#"<mujoco model="NAME">
  <worldbody>
    <body name="NAME">
      <geom name="body" type="box" size="0.025 0.025 0.025" pos="0 0 0.025" rgba="0.8 0.5 0.3 1"/>
    </body>
  </worldbody>
</mujoco>
"#;
