//! Robots: kinematics against published tables, inverse kinematics, reach of the rigs, MJCF.
#![allow(clippy::approx_constant, reason = "published numbers, as rounded by their maker")]

use std::f64::consts::{FRAC_PI_2, PI};

use longarm_assets::kinematics::{Chain, IkSettings, Joints};
use longarm_assets::robots::{self, End, Limb, RobotName};
use longarm_assets::{CameraMount, Mjcf, RigName};
use longarm_types::{DMat3, DQuat, DVec3, Pose, Rng, Seed};

const ALL: [RobotName; 3] = [RobotName::FRANKA_PANDA, RobotName::UR5E, RobotName::ARX_R5];

fn joints(values: &[f64]) -> Joints {
    let mut q = Joints::default();
    q[..values.len()].copy_from_slice(values);
    q
}

fn random_joints(chain: &Chain, rng: &mut Rng, margin: f64) -> Joints {
    let mut q = Joints::default();
    for (j, v) in chain.joints.iter().zip(&mut q) {
        *v = rng.range(j.range[0] + margin, j.range[1] - margin);
    }
    q
}

// 4×4 matrices written out, so that nothing of the code under test is used.
type M4 = [[f64; 4]; 4];
const I4: M4 =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn mul(a: &M4, b: &M4) -> M4 {
    let mut c = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..4 {
            c[i][j] = (0..4).map(|k| a[i][k] * b[k][j]).sum();
        }
    }
    c
}

fn product(factors: &[M4]) -> M4 {
    factors.iter().fold(I4, |acc, m| mul(&acc, m))
}

/// Rotation about coordinate axis `k`.
fn rot(k: usize, angle: f64) -> M4 {
    let (s, c) = angle.sin_cos();
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let mut m = I4;
    m[i][i] = c;
    m[i][j] = -s;
    m[j][i] = s;
    m[j][j] = c;
    m
}

fn shift(x: f64, y: f64, z: f64) -> M4 {
    let mut m = I4;
    (m[0][3], m[1][3], m[2][3]) = (x, y, z);
    m
}

/// Largest distance and largest rotation-matrix difference.
fn compare(pose: &Pose, m: &M4) -> (f64, f64) {
    let r = DMat3::from_quat(pose.rot).transpose().to_cols_array_2d();
    let mut turn: f64 = 0.0;
    for i in 0..3 {
        for j in 0..3 {
            turn = turn.max((r[i][j] - m[i][j]).abs());
        }
    }
    ((pose.pos - DVec3::new(m[0][3], m[1][3], m[2][3])).length(), turn)
}

/// The only limb of a robot.
fn limb(name: RobotName) -> Limb {
    name.spec().limbs[0].clone()
}

/// The chain with its tool moved to where `tool` is in the hand's frame.
fn chain_to(limb: &Limb, tool: Pose) -> Chain {
    Limb { tool, ..limb.clone() }.chain(&Pose::IDENTITY)
}

#[test]
fn panda_matches_the_published_dh_table() {
    // Craig's convention: Rx(alpha) Tx(a) Rz(theta) Tz(d), then the flange.
    const A: [f64; 7] = [0.0, 0.0, 0.0, 0.0825, -0.0825, 0.0, 0.088];
    const D: [f64; 7] = [0.333, 0.0, 0.316, 0.0, 0.384, 0.0, 0.0];
    const ALPHA: [f64; 7] =
        [0.0, -FRAC_PI_2, FRAC_PI_2, FRAC_PI_2, -FRAC_PI_2, FRAC_PI_2, FRAC_PI_2];
    let spec = limb(RobotName::FRANKA_PANDA);
    // The hand is mounted at −45° on the flange; undo that.
    let chain = chain_to(&spec, Pose::new(DVec3::ZERO, DQuat::from_rotation_z(PI / 4.0)));
    let mut rng = Seed(3).stream("panda");
    for _ in 0..200 {
        let q = random_joints(&chain, &mut rng, 0.0);
        let mut m = I4;
        for i in 0..7 {
            m = product(&[
                m,
                rot(0, ALPHA[i]),
                shift(A[i], 0.0, 0.0),
                rot(2, q[i]),
                shift(0.0, 0.0, D[i]),
            ]);
        }
        m = mul(&m, &shift(0.0, 0.0, 0.107));
        let (distance, turn) = compare(&chain.forward(&q), &m);
        assert!(distance < 1e-9 && turn < 1e-9, "{distance} {turn}");
    }
}

