//! Rope and foam as MuJoCo's flexes: against the textbook, exact, seen and told apart.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::Arc;

use longarm_assets::objects::{Cord, FoamBlock};
use longarm_assets::{Asset, Geom, Mjcf, RigName, Shape, head};
use longarm_render::Channels;
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_task::TaskSpec;
use longarm_task::prelude::*;
use longarm_types::{Action, DQuat, DVec3, Pose, Seed};
use mujoco_rs::prelude::*;
use mujoco_rs::wrappers::mj_auxiliary::MjVfs;
use proptest::prelude::*;

const LENGTH: f64 = 0.5;
const DT: f64 = 0.002;

/// A model of a straight rope alone, with what else is in the world and options.
fn rope_model(options: &str, around: impl FnOnce(&mut Mjcf)) -> MjData<Box<MjModel>> {
    model_of(Cord { length: LENGTH, curl: [0.0; 2] }.into(), options, around)
}

/// A model of an asset alone, with what else is in the world and options.
fn model_of(asset: Asset, options: &str, around: impl FnOnce(&mut Mjcf)) -> MjData<Box<MjModel>> {
    let mut out = Mjcf::default();
    around(&mut out);
    asset.build("flex", &mut out);
    let (xml, files) = out.finish(&head(true).replace("<option", &format!("<option {options}")));
    let mut vfs = MjVfs::new();
    for (name, bytes) in &files {
        vfs.add_from_buffer(name, bytes).unwrap();
    }
    vfs.add_from_buffer("rope.xml", xml.as_bytes()).unwrap();
    let model = MjModel::from_xml_vfs("rope.xml", &vfs).unwrap();
    MjData::new(Box::new(model))
}

fn nodes(data: &MjData<Box<MjModel>>) -> Vec<DVec3> {
    data.flexvert_xpos().iter().map(|p| DVec3::from(*p)).collect()
}

/// Put the nodes of the only rope at points.
fn lay(data: &mut MjData<Box<MjModel>>, points: &[DVec3]) {
    data.forward();
    let rest = nodes(data);
    for (k, (to, from)) in points.iter().zip(&rest).enumerate() {
        data.qpos_mut()[3 * k..3 * k + 3].copy_from_slice(&(*to - *from).to_array());
    }
    data.forward();
}

fn velocity(data: &MjData<Box<MjModel>>, node: usize) -> DVec3 {
    let v = &data.qvel()[3 * node..3 * node + 3];
    DVec3::new(v[0], v[1], v[2])
}

fn push(data: &mut MjData<Box<MjModel>>, node: usize, force: DVec3) {
    let body = data.model().flex_vertbodyid()[node] as usize;
    data.xfrc_applied_mut()[body][..3].copy_from_slice(&force.to_array());
}

/// A rope hung by its ends takes the shape of a catenary: z = a cosh(x / a) (Bernoulli, Leibniz and Huygens 1691).
#[test]
fn a_rope_hung_by_its_ends_is_a_catenary() {
    const SPAN: f64 = 0.3;
    let mut data = rope_model("", |_| {});
    let n = nodes(&data).len();
    let depth = ((LENGTH / 2.0).powi(2) - (SPAN / 2.0).powi(2)).sqrt();
    let v = |i: usize| {
        let s = i as f64 / (n - 1) as f64;
        DVec3::new(SPAN * (s - 0.5), 0.0, 1.0 - depth * (1.0 - (2.0 * s - 1.0).abs()))
    };
    let start: Vec<DVec3> = (0..n).map(v).collect();
    lay(&mut data, &start);
    for _ in 0..(8.0 / DT) as usize {
        for end in [0, n - 1] {
            // Held by springs; its ends are where they are.
            let at = nodes(&data)[end];
            let force = (start[end] - at) * 40.0 - velocity(&data, end) * 0.1;
            push(&mut data, end, force);
        }
        data.step();
    }
    let points = nodes(&data);
    let speed = (0..n).map(|i| velocity(&data, i).length()).fold(0.0, f64::max);
    assert!(speed < 1e-3, "it has come to rest: {speed}");
    let span = points[0].distance(points[n - 1]);
    let length: f64 = points.windows(2).map(|p| p[0].distance(p[1])).sum();
    // 2 a sinh(span / 2 a) = length, by bisection.
    let (mut low, mut high) = (0.02, 5.0);
    for _ in 0..80 {
        let a: f64 = f64::midpoint(low, high);
        if 2.0 * a * (span / 2.0 / a).sinh() > length { low = a } else { high = a }
    }
    let sag = low * ((span / 2.0 / low).cosh() - 1.0);
    let measured = points[0].z - points[n / 2].z;
    let off = points.iter().map(|p| {
        let z = points[0].z - sag + low * ((p.x / low).cosh() - 1.0);
        (z - p.z).abs()
    });
    let off = off.fold(0.0, f64::max);
    println!(
        "catenary: sag {measured:.4} m, expected {sag:.4}; farthest off {:.2} mm; stretched {:.2} %",
        1e3 * off,
        100.0 * (length / LENGTH - 1.0)
    );
    assert!((measured / sag - 1.0).abs() < 0.02 && off < 0.01 * LENGTH);
    assert!((length / LENGTH - 1.0).abs() < 0.01);
}

