//! Operational-space control: forces at the tool that pull it to its goal, as joint torques.
//!
//! A value without MuJoCo: it takes what an arm feels of itself and returns torques, at every physics
//! step and without allocating. Gains, the rule for goals and the way between goals are settings.

use longarm_assets::kinematics::{Joints, MAX_JOINTS};
use longarm_assets::source::{GoalOrigin, OscSettings};
use longarm_types::{DMat3, DVec3, SUBSTEPS, ToolScale};

use super::matrix::{SquareMatrix, invert};

/// What an arm feels of itself at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmReading {
    /// How many joints it has.
    pub dof: usize,
    /// Joint positions.
    pub joints: Joints,
    /// Joint velocities.
    pub velocities: Joints,
    /// Where the tool is.
    pub position: DVec3,
    /// How the tool is turned.
    pub rotation: DMat3,
    /// What joint velocities do to the tool: three rows of translation, three of rotation.
    pub jacobian: [Joints; 6],
    /// The inertia that joints feel, and between each two of them.
    pub mass: [Joints; MAX_JOINTS],
}

/// The controller's state: copying it copies all.
#[derive(Clone, Debug, PartialEq)]
pub struct Osc {
    settings: OscSettings,
    rest: Joints,
    goal: Goal,
    /// The goal before.
    last: Goal,
    /// A reading to be used before another is taken.
    kept: Option<ArmReading>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Goal {
    position: DVec3,
    rotation: DMat3,
}

impl Osc {
    /// A controller that holds the arm where a reading found it, with these joints as its posture.
    pub fn new(settings: OscSettings, rest: Joints, reading: &ArmReading) -> Self {
        let goal = Goal { position: reading.position, rotation: reading.rotation };
        Self { settings, rest, goal, last: goal, kept: None }
    }

    /// Use a reading for the next command and its first torques instead of what is measured then. So
    /// behaves a controller that is not told that the arm was moved.
    pub fn keep(&mut self, reading: ArmReading) {
        self.kept = Some(reading);
    }

    /// Return where the tool is to be.
    pub fn goal(&self) -> (DVec3, DMat3) {
        (self.goal.position, self.goal.rotation)
    }

    /// Set where the tool is to be turned, as another controller left it.
    pub fn set_goal_rotation(&mut self, rotation: DMat3) {
        self.goal.rotation = rotation;
    }

    /// Take a tool delta of −1 to 1: three of translation, three of rotation. Without rotation the
    /// goal's rotation stays as it was.
    pub fn command(
        &mut self,
        delta: &[f64; 6],
        scale: ToolScale,
        measure: impl Fn() -> ArmReading,
    ) {
        let reading = *self.kept.get_or_insert_with(measure);
        let from = match self.settings.origin {
            GoalOrigin::Measured => Goal { position: reading.position, rotation: reading.rotation },
            GoalOrigin::Goal => self.goal,
        };
        self.last = self.goal;
        let [x, y, z, rx, ry, rz] = delta.map(|v| v.clamp(-1.0, 1.0));
        let turn = DVec3::new(rx, ry, rz) * scale.radians;
        if turn != DVec3::ZERO {
            self.goal.rotation = turned(turn, self.settings.single_precision) * from.rotation;
        }
        self.goal.position = from.position + DVec3::new(x, y, z) * scale.metres;
        if let Some(bounds) = &self.settings.workspace {
            let (centre, half) = (DVec3::from(bounds.centre), DVec3::from(bounds.half));
            self.goal.position = self.goal.position.clamp(centre - half, centre + half);
        }
    }

    /// Write the torques of physics step `k` of a control step; `bias` are the torques that hold the
    /// arm against gravity and its own motion.
    pub fn torques(
        &mut self,
        k: u32,
        bias: &Joints,
        measure: impl Fn() -> ArmReading,
        out: &mut Joints,
    ) {
        let r = self.kept.take().unwrap_or_else(measure);
        let n = r.dof;
        let wanted = self.wanted(k);
        let errors = errors(&wanted, &r);
        let mut force = [0.0; 6];
        for (i, force) in force.iter_mut().enumerate() {
            let stiffness = self.settings.stiffness[i];
            let speed: f64 = (0..n).map(|j| r.jacobian[i][j] * r.velocities[j]).sum();
            let damping = 2.0 * libm::sqrt(stiffness) * self.settings.damping[i];
            *force = stiffness * errors[i] - damping * speed;
        }
        let inverse = invert(&SquareMatrix::from_rows(n, |i, j| r.mass[i][j]));
        // What a push at the tool does to it: J M⁻¹ Jᵀ.
        let mut spread = [[0.0; MAX_JOINTS]; 6];
        for (spread, row) in spread.iter_mut().zip(&r.jacobian) {
            for (j, to) in spread[..n].iter_mut().enumerate() {
                *to = (0..n).map(|k| row[k] * inverse.at(k, j)).sum();
            }
        }
        let yields =
            |i: usize, j: usize| -> f64 { (0..n).map(|k| spread[i][k] * r.jacobian[j][k]).sum() };
        let inertia = invert(&SquareMatrix::from_rows(6, yields));
        let wrench = if self.settings.uncoupled {
            let along = invert(&SquareMatrix::from_rows(3, yields));
            let about = invert(&SquareMatrix::from_rows(3, |i, j| yields(i + 3, j + 3)));
            let mut wrench = [0.0; 6];
            for i in 0..3 {
                wrench[i] = (0..3).map(|j| along.at(i, j) * force[j]).sum();
                wrench[i + 3] = (0..3).map(|j| about.at(i, j) * force[j + 3]).sum();
            }
            wrench
        } else {
            times(&inertia, &force)
        };
        let mut posture = [0.0; MAX_JOINTS];
        self.posture(&r, &mut posture);
        // The part of the posture's torques that the tool does not feel: Nᵀ τ = τ − Jᵀ Λ J M⁻¹ τ.
        let mut felt = [0.0; 6];
        for (felt, spread) in felt.iter_mut().zip(&spread) {
            *felt = (0..n).map(|j| spread[j] * posture[j]).sum();
        }
        let taken = times(&inertia, &felt);
        for j in 0..n {
            let pull: f64 = (0..6).map(|i| r.jacobian[i][j] * wrench[i]).sum();
            let away: f64 = (0..6).map(|i| r.jacobian[i][j] * taken[i]).sum();
            out[j] = pull + bias[j] + posture[j] - away;
        }
    }