#[test]
fn ur5e_matches_the_published_dh_table() {
    // Standard convention: Rz(theta) Tz(d) Tx(a) Rx(alpha).
    const D: [f64; 6] = [0.1625, 0.0, 0.0, 0.1333, 0.0997, 0.0996];
    const A: [f64; 6] = [0.0, -0.425, -0.3922, 0.0, 0.0, 0.0];
    const ALPHA: [f64; 6] = [FRAC_PI_2, 0.0, 0.0, FRAC_PI_2, -FRAC_PI_2, 0.0];
    let spec = limb(RobotName::UR5E);
    let chain = chain_to(&spec, Pose::IDENTITY);
    let mut rng = Seed(3).stream("ur5e");
    for _ in 0..200 {
        let q = random_joints(&chain, &mut rng, 0.0);
        let mut m = I4;
        for i in 0..6 {
            m = product(&[
                m,
                rot(2, q[i]),
                shift(0.0, 0.0, D[i]),
                shift(A[i], 0.0, 0.0),
                rot(0, ALPHA[i]),
            ]);
        }
        let (distance, turn) = compare(&chain.forward(&q), &m);
        // The MuJoCo model rounds lengths to the millimetre (0.163, 0.392, 0.138 − 0.131 + 0.127 =
        // 0.134, 0.100, 0.100): at most 0.5 + 0.2 + 0.7 + 0.3 + 0.4 mm together.
        assert!(distance < 0.0021 && turn < 1e-9, "{distance} {turn}");
    }
}

#[test]
fn arx_r5_matches_its_urdf() {
    // xyz, roll, axis of each joint, as in the maker's description.
    const TABLE: [([f64; 3], f64, usize); 6] = [
        ([0.0, 0.0, 0.0565], 0.0, 2),
        ([0.02, 0.0, 0.047], 0.0, 1),
        ([-0.264, 0.0, 0.0], -3.1416, 1),
        ([0.245, -5e-5, -0.06], 0.0, 1),
        ([0.073914, 5e-5, -0.083391], 0.0, 2),
        ([0.025286, 0.0, 0.083391], 3.1416, 0),
    ];
    let spec = limb(RobotName::ARX_R5);
    let chain = chain_to(&spec, Pose::IDENTITY);
    let tool = spec.chain(&Pose::IDENTITY);
    let mut rng = Seed(3).stream("arx");
    for _ in 0..200 {
        let q = random_joints(&chain, &mut rng, 0.0);
        let mut m = I4;
        for ([x, y, z], roll, axis) in TABLE {
            let i = TABLE.iter().position(|t| t.0 == [x, y, z]).unwrap_or(0);
            m = product(&[m, shift(x, y, z), rot(0, roll), rot(axis, q[i])]);
        }
        let (distance, turn) = compare(&chain.forward(&q), &m);
        assert!(distance < 1e-9 && turn < 1e-9, "{distance} {turn}");
        // The tool points along link6's x and closes along its y.
        let t = tool.forward(&q);
        let x = DVec3::new(m[0][0], m[1][0], m[2][0]);
        let y = DVec3::new(m[0][1], m[1][1], m[2][1]);
        assert!((t.dir(DVec3::Z) - x).length() < 1e-9);
        assert!((t.dir(DVec3::Y).dot(y).abs() - 1.0).abs() < 1e-9);
        let tip = DVec3::new(m[0][3], m[1][3], m[2][3]) + x * (0.08657 + 0.065);
        assert!((t.pos - tip).length() < 1e-9);
    }
}

#[test]
fn inverse_kinematics_round_trips() {
    let settings = IkSettings { iterations: 200, damping: 0.004, ..IkSettings::default() };
    for name in ALL {
        let spec = limb(name);
        let chain = spec.chain(&Pose::IDENTITY);
        let home = joints(&spec.home);
        let mut rng = Seed(5).stream("ik");
        let mut solved = 0;
        for _ in 0..200 {
            // From nearby, as a controller asks, but also close to singular postures, where the
            // default damping would need more iterations.
            let goal = random_joints(&chain, &mut rng, 0.15);
            let mut start = goal;
            for v in &mut start[..chain.dof()] {
                *v += rng.range(-0.15, 0.15);
            }
            let target = chain.forward(&goal);
            let s = chain.solve(&target, &start, &home, &settings);
            for (j, &v) in chain.joints.iter().zip(&s.joints) {
                assert!(v.is_finite() && v >= j.range[0] && v <= j.range[1]);
            }
            let (distance, angle) = chain.forward(&s.joints).error_to(&target);
            assert!((distance - s.position_error).abs() < 1e-12);
            solved += usize::from(distance < 1e-4 && angle < 0.01f64.to_radians());
        }
        assert_eq!(solved, 200, "{name:?}");
    }
}

