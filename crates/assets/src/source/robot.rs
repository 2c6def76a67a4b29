//! The robot of a model from files, as values: what moves it and how.

use longarm_types::{Bounds, ToolScale};

/// From where a tool delta counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalOrigin {
    /// From where the tool is when the command comes.
    Measured,
    /// From where it was last told to be.
    Goal,
}

/// How operational-space control pulls a tool to its goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OscSettings {
    /// Stiffness along and about the world's axes.
    pub stiffness: [f64; 6],
    /// Damping as a share of critical damping.
    pub damping: [f64; 6],
    /// Stiffness towards the rest posture in what the tool leaves free, critically damped.
    pub posture: f64,
    /// Treat translation and rotation apart rather than by one inertia.
    pub uncoupled: bool,
    /// From where deltas count.
    pub origin: GoalOrigin,
    /// Where the tool's goal may be.
    pub workspace: Option<Bounds>,
    /// Share of a control step over which the goal moves from the last to the next; 0 is at once.
    pub ramp: f64,
    /// Compute turns of the goal in single precision, as some controllers do.
    pub single_precision: bool,
}

impl OscSettings {
    /// The same stiffness along and about every axis, critically damped, goals from the measured pose.
    pub fn uniform(stiffness: f64) -> Self {
        Self {
            stiffness: [stiffness; 6],
            damping: [1.0; 6],
            posture: 10.0,
            uncoupled: true,
            origin: GoalOrigin::Measured,
            workspace: None,
            ramp: 0.0,
            single_precision: false,
        }
    }
}

/// Fingers driven by position servos whose targets move at a constant speed while a command lasts.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceGripper {
    /// Joints and their positions at a reset.
    pub joints: Vec<(String, f64)>,
    /// Actuators, each with the sign of its way when the gripper closes.
    pub actuators: Vec<(String, f64)>,
    /// Share of half an actuator's range that a target moves per physics step; 2 is at once.
    pub speed: f64,
    /// How far a finger travels from shut to open, metres.
    pub travel: f64,
}

/// A tool frame beside the controlled site: turned as a body, and this far ahead of the site along
/// that body's z.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolFrame {
    /// The body.
    pub body: String,
    /// How far ahead, metres.
    pub ahead: f64,
}

/// A robot arm of a model from files, driven by torques.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceRobot {
    /// Its joints, from base to tool.
    pub joints: Vec<String>,
    /// The motors of its joints; their control ranges are the torque limits.
    pub motors: Vec<String>,
    /// The site that is controlled.
    pub tool: String,
    /// The tool as policies are told of it.
    pub hand: ToolFrame,
    /// Joint positions at a reset; also the posture that is kept where the tool leaves it free.
    pub home: Vec<f64>,
    /// How the tool is pulled to its goal.
    pub osc: OscSettings,
    /// What ±1 of a tool delta is.
    pub scale: ToolScale,
    /// Its fingers.
    pub gripper: SourceGripper,
}
