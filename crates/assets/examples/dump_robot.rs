//! Writes a rig as MJCF with its mesh files: `dump_robot RIG DIR` (arx-r5, ur5e-suction, panda).
//!
//! Next to `robot.xml` it writes `poses.txt`: joint values and the tool pose the kinematic chain
//! gives for them, to be compared with MuJoCo's.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

use longarm_assets::kinematics::{Chain, IkSettings, Joints};
use longarm_assets::{CameraMount, Mjcf, RigName, robots};
use longarm_types::{DQuat, Pose, Seed};

const HEAD: &str = r#"
  <compiler angle="radian" autolimits="true" boundmass="1e-6" boundinertia="1e-10"/>
  <option timestep="0.002" integrator="implicitfast" solver="Newton" cone="elliptic" impratio="10"
          iterations="50" ls_iterations="50" tolerance="1e-8"><flag sleep="enable"/></option>
  <visual><map znear="0.01" zfar="20"/><global offwidth="1600" offheight="1200"/>
    <headlight ambient="0.35 0.35 0.35" diffuse="0.25 0.25 0.25" specular="0.1 0.1 0.1"/></visual>
  <statistic center="0.3 0 0.1" extent="1"/>
  <default>
    <default class="solid">
      <geom group="3" contype="1" conaffinity="1" condim="4" solref="0.01 1" friction="0.8 0.005 0.0001"/>
    </default>
    <default class="visual"><geom group="2" contype="0" conaffinity="0" mass="0"/></default>
  </default>"#;

fn joints(values: &[f64]) -> Joints {
    let mut q = Joints::default();
    q[..values.len()].copy_from_slice(values);
    q
}

fn line(out: &mut String, chain: &Chain, q: &Joints) {
    let p = chain.forward(q);
    let all = q[..chain.dof()].iter().copied().chain(p.pos.to_array()).chain(p.wxyz());
    let text: Vec<String> = all.map(|v| format!("{v:.17e}")).collect();
    let _ = writeln!(out, "{}", text.join(" "));
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = env::args().collect();
    let [_, rig, dir] = args.as_slice() else {
        return Err("usage: dump_robot RIG DIR".into());
    };
    let Some(rig) = RigName::find(rig) else {
        return Err(format!("no rig {rig:?}; there are {:?}", RigName::all()).into());
    };
    let rig = rig.rig();
    let dir = Path::new(dir);
    fs::create_dir_all(dir)?;
    let mut out = Mjcf::default();
    out.raw("<light pos=\"1.0 1.1 2.2\" dir=\"-0.35 -0.5 -1\" diffuse=\"0.7 0.7 0.7\" castshadow=\"true\"/>");
    out.raw("<geom name=\"table\" class=\"solid\" type=\"box\" group=\"2\" size=\"0.65 0.75 0.02\" pos=\"0.45 0 -0.02\" rgba=\"0.72 0.56 0.40 1\"/>");
    for c in &rig.cameras {
        if let CameraMount::World(pose) = &c.mount {
            out.camera(&c.name, pose, c.fovy);
        }
    }
    robots::build(&rig, &mut out);
    let (xml, files) = out.finish(HEAD);
    fs::write(dir.join("robot.xml"), xml)?;
    for (name, bytes) in files {
        fs::write(dir.join(name), bytes)?;
    }

    let limb = &rig.limbs()[0];
    let (chain, home) = (limb.chain(), joints(&limb.home));
    let mut text = String::new();
    line(&mut text, &chain, &home);
    let mut rng = Seed(1).stream("dump");
    let ([cx, cy, cz], [hx, hy, hz]) = (rig.workspace.centre, rig.workspace.half);
    let settings = IkSettings { iterations: 200, ..IkSettings::default() };
    while text.lines().count() < 300 {
        let at =
            [rng.range(cx - hx, cx + hx), rng.range(cy - hy, cy + hy), rng.range(cz - hz, cz + hz)];
        let rot = DQuat::from_rotation_z(rng.range(-1.5, 1.5))
            * DQuat::from_rotation_x(std::f64::consts::PI);
        let s = chain.solve(&Pose::new(at.into(), rot), &home, &home, &settings);
        if s.position_error < 1e-4 && s.rotation_error < 1e-3 {
            line(&mut text, &chain, &s.joints);
        }
    }
    fs::write(dir.join("poses.txt"), text)?;
    Ok(())
}