#[test]
fn inverse_kinematics_stays_finite_and_within_limits_out_of_reach() {
    for name in ALL {
        let spec = limb(name);
        let chain = spec.chain(&Pose::IDENTITY);
        let home = joints(&spec.home);
        let mut rng = Seed(6).stream("far");
        for k in 0..200 {
            let far = if k % 2 == 0 { 3.0 } else { 0.05 };
            let pos = DVec3::new(rng.range(-far, far), rng.range(-far, far), rng.range(-far, far));
            let axis = DVec3::new(rng.normal(), rng.normal(), rng.normal()).normalize_or(DVec3::X);
            let target = Pose::new(pos, DQuat::from_axis_angle(axis, rng.range(-PI, PI)));
            let s = chain.solve(&target, &home, &home, &IkSettings::default());
            assert!(s.position_error.is_finite() && s.rotation_error.is_finite());
            for (j, &v) in chain.joints.iter().zip(&s.joints) {
                assert!(v.is_finite() && v >= j.range[0] && v <= j.range[1], "{name:?} {v}");
            }
        }
    }
}

/// The share of downward tool poses that are reached, from home or from the pose before.
fn reach(rig: RigName, xs: [f64; 2], ys: [f64; 2], zs: [f64; 2], n: usize, yaws: &[f64]) -> f64 {
    let rig = rig.rig();
    let limb = &rig.limbs()[0];
    let (chain, home) = (limb.chain(), joints(&limb.home));
    let settings = IkSettings { iterations: 100, ..IkSettings::default() };
    let at = |[lo, hi]: [f64; 2], i: usize| lo + (hi - lo) * i as f64 / (n - 1) as f64;
    let (mut reached, mut all) = (0, 0);
    for (i, j, k) in (0..n * n * n).map(|c| (c / n / n, c / n % n, c % n)) {
        for &yaw in yaws {
            let down = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_x(PI);
            let pos = DVec3::new(at(xs, i), at(ys, j), at(zs, k));
            all += 1;
            // Fingers are the same turned half round.
            let ok = [0.0, PI, -PI].iter().any(|&half| {
                let target = Pose::new(pos, down * DQuat::from_rotation_z(half));
                let mut start = home;
                start[chain.dof() - 1] -= half + yaw;
                let s = chain.solve(&target, &start, &home, &settings);
                s.position_error < 1e-4 && s.rotation_error < 1e-3
            });
            reached += usize::from(ok);
        }
    }
    reached as f64 / f64::from(all)
}

const YAWS: [f64; 5] = [-FRAC_PI_2, -PI / 4.0, 0.0, PI / 4.0, FRAC_PI_2];

#[test]
fn arx_r5_reaches_its_workspace_pointing_down_with_any_yaw() {
    assert_eq!(reach(RigName::ARX_R5, [0.18, 0.45], [-0.22, 0.22], [0.01, 0.27], 5, &YAWS), 1.0);
    assert_eq!(reach(RigName::ARX_R5, [0.18, 0.35], [-0.22, 0.22], [0.27, 0.36], 4, &YAWS), 1.0);
}

#[test]
fn ur5e_and_panda_reach_their_workspaces() {
    assert_eq!(
        reach(RigName::UR5E_SUCTION, [0.25, 0.75], [-0.4, 0.4], [0.005, 0.1], 5, &YAWS),
        1.0
    );
    assert_eq!(reach(RigName::PANDA, [0.35, 0.7], [-0.3, 0.3], [0.01, 0.35], 4, &YAWS), 1.0);
    // LIBERO's base is farther off: what lies beyond is taken by its near rim, or slanting.
    let libero = |rig, xs| reach(rig, xs, [-0.25, 0.25], [0.01, 0.25], 4, &YAWS);
    assert_eq!(libero(RigName::LIBERO_KITCHEN, [-0.3, 0.0]), 1.0);
    assert_eq!(libero(RigName::LIBERO_STUDY, [-0.2, 0.1]), 1.0);
    assert_eq!(libero(RigName::LIBERO_LIVING_ROOM, [-0.2, 0.14]), 1.0);
}

