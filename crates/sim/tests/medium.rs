//! A medium beside MuJoCo: it is pushed and pushes back, and hash and checkpoints cover it.

mod counting;

use std::sync::Arc;

use longarm_assets::RigName;
use longarm_render::{Channels, Material, Mesh, Scene, shapes};
use longarm_sim::{
    CameraRig, Env, EnvSettings, ImageSettings, Medium, MediumStart, SimError, Surroundings, World,
};
use longarm_task::prelude::*;
use longarm_task::{SoftForm, SoftKind, TaskSpec};
use longarm_types::{DQuat, DVec3, Pose, RunningHash, Seed, Segment, ToolScale};

/// A ball on a spring, softer than what it touches.
struct SprungBall {
    anchor: DVec3,
    at: [DVec3; 1],
    velocity: DVec3,
    form: Arc<SoftForm>,
}

const RADIUS: f64 = 0.025;
const MASS: f64 = 0.05;
const SPRING: f64 = 60.0;
const DAMPING: f64 = 1.5;
const STIFFNESS: f64 = 2000.0;

impl SprungBall {
    fn new(anchor: [f64; 3]) -> Box<Self> {
        let anchor = DVec3::from(anchor);
        let kind = SoftKind::Particles { material: vec![0] };
        let form = Arc::new(SoftForm { rest: vec![DVec3::ZERO], radius: RADIUS, kind });
        Box::new(Self { anchor, at: [anchor], velocity: DVec3::ZERO, form })
    }
}

impl Medium for SprungBall {
    fn name(&self) -> &str {
        "ball"
    }
    fn reset(&mut self, _: &MediumStart) {
        (self.at, self.velocity) = ([self.anchor], DVec3::ZERO);
    }
    fn step(&mut self, dt: f64, around: &mut Surroundings<'_>) {
        let at = self.at[0];
        let mut force = (self.anchor - at) * SPRING - self.velocity * DAMPING;
        for solid in around.solids.iter_mut() {
            let local = solid.to.local(at);
            let (distance, away) = solid.shape.distance(local);
            let depth = RADIUS - distance;
            if depth <= 0.0 {
                continue;
            }
            let away = solid.to.dir(away);
            let moved = (at - solid.from.point(local)) / dt;
            let closing = (moved - self.velocity).dot(away);
            let push = away * (STIFFNESS * depth + 4.0 * closing).max(0.0);
            solid.feel(at - away * distance, -push);
            force += push;
        }
        self.velocity += force / MASS * dt;
        self.at[0] += self.velocity * dt;
    }
    fn form(&self) -> &Arc<SoftForm> {
        &self.form
    }
    fn points(&self) -> &[DVec3] {
        &self.at
    }
    fn speed(&self) -> f64 {
        self.velocity.length()
    }
    fn digest(&self, hash: &mut RunningHash) {
        hash.floats(&self.at[0].to_array());
        hash.floats(&self.velocity.to_array());
    }
    fn save(&self, state: &mut Vec<f64>) {
        state.extend(self.at[0].to_array());
        state.extend(self.velocity.to_array());
    }
    fn restore(&mut self, state: &[f64]) -> bool {
        let &[x, y, z, u, v, w] = state else { return false };
        (self.at, self.velocity) = ([DVec3::new(x, y, z)], DVec3::new(u, v, w));
        true
    }
    fn surface(&self) -> Mesh {
        let mut ball = shapes::sphere(24, 16);
        self.draw(&mut ball);
        ball
    }
    fn material(&self, _: &mut Scene) -> Material {
        Material::matte(0.9, 0.1, 0.7)
    }
    fn draw(&self, surface: &mut Mesh) {
        let at = self.at[0].to_array().map(|c| c as f32);
        for (p, n) in surface.positions.iter_mut().zip(&surface.normals) {
            *p = std::array::from_fn(|k| at[k] + RADIUS as f32 * n[k]);
        }
    }
}

fn task() -> Arc<TaskSpec> {
    let block = object("block", Block::cube(0.04)).colour(Colour::Blue);
    let spot = region("spot", rect([0.30, -0.01], [0.302, 0.01])).yaw(0.0, 0.001);
    Arc::new(
        TaskSpec::new("test/medium", RigName::ARX_R5)
            .instruction("look at the ball")
            .place(&block, &spot)
            .stages([stage("lifted", lifted(&block, 0.05))])
            .horizon(400),
    )
}

fn env(with: Option<[f64; 3]>) -> Env {
    let mut env = Env::new(task(), EnvSettings::default()).unwrap();
    env.reset(Seed(1)).unwrap();
    if let Some(anchor) = with {
        env.world_mut().add_medium(SprungBall::new(anchor));
        env.reset(Seed(1)).unwrap();
    }
    env
}

/// How far the ball is from its anchor.
fn moved(world: &World, anchor: [f64; 3]) -> f64 {
    (world.snapshot().soft[0].points[0] - DVec3::from(anchor)).length()
}

