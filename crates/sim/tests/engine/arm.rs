//! How well the arm follows what is commanded.

use super::*;

/// Brings the tool to a pose by actions, as a policy would.
fn drive(world: &mut World, goal: &Pose, steps: u32) -> (f64, f64) {
    for _ in 0..steps {
        let at = world.snapshot().hands[0].commanded;
        let a = world.control().tool_scale().towards(&at, goal, 0.03, 0.15, -1.0);
        world.step(a.values()).unwrap();
    }
    world.snapshot().hands[0].pose.error_to(goal)
}

#[test]
fn the_tool_reaches_commanded_poses_over_the_workspace() {
    for rig in [RigName::ARX_R5, RigName::PANDA] {
        let r = rig.rig();
        let mut world = empty(rig);
        let (c, h) = (DVec3::from(r.workspace.centre), DVec3::from(r.workspace.half));
        let down = DQuat::from_rotation_x(std::f64::consts::PI);
        for i in 0..3 {
            for j in 0..3 {
                for k in 0..3 {
                    let t = DVec3::new(f64::from(i), f64::from(j), f64::from(k)) - DVec3::ONE;
                    let mut pos = c + t * h * 0.92;
                    pos.z = pos.z.max(0.03);
                    let yaw = DQuat::from_rotation_z(0.4 * t.y);
                    let goal = Pose::new(pos, yaw * down);
                    let (far, turned) = drive(&mut world, &goal, 70);
                    assert!(
                        far < 2e-3 && turned < 1f64.to_radians(),
                        "{rig:?} at {pos}: {:.1} mm, {:.2}°",
                        far * 1e3,
                        turned.to_degrees()
                    );
                }
            }
        }
    }
}

#[test]
fn full_speed_never_exceeds_joint_speed_limits() {
    for rig in [RigName::ARX_R5, RigName::PANDA] {
        let mut e = env(rig);
        let n = e.world().dof();
        let limits: Vec<f64> =
            e.world().controller(0).chain().joints.iter().map(|j| j.velocity).collect();
        let (mut q, mut v) = (vec![0.0; n], vec![0.0; n]);
        let mut before = vec![0.0; n];
        e.world().read_joints(&mut before, &mut v);
        for k in 0..160u64 {
            // Full deflection, changing direction now and then, and sometimes every step.
            let mut a = wild(if k < 100 { k / 10 } else { k });
            for x in a.values_mut() {
                *x = x.signum();
            }
            e.world_mut().step(a.values()).unwrap();
            e.world().read_joints(&mut q, &mut v);
            for i in 0..n {
                assert!(v[i].abs() <= limits[i], "{rig:?} joint {i}: {} of {}", v[i], limits[i]);
                let mean = (q[i] - before[i]) * f64::from(CONTROL_HZ);
                assert!(mean.abs() <= limits[i], "{rig:?} joint {i} on average: {mean}");
            }
            before.clone_from(&q);
        }
    }
}

#[test]
fn reaching_too_far_does_not_wind_up() {
    let mut e = env(RigName::ARX_R5);
    let out = Action::new(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    for _ in 0..80 {
        e.world_mut().step(out.values()).unwrap();
    }
    let far = e.snapshot().hands[0].pose;
    let back = Action::new(&[-1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0]);
    for _ in 0..8 {
        e.world_mut().step(back.values()).unwrap();
    }
    let moved = far.pos.x - e.snapshot().hands[0].pose.pos.x;
    assert!(moved > 0.04, "came back only {moved:.3} m in 8 steps");
    let tilt = rotation_between(far.rot, e.snapshot().hands[0].pose.rot).length();
    assert!(tilt < 0.3, "it tilted by {tilt:.3} rad on the way back");
}