#[test]
fn homes_point_down_with_x_forward_or_present_a_palm() {
    for rig in RigName::all().into_iter().map(RigName::rig) {
        for limb in rig.limbs() {
            let chain = limb.chain();
            assert_eq!(limb.home.len(), chain.dof());
            for (j, &v) in chain.joints.iter().zip(&limb.home) {
                assert!(v > j.range[0] + 0.02 && v < j.range[1] - 0.02);
            }
            let tool = chain.forward(&joints(&limb.home));
            let down = Pose::new(tool.pos, limb.standing().rot * DQuat::from_rotation_x(PI));
            // A hand that is formed around something from the start has it lie on its palm.
            let presents = !rig.robots[limb.robot].fingers.is_empty();
            match presents {
                true => assert!(tool.dir(DVec3::Z).z > 0.998, "{rig:?} {tool:?}"),
                // LIBERO's own start leans by 3.3°.
                false => assert!(tool.error_to(&down).1 < 0.06, "{rig:?} {tool:?}"),
            }
            let ground = if limb.rides() { limb.standing().pos.z } else { 0.0 };
            assert!(tool.pos.z - ground > 0.2, "{:?} {tool:?}", rig.name);
        }
    }
    let arx = RigName::ARX_R5.rig();
    let arm = &arx.limbs()[0];
    let tool = arm.chain().forward(&joints(&arm.home));
    assert!((tool.pos - DVec3::new(0.25, 0.0, 0.25)).length() < 1e-5, "{tool:?}");
}

#[test]
fn inertias_are_physical() {
    for name in ALL {
        for l in &limb(name).links {
            let [a, b, c] = l.inertia;
            assert!(l.mass > 0.0 && a > 0.0 && b > 0.0 && c > 0.0, "{}", l.name);
            assert!(a <= b + c && b <= a + c && c <= a + b, "{}", l.name);
            assert!(l.com.is_finite() && (l.com.rot.length() - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn the_model_names_what_the_simulation_asks_for() {
    for rig in RigName::all().into_iter().map(RigName::rig) {
        let mut out = Mjcf::default();
        robots::build(&rig, &mut out);
        let (xml, files) = out.finish("");
        let has = |what: String| assert!(xml.contains(&what), "{:?} lacks {what}", rig.name);
        for limb in rig.limbs() {
            let prefix = &limb.prefix;
            for l in &limb.spec().links {
                has(format!("<body name=\"{prefix}{}\"", l.name));
                if let Some(j) = &l.joint {
                    has(format!("<joint name=\"{prefix}{}\"", j.name));
                    has(format!("<position name=\"{prefix}{}\"", j.name));
                }
            }
            has(format!("<site name=\"{prefix}tool\""));
            match limb.spec().end {
                End::Gripper(_) => {
                    has(format!("<position name=\"{prefix}gripper\""));
                    has(format!("name=\"{prefix}pad_left\""));
                    has(format!("name=\"{prefix}pad_right\""));
                }
                End::Suction(_) => has(format!("<body name=\"{prefix}cup\"")),
                End::Hand(_) => has(format!("<site name=\"{prefix}palm\"")),
            }
        }
        for c in &rig.cameras {
            if let CameraMount::Tool { .. } = c.mount {
                has(format!("<camera name=\"{}\"", c.name));
            }
        }
        assert!(!xml.contains("NaN") && !xml.contains("inf"));
        // The msh header: vertices, normals, texture coordinates, faces.
        let faces = |f: &Vec<u8>| i32::from_le_bytes([f[12], f[13], f[14], f[15]]);
        let total: i32 = files.values().map(faces).sum();
        // A hand's sixteen finger joints and a base have links of their own.
        let hands = rig.limbs().iter().filter(|l| matches!(l.spec().end, End::Hand(_))).count();
        let bases = rig.limbs().iter().filter(|l| l.rides()).count();
        let most = 12_000 * rig.robots.len() + 3_000 * (hands + bases);
        assert!(total < most as i32, "{:?} has {total} triangles", rig.name);
    }
}