/// A rope that slides around a post: the forces on its ends are as e^(μ θ) (Euler and Eytelwein).
#[test]
fn a_rope_pulled_over_a_post_obeys_the_capstan_equation() {
    const POST: f64 = 0.05;
    const HELD: f64 = 0.5;
    const SPEED: f64 = 0.03;
    for friction in [0.15, 0.3] {
        let mut data = rope_model("gravity=\"0 0 0\"", |out| {
            let lying = Pose::new(DVec3::ZERO, DQuat::from_rotation_x(FRAC_PI_2));
            let post = Geom::solid(Shape::Cylinder(POST, 0.1)).at(lying);
            out.geom(post.friction([friction, 0.005, 0.0001]).with("priority=\"1\""));
        });
        let n = nodes(&data).len();
        let around = POST + 0.005;
        let half = around * FRAC_PI_2;
        let at = |i: usize| {
            let s = LENGTH * (i as f64 / (n - 1) as f64 - 0.5);
            let (on, over) = (s.clamp(-half, half), s - s.clamp(-half, half));
            let a = on / around;
            DVec3::new(around * a.sin(), 0.0, around * a.cos() - over.abs())
        };
        lay(&mut data, &(0..n).map(at).collect::<Vec<_>>());
        let (mut pull, mut sum, mut count) = (HELD, 0.0, 0);
        for i in 0..2500 {
            let speed = -velocity(&data, n - 1).z;
            // Pull so hard that it slides at an even speed.
            if i > 200 {
                pull += 0.02 * (SPEED - speed);
            }
            push(&mut data, 0, DVec3::NEG_Z * HELD);
            push(&mut data, n - 1, DVec3::NEG_Z * pull);
            data.step();
            if i > 1500 {
                sum += pull / HELD;
                count += 1;
            }
        }
        let speed = -velocity(&data, n - 1).z;
        assert!((speed / SPEED - 1.0).abs() < 0.3, "it slides at {speed} m/s");
        let (ratio, expected) = (sum / f64::from(count), (friction * PI).exp());
        println!("capstan: μ {friction}, half a turn: {ratio:.3}, expected {expected:.3}");
        assert!((ratio / expected - 1.0).abs() < 0.15, "{ratio} against {expected}");
    }
}

/// A block of foam drawn out and pressed together by its ends obeys Hooke's law: strain F / (E A) along the force, Poisson's
/// ratio of that across it.
#[test]
fn foam_obeys_hookes_law() {
    // Those of the asset.
    const YOUNG: f64 = 2e4;
    const POISSON: f64 = 0.2;
    let [x, y, z] = [0.06, 0.06, 0.09];
    for strain in [0.02, -0.02, -0.05] {
        let mut data = model_of(FoamBlock { size: [x, y, z] }.into(), "gravity=\"0 0 0\"", |_| {});
        data.forward();
        let rest = nodes(&data);
        // The block's points lie a radius within its surface.
        let (lower, upper) = spread(&rest);
        let size = upper - lower;
        let force = strain * YOUNG * size.x * size.y;
        // Its eight corners carry it: each bears a quarter of the force on its end.
        let ends: Vec<usize> = data.model().flex_nodebodyid().iter().map(|b| *b as usize).collect();
        let middle = ends.iter().map(|b| data.xpos()[*b][2]).sum::<f64>() / ends.len() as f64;
        let bodies: Vec<(usize, f64)> =
            ends.iter().map(|b| (*b, (data.xpos()[*b][2] - middle).signum())).collect();
        for _ in 0..1500 {
            for (body, up) in &bodies {
                data.xfrc_applied_mut()[*body][2] = force / 4.0 * up;
            }
            data.step();
        }
        let (lower, upper) = spread(&nodes(&data));
        let seen = (upper - lower) / size - DVec3::ONE;
        println!("foam: strain {strain}: {:.4} along, {:.4} across", seen.z, seen.x);
        assert!((seen.z / strain - 1.0).abs() < 0.1, "{} against {strain}", seen.z);
        let across = -POISSON * strain;
        for side in [seen.x, seen.y] {
            assert!((side / across - 1.0).abs() < 0.15, "{side} against {across}");
        }
    }
}