    /// Torques that pull the joints to the rest posture.
    fn posture(&self, r: &ArmReading, out: &mut Joints) {
        let stiffness = self.settings.posture;
        let damping = 2.0 * libm::sqrt(stiffness);
        let mut pull = [0.0; MAX_JOINTS];
        for j in 0..r.dof {
            pull[j] = stiffness * (self.rest[j] - r.joints[j]) - damping * r.velocities[j];
        }
        for i in 0..r.dof {
            out[i] = (0..r.dof).map(|j| r.mass[i][j] * pull[j]).sum();
        }
    }

    /// Where the tool is to be at physics step `k`.
    fn wanted(&self, k: u32) -> Goal {
        let way = f64::from(k + 1) / (f64::from(SUBSTEPS) * self.settings.ramp);
        if self.settings.ramp <= 0.0 || way >= 1.0 {
            return self.goal;
        }
        let (from, to) = (&self.last, &self.goal);
        let quat = |m: &DMat3| longarm_types::DQuat::from_mat3(m).normalize();
        Goal {
            position: from.position.lerp(to.position, way),
            rotation: DMat3::from_quat(quat(&from.rotation).slerp(quat(&to.rotation), way)),
        }
    }
}

/// How far the tool is from its goal, metres and the sine-weighted angle about each axis.
fn errors(goal: &Goal, r: &ArmReading) -> [f64; 6] {
    let p = goal.position - r.position;
    let columns = |m: &DMat3| [m.x_axis, m.y_axis, m.z_axis];
    let [a, b, c] = columns(&r.rotation);
    let [u, v, w] = columns(&goal.rotation);
    let t = (a.cross(u) + b.cross(v) + c.cross(w)) * 0.5;
    [p.x, p.y, p.z, t.x, t.y, t.z]
}

/// The rotation about a vector by its length.
fn turned(vector: DVec3, single: bool) -> DMat3 {
    let angle = vector.length();
    let axis = vector / angle;
    let (s, w) = (libm::sin(angle / 2.0), libm::cos(angle / 2.0));
    let q = [w, axis.x * s, axis.y * s, axis.z * s];
    if !single {
        return DMat3::from_quat(longarm_types::DQuat::from_xyzw(q[1], q[2], q[3], q[0]));
    }
    let q = q.map(|v| v as f32);
    let n: f32 = q.iter().map(|v| v * v).sum();
    let scale = libm::sqrt(2.0 / f64::from(n));
    let q = q.map(|v| (f64::from(v) * scale) as f32);
    let p = |i: usize, j: usize| q[i] * q[j];
    let one = |i: usize, j: usize| 1.0 - f64::from(p(i, i)) - f64::from(p(j, j));
    let (sum, less) = (|a: f32, b: f32| f64::from(a + b), |a: f32, b: f32| f64::from(a - b));
    DMat3::from_cols(
        DVec3::new(one(2, 3), sum(p(1, 2), p(3, 0)), less(p(1, 3), p(2, 0))),
        DVec3::new(less(p(1, 2), p(3, 0)), one(1, 3), sum(p(2, 3), p(1, 0))),
        DVec3::new(sum(p(1, 3), p(2, 0)), less(p(2, 3), p(1, 0)), one(1, 2)),
    )
}

fn times(matrix: &SquareMatrix, vector: &[f64; 6]) -> [f64; 6] {
    std::array::from_fn(|i| (0..6).map(|j| matrix.at(i, j) * vector[j]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six joints of unit inertia that are the tool's six directions.
    fn straight() -> ArmReading {
        let one = |i: usize, j: usize| f64::from(u8::from(i == j));
        ArmReading {
            dof: 6,
            joints: [0.0; MAX_JOINTS],
            velocities: [0.0; MAX_JOINTS],
            position: DVec3::ZERO,
            rotation: DMat3::IDENTITY,
            jacobian: std::array::from_fn(|i| std::array::from_fn(|j| one(i, j))),
            mass: std::array::from_fn(|i| std::array::from_fn(|j| one(i, j))),
        }
    }

    fn torques(osc: &mut Osc, k: u32, reading: ArmReading) -> Joints {
        let mut out = [0.0; MAX_JOINTS];
        osc.torques(k, &[0.5; MAX_JOINTS], || reading, &mut out);
        out
    }

    #[test]
    fn springs_and_dampers_pull_along_and_about_every_axis() {
        for uncoupled in [true, false] {
            let settings = OscSettings { uncoupled, ..OscSettings::uniform(100.0) };
            let mut reading = straight();
            let mut osc = Osc::new(settings, [0.0; MAX_JOINTS], &reading);
            osc.command(&[1.0, -1.0, 0.0, 0.0, 0.0, 0.2], ToolScale::DEFAULT, || reading);
            reading.velocities[1] = 0.1;
            osc.kept = None;
            let out = torques(&mut osc, 0, reading);
            let turn = 100.0 * libm::sin(0.1);
            for (i, want) in [5.0, -5.0 - 2.0, 0.0, 0.0, 0.0, turn].into_iter().enumerate() {
                assert!((out[i] - 0.5 - want).abs() < 1e-9, "{i}: {} for {want}", out[i] - 0.5);
            }
        }
    }

    #[test]
    fn posture_moves_only_what_the_tool_leaves_free() {
        let mut reading = straight();
        // A seventh joint that the tool does not feel, and a wish for every joint.
        reading.dof = 7;
        reading.mass[6][6] = 2.0;
        let mut osc = Osc::new(OscSettings::uniform(100.0), [1.0; MAX_JOINTS], &reading);
        let out = torques(&mut osc, 0, reading);
        for (i, torque) in out.iter().enumerate().take(6) {
            assert!((torque - 0.5).abs() < 1e-9, "joint {i}: {torque}");
        }
        assert!((out[6] - 20.5).abs() < 1e-9, "{}", out[6]);
    }

    #[test]
    fn goals_count_from_the_measured_pose_or_from_the_last_goal() {
        let mut reading = straight();
        for (origin, x) in [(GoalOrigin::Measured, 0.07), (GoalOrigin::Goal, 0.1)] {
            let settings = OscSettings { origin, ..OscSettings::uniform(100.0) };
            let mut osc = Osc::new(settings, [0.0; MAX_JOINTS], &straight());
            for at in [0.0, 0.02] {
                reading.position.x = at;
                osc.command(&[9.0, 0.0, 0.0, 0.0, 0.0, 0.0], ToolScale::DEFAULT, || reading);
                torques(&mut osc, 0, reading);
            }
            assert!((osc.goal().0.x - x).abs() < 1e-12, "{origin:?}: {}", osc.goal().0.x);
        }
    }

    #[test]
    fn a_command_without_a_turn_keeps_the_rotation_that_was_wanted() {
        let mut osc = Osc::new(OscSettings::uniform(100.0), [0.0; MAX_JOINTS], &straight());
        osc.command(&[0.0, 0.0, 0.0, 0.4, 0.0, 0.0], ToolScale::DEFAULT, straight);
        let wanted = osc.goal().1;
        assert!(wanted != DMat3::IDENTITY);
        osc.command(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], ToolScale::DEFAULT, straight);
        assert_eq!(osc.goal().1, wanted);
    }

    #[test]
    fn a_kept_reading_serves_one_command_and_its_first_torques() {
        let mut moved = straight();
        moved.position.x = 1.0;
        let mut osc = Osc::new(OscSettings::uniform(100.0), [0.0; MAX_JOINTS], &straight());
        osc.keep(straight());
        osc.command(&[0.0; 6], ToolScale::DEFAULT, || moved);
        assert_eq!(osc.goal().0, DVec3::ZERO, "the command is relative to the kept pose");
        assert!((torques(&mut osc, 0, moved)[0] - 0.5).abs() < 1e-9, "so are its first torques");
        assert!((torques(&mut osc, 1, moved)[0] + 99.5).abs() < 1e-9, "then it feels where it is");
    }

    #[test]
    fn a_ramp_moves_the_goal_within_the_control_step() {
        let settings = OscSettings { ramp: 0.2, ..OscSettings::uniform(100.0) };
        let mut osc = Osc::new(settings, [0.0; MAX_JOINTS], &straight());
        osc.command(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], ToolScale::DEFAULT, straight);
        let pull = |osc: &mut Osc, k: u32| torques(osc, k, straight())[0] - 0.5;
        assert!((pull(&mut osc, 0) - 1.0).abs() < 1e-9);
        assert!((pull(&mut osc, 4) - 5.0).abs() < 1e-9);
        assert!((pull(&mut osc, 24) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn turns_in_single_precision_are_nearly_those_in_double() {
        let turn = DVec3::new(0.3, -0.1, 0.2);
        let (double, single) = (turned(turn, false), turned(turn, true));
        let off = (double - single).to_cols_array().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        assert!(off > 1e-12 && off < 1e-6, "{off}");
    }
}