/// Drives the hand towards a point over the table.
fn drive(world: &mut World, to: [f64; 3], steps: u32) {
    let down = DQuat::from_rotation_x(std::f64::consts::PI);
    for _ in 0..steps {
        let at = world.snapshot().hands[0].commanded;
        let goal = Pose::new(to.into(), down);
        let action = ToolScale::DEFAULT.towards(&at, &goal, 0.02, 0.1, -1.0);
        world.step(action.values()).unwrap();
    }
}

#[test]
fn a_hand_pushes_a_medium_aside() {
    let anchor = [0.25, 0.0, 0.12];
    let mut env = env(Some(anchor));
    let world = env.world_mut();
    assert!(moved(world, anchor) < 1e-6, "it begins at rest");
    // Down onto the ball with the palm's fingers, then away: it springs back.
    drive(world, [0.25, 0.0, 0.15], 20);
    drive(world, [0.25, 0.044, 0.12], 30);
    let pushed = moved(world, anchor);
    assert!(pushed > 2e-3, "moved {pushed} m only");
    drive(world, [0.25, 0.0, 0.27], 60);
    let off = moved(world, anchor);
    assert!(off < 1e-3, "{off} m off");
}

#[test]
fn a_medium_pushes_bodies_that_sleep() {
    let at = |env: &Env| env.snapshot().bodies[1].pose.pos;
    // Asleep, and then a ball comes.
    let mut env = env(Some([0.24, 0.0, 0.03]));
    for _ in 0..40 {
        let idle = env.world().control().idle();
        env.step(&idle).unwrap();
    }
    let before = at(&env);
    let saved = env.world().save();
    let mut pushing = SprungBall::new([0.30, 0.0, 0.03]);
    pushing.at = [DVec3::new(0.24, 0.0, 0.03)];
    let mut world = World::new(env.world().structure()).unwrap();
    world.reset(env.scene()).unwrap();
    world.add_medium(pushing);
    world.restore(&saved).unwrap();
    let idle = world.control().idle();
    for _ in 0..40 {
        world.step(idle.values()).unwrap();
    }
    let moved = (world.snapshot().bodies[1].pose.pos - before).length();
    assert!(moved > 5e-3, "a sleeping block moved by {moved} m only");
}

#[test]
fn hash_and_checkpoints_cover_media() {
    let mut env = env(Some([0.25, 0.0, 0.12]));
    let plain = self::env(None);
    assert_ne!(env.world().state_hash(), plain.world().state_hash(), "the hash covers it");
    let world = env.world_mut();
    drive(world, [0.25, 0.044, 0.12], 30);
    let saved = world.save();
    let run = |world: &mut World| {
        drive(world, [0.27, 0.0, 0.12], 20);
        (world.state_hash(), world.snapshot().clone())
    };
    let first = run(world);
    world.restore(&saved).unwrap();
    let mut second = None;
    assert_eq!(counting::allocations(|| second = Some(world.step(&[0.0; 7]))), 0);
    world.restore(&saved).unwrap();
    assert_eq!(first, run(world));
    // Not into a world without it, which then stays as it is.
    let mut other = self::env(None);
    let before = other.world().state_hash();
    assert!(matches!(other.world_mut().restore(&saved), Err(SimError::ForeignCheckpoint)));
    assert_eq!(before, other.world().state_hash());
    // A new episode begins from the start.
    env.reset(Seed(1)).unwrap();
    assert!(moved(env.world(), [0.25, 0.0, 0.12]) < 1e-6);
}

#[test]
fn cameras_draw_media() {
    let mut env = env(Some([0.30, 0.05, 0.10]));
    let channels = Channels { segment: true, ..Channels::COLOR };
    let images = ImageSettings { channels, size: Some((160, 120)), ..ImageSettings::default() };
    let pink = |world: &World| {
        let mut cameras = CameraRig::new(world, images.clone()).unwrap();
        cameras.draw(world, &mut Seed(0).stream("pixels"));
        let (_, top) = cameras.frames().next().unwrap();
        let pixels = top.rgb.chunks_exact(3).zip(&top.segment);
        let pink = pixels.filter(|(p, _)| p[0] > 100 && p[1] < 90 && p[2] > 80);
        let pink: Vec<_> = pink.map(|(_, s)| Segment::of(*s)).collect();
        assert!(pink.iter().all(|s| *s == Segment::Medium(0)), "{pink:?}");
        pink.len()
    };
    assert!(pink(env.world()) > 20, "the ball is not seen");
    let plain = self::env(None);
    assert_eq!(pink(plain.world()), 0);
    drive(env.world_mut(), [0.25, 0.0, 0.25], 1);
    assert!(pink(env.world()) > 20);
}

#[test]
fn a_medium_that_blows_up_ends_the_episode_by_name() {
    let mut env = env(None);
    let mut ball = SprungBall::new([0.25, 0.0, 0.12]);
    ball.anchor.x = f64::NAN;
    env.world_mut().add_medium(ball);
    let idle = env.world().control().idle();
    let error = env.step(&idle).unwrap_err();
    assert!(matches!(&error, SimError::MediumDiverged { name, .. } if name == "ball"), "{error}");
    // Nothing else is affected.
    let mut other = self::env(Some([0.25, 0.0, 0.12]));
    other.step(&idle).unwrap();
}