/// The corners of the box around some points.
fn spread(points: &[DVec3]) -> (DVec3, DVec3) {
    let all = |f: fn(DVec3, DVec3) -> DVec3| points.iter().copied().reduce(f).unwrap();
    (all(DVec3::min), all(DVec3::max))
}

fn rope_task() -> Arc<TaskSpec> {
    let rope = object("rope", Cord { length: 0.4, curl: [2.0, 4.0] }).colour(Colour::Red);
    let sponge = object("sponge", FoamBlock::SPONGE);
    Arc::new(
        TaskSpec::new("test/rope", RigName::STUDIO_PANDA)
            .instruction("straighten the rope")
            .place(&rope, &region("middle", rect([-0.05, -0.05], [0.0, 0.05])).yaw(-3.0, 3.0))
            .place(&sponge, &region("left", point([-0.05, 0.3])).yaw(-3.0, 3.0))
            .plan([straighten(&rope)])
            .stages([stage("straight", straight(&rope))])
            .horizon(400),
    )
}

fn env(images: Option<ImageSettings>) -> Env {
    Env::new(rope_task(), EnvSettings { images }).unwrap()
}

/// Lower the hand onto the rope, then anything: what is soft moves.
fn wild(n: usize, seed: u64) -> Vec<Action> {
    let mut rng = Seed(seed).stream("wild");
    let down = Action::new(&[0.0, 0.0, -0.8, 0.0, 0.0, 0.0, -1.0]);
    let mut any = || {
        let mut v: [f32; 7] = std::array::from_fn(|_| rng.range(-1.0, 1.0) as f32);
        v[2] = v[2].min(0.0);
        Action::new(&v)
    };
    let lowered = std::iter::repeat_n(down, 10);
    lowered.chain(std::iter::repeat_with(&mut any).take(n)).collect()
}

/// The hash and every point of what is soft, step by step.
fn run(env: &mut Env, actions: &[Action]) -> Vec<(String, Vec<Vec<DVec3>>)> {
    let step = |a: &Action| {
        env.step(a).unwrap();
        let soft = env.snapshot().soft.iter().map(|s| s.points.clone()).collect();
        (env.world().state_hash().to_string(), soft)
    };
    actions.iter().map(step).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn restoring_and_replaying_a_rope_in_motion_is_running_on(
        seed in 0u64..1000,
        before in 0usize..15,
        after in 1usize..15,
    ) {
        let all = wild(before + after, seed);
        let (first, rest) = all.split_at(10 + before);
        let [mut one, mut two] = [env(None), env(None)];
        one.reset(Seed(seed)).unwrap();
        let begun = run(&mut one, first);
        let saved = one.save();
        let on = run(&mut one, rest);
        one.restore(&saved).unwrap();
        prop_assert_eq!(&run(&mut one, rest), &on, "restored");
        two.reset(Seed(seed + 1)).unwrap();
        run(&mut two, &first[..5]);
        two.restore(&saved).unwrap();
        prop_assert_eq!(&run(&mut two, rest), &on, "restored elsewhere");
        two.reset(Seed(seed)).unwrap();
        prop_assert_eq!(run(&mut two, first), begun, "replayed");
        prop_assert_eq!(run(&mut two, rest), on, "replayed");
    }
}

#[test]
fn rope_and_foam_lie_on_the_table_touch_it_and_are_seen_as_themselves() {
    let channels = Channels { segment: true, ..Channels::COLOR_DEPTH };
    let images = ImageSettings { size: Some((224, 224)), channels, ..ImageSettings::default() };
    let mut env = env(Some(images));
    for seed in 0..3 {
        env.reset(Seed(seed)).unwrap();
        let now = env.snapshot().clone();
        assert_eq!(now.soft.len(), 2);
        for soft in &now.soft {
            let (b, radius) = (soft.body, soft.form.radius);
            assert!(now.touching.get(b, 0) && now.rests_on.get(b, 0), "carried by the table");
            let lowest = soft.points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min) - radius;
            assert!(lowest.abs() < 1.5e-3, "neither floats nor sinks: {lowest}");
            assert!(soft.speed < 0.02 && now.bodies[b].pose.pos.z.abs() < 1.5e-3);
            assert!(!now.hands[0].touches[b]);
        }
        let rope = &now.soft[0].points;
        let length: f64 = rope.windows(2).map(|p| p[0].distance(p[1])).sum();
        assert!((length - 0.4).abs() < 0.002, "{length}");
        let seen = env.observe();
        for soft in &now.soft {
            let is = |c: &longarm_types::CameraImage| {
                c.segment.iter().filter(|s| **s == soft.body as i32).count()
            };
            let pixels: usize = seen.cameras.iter().map(is).sum();
            assert!(pixels > 150, "body {} has {pixels} pixels", soft.body);
        }
    }
}
