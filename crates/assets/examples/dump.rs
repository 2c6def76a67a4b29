//! Writes assets on the table as MJCF with its files, to look at with MuJoCo's own tools.
//!
//! `dump DIR [NAME…]` writes `DIR/NAME.xml`; without names it writes every sample, and all of them
//! side by side (but the long ones) as `all`.

use std::fs;
use std::path::Path;

use longarm_assets::{Asset, Grasp, Mjcf, objects};
use longarm_types::Pose;

fn samples() -> Vec<(String, Asset)> {
    let numbered = |k: &objects::AssetKind| {
        let all = (k.samples)().into_iter().enumerate();
        all.map(|(i, a)| (format!("{}-{i}", k.name), a)).collect::<Vec<_>>()
    };
    objects::KINDS.iter().flat_map(numbered).collect()
}

/// The options the engine composes its models with.
const HEAD: &str = r#"
  <compiler angle="radian" autolimits="true" boundmass="1e-6" boundinertia="1e-10" meshdir="." texturedir="."/>
  <option timestep="0.002" integrator="implicitfast" solver="Newton" cone="elliptic" impratio="10"
          iterations="50" ls_iterations="50" tolerance="1e-8"/>
  <visual><map znear="0.01" zfar="20"/><headlight ambient="0.35 0.35 0.36" diffuse="0.25 0.25 0.25" specular="0 0 0"/>
    <quality shadowsize="2048"/><global offwidth="1280" offheight="960"/></visual>
  <statistic center="0.3 0 0.1" extent="1"/>
  <default>
    <default class="solid">
      <geom group="3" contype="1" conaffinity="1" condim="4" solref="0.01 1" friction="0.8 0.005 0.0001" rgba="0.6 0.6 0.65 1"/>
    </default>
    <default class="visual">
      <geom group="2" contype="0" conaffinity="0" mass="0"/>
    </default>
  </default>"#;

const LIGHT: &str = "<light pos=\"-0.6 0.8 1.6\" dir=\"0.5 -0.5 -1\" directional=\"true\" castshadow=\"true\" diffuse=\"0.6 0.58 0.55\" specular=\"0.2 0.2 0.2\"/>";

/// Kind, part, opening, position and w-x-y-z quaternion, separated by blanks.
fn grasp_line(g: &Grasp) -> String {
    let part = g.part.as_deref().unwrap_or("-");
    let [x, y, z] = g.tool.pos.to_array();
    let [qw, qx, qy, qz] = g.tool.wxyz();
    format!("{:?} {part} {} {x} {y} {z} {qw} {qx} {qy} {qz}", g.kind, g.opening)
}

fn write(dir: &Path, name: &str, assets: &[(String, Asset)]) -> std::io::Result<()> {
    let mut out = Mjcf::default();
    objects::arena::table(&mut out);
    out.raw(LIGHT);
    for (i, (id, asset)) in assets.iter().enumerate() {
        // A frame element carries the place, as the simulator sets body poses per seed.
        let at = if assets.len() > 1 {
            let (row, column) = (i / 6, i % 6);
            Pose::at(-0.1 + 0.28 * row as f64, -0.5 + 0.2 * column as f64, 0.0)
        } else {
            Pose::at(0.3, 0.0, 0.0)
        };
        let [x, y, z] = at.pos.to_array();
        out.raw(&format!("<frame pos=\"{x} {y} {z}\">"));
        asset.build(id, &mut out);
        out.raw("</frame>");
    }
    if let [(_, asset)] = assets {
        let lines: Vec<String> = asset.info().grasps.iter().map(grasp_line).collect();
        fs::write(dir.join(format!("{name}.grasps")), lines.join("\n"))?;
    }
    let (xml, files) = out.finish(HEAD);
    for (file, bytes) in files {
        fs::write(dir.join(file), bytes)?;
    }
    fs::write(dir.join(format!("{name}.xml")), xml)
}

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().unwrap_or_else(|| "dump".into());
    let dir = Path::new(&dir);
    let wanted: Vec<String> = args.collect();
    fs::create_dir_all(dir)?;
    let all = samples();
    for sample in &all {
        if wanted.is_empty() || wanted.contains(&sample.0) {
            write(dir, &sample.0, std::slice::from_ref(sample))?;
        }
    }
    if wanted.is_empty() {
        // The long ones would lie across their neighbours.
        let compact: Vec<_> =
            all.into_iter().filter(|(_, a)| a.info().bounds.footprint_radius() < 0.2).collect();
        write(dir, "all", &compact)?;
    }
    Ok(())
}
