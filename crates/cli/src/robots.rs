//! The robots, and where their links are in a posture.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, bail};
use longarm_assets::robots::{End, RobotName, RobotSpec};
use longarm_assets::{CameraMount, CameraSpec, MountedRobot, Rig, RigName, look_at};
use longarm_catalogue::Catalogue;
use longarm_data::image::{ContactSheet, Image};
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_task::form::{self, Format, NoFiles};
use longarm_types::{DVec3, Digest, Pose, Seed, counted};
use serde_json::{Map, json};

use crate::files;

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Name; `longarm robots` lists them.
    name: String,
    /// Joint values of all limbs in a row, radians or metres [default: a comfortable posture].
    #[arg(long, value_name = "Q1,Q2,…", value_delimiter = ',', allow_hyphen_values = true)]
    joints: Vec<f64>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Draw the robot in this posture, from each camera of a rig that has it.
    #[arg(long, value_name = "FILE.png")]
    image: Option<PathBuf>,
}

/// Rigs in which a robot stands.
fn rigs(robot: RobotName) -> Vec<RigName> {
    let has = |r: &RigName| r.rig().robots.iter().any(|m| m.robot == robot);
    Catalogue::new().rigs().into_iter().filter(has).collect()
}

fn end(end: &End) -> &'static str {
    match end {
        End::Gripper(_) => "gripper",
        End::Suction(_) => "suction cup",
        End::Hand(_) => "hand",
    }
}

pub(crate) fn list(args: &ListArgs) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let robots = Catalogue::new().robots();
    if args.json {
        let row = |r: &RobotName| {
            let spec = r.spec();
            let limbs: Vec<_> = spec
                .limbs
                .iter()
                .map(|l| {
                    let dof = l.home.len() + l.fingers();
                    json!({ "name": l.name, "dof": dof, "end": end(&l.end) })
                })
                .collect();
            json!({ "name": r.as_str(), "limbs": limbs, "dof": spec.dof(), "rigs": rigs(*r) })
        };
        serde_json::to_writer_pretty(&mut out, &robots.iter().map(row).collect::<Vec<_>>())?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{:16} {:>6}  {:36} rigs", "robot", "joints", "limbs")?;
    for robot in robots {
        let spec = robot.spec();
        let limb = |l: &longarm_assets::robots::Limb| {
            let joints = counted((l.home.len() + l.fingers()) as u64, "joint");
            format!("{} ({joints}, {})", l.name, end(&l.end))
        };
        let limbs: Vec<String> = spec.limbs.iter().map(limb).collect();
        let rigs: Vec<&str> = rigs(robot).into_iter().map(RigName::as_str).collect();
        let (name, limbs, rigs) = (robot.as_str(), limbs.join(", "), rigs.join(" "));
        writeln!(out, "{name:16} {:>6}  {limbs:36} {rigs}", spec.dof())?;
    }
    Ok(())
}

/// Joint values as given, or the robot's own. Those of a gripper's fingers may be left out.
fn joints(args: &Args, spec: &RobotSpec) -> Result<Vec<f64>> {
    if args.joints.is_empty() {
        return Ok(spec.home());
    }
    let given = args.joints.len();
    let (all, fewer) = (spec.joints(true), spec.joints(false));
    let joints = match given {
        n if n == all.len() => all,
        n if n == fewer.len() => fewer,
        _ => {
            let wanted = counted(fewer.len() as u64, "joint");
            let with = if all.len() == fewer.len() {
                String::new()
            } else {
                format!(" ({} with the gripper's)", all.len())
            };
            bail!("{} has {wanted}{with}, and --joints has {given} values", args.name);
        }
    };
    for (joint, value) in joints.iter().zip(&args.joints) {
        let [low, high] = joint.range;
        if !(low..=high).contains(value) {
            bail!("--joints: {} takes {low:.3} to {high:.3}, not {value}", joint.name);
        }
    }
    Ok(args.joints.clone())
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let robot = Catalogue::new().robot(&args.name)?;
    args.image.as_deref().map_or(Ok(()), |p| files::check("--image", p, "png"))?;
    let spec = robot.spec();
    let joints = joints(args, &spec)?;
    let mut out = std::io::stdout().lock();
    if let Some(path) = &args.image {
        draw(robot, &joints, path)?;
        tell!("wrote {}", path.display());
    }
    let poses = spec.link_poses(&joints);
    if args.json {
        let link = |(name, p): &(String, Pose)| {
            (name.clone(), json!({ "pos": p.pos.to_array(), "quat_wxyz": p.wxyz() }))
        };
        let links: Map<String, serde_json::Value> = poses.iter().map(link).collect();
        serde_json::to_writer_pretty(&mut out, &json!({ "joints": joints, "links": links }))?;
        writeln!(out)?;
    } else if args.image.is_none() {
        writeln!(out, "{:20} {:>26}  {:>31}", "link", "position, m", "quaternion, w x y z")?;
        for (name, p) in &poses {
            let ([x, y, z], [w, i, j, k]) = (p.pos.to_array(), p.wxyz());
            writeln!(
                out,
                "{name:20} {x:+8.4} {y:+8.4} {z:+8.4}  {w:+7.4} {i:+7.4} {j:+7.4} {k:+7.4}"
            )?;
        }
    }
    Ok(())
}

/// Turns a camera to the middle of places and sets it back as far as it takes to see them all.
fn look_at_all(camera: &mut CameraSpec, places: &[DVec3]) {
    let CameraMount::World(pose) = &mut camera.mount else { return };
    let low = places.iter().copied().reduce(DVec3::min).unwrap_or_default();
    let high = places.iter().copied().reduce(DVec3::max).unwrap_or_default();
    let middle = (low + high) / 2.0;
    // A link is more than its frame.
    let radius = (high - low).length() / 2.0 + 0.1;
    let away = (pose.pos - middle).normalize();
    *pose =
        look_at(middle + away * radius / (camera.fovy / 2.0).to_radians().sin(), middle, DVec3::Z);
}

/// Draws a robot where it stands in the first rig that has it alone, or in any; one that no rig has stands at
/// a table.
fn draw(robot: RobotName, joints: &[f64], path: &Path) -> Result<()> {
    let rigs = rigs(robot);
    let alone = rigs.iter().find(|r| r.rig().robots.len() == 1).or(rigs.first());
    let usual = RigName::all().into_iter().find(|r| r.rig().robots.len() == 1);
    let Some(name) = alone.copied().or(usual) else { bail!("there is no rig to stand in") };
    let mut rig: Rig = name.rig();
    if alone.is_none() {
        rig.robots = vec![MountedRobot::new("robot", robot, Pose::at(0.35, 0.0, 0.06))];
        rig.cameras.retain(|c| matches!(c.mount, CameraMount::World(_)));
        rig.action = rig.tool_actions();
    }
    let spec = robot.spec();
    let start = spec.base.as_ref().map_or(0, |b| b.home.len());
    let mut posture = Vec::new();
    let mut rest = joints.get(start..).unwrap_or_default();
    for limb in &spec.limbs {
        let (own, others) = rest.split_at(limb.home.len().min(rest.len()));
        let (fingers, others) = others.split_at(limb.fingers().min(others.len()));
        posture.push((own.to_vec(), fingers.to_vec()));
        rest = others;
    }
    for mounted in rig.robots.iter_mut().filter(|m| m.robot == robot) {
        mounted.home = posture.iter().map(|p| p.0.clone()).collect();
        mounted.fingers = posture.iter().map(|p| p.1.clone()).collect();
    }
    let standing = rig.robots.iter().filter(|m| m.robot == robot);
    let links = spec.link_poses(joints);
    let places = standing.flat_map(|m| links.iter().map(|(_, p)| m.mount.compose(p).pos));
    look_at_all(&mut rig.view, &places.collect::<Vec<_>>());
    let hash = Digest::of(format!("{name} {joints:?}").as_bytes());
    let posed = Rig::register(&format!("{name}-{}", hash.short()), rig)?;
    let text = format!(
        "rig = \"{posed}\"\ninstruction = \"stand still\"\ngoal = \"hand_empty\"\nhorizon = 1\n"
    );
    let task = form::read(&text, Format::Toml, "robot/posture", &NoFiles)
        .map_err(|e| anyhow::anyhow!("the scene cannot be made: {e}"))?
        .task;
    let images = ImageSettings { smooth: true, view: true, ..Default::default() };
    let mut env = Env::new(Arc::new(task), EnvSettings { images: Some(images) })?;
    env.reset(Seed(0))?;
    env.observe();
    let mut sheet = ContactSheet::new().columns(3);
    if let Some((cameras, _)) = env.cameras() {
        for (name, f) in cameras.frames() {
            sheet.push(name, Image::new(f.width, f.height, f.rgb.clone())?);
        }
    }
    Ok(sheet.render()?.write_png(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_camera_set_back_sees_every_place() {
        let mut camera = RigName::all()[0].rig().view;
        let places = [DVec3::ZERO, DVec3::new(0.3, -0.9, 1.2), DVec3::new(-0.4, 0.2, 1.5)];
        look_at_all(&mut camera, &places);
        let CameraMount::World(pose) = camera.mount else { panic!("it stands in the world") };
        let slope = (camera.fovy / 2.0).to_radians().tan();
        for place in places {
            let [x, y, z] = pose.local(place).to_array();
            let depth = -z;
            assert!(depth > 0.0 && y.abs() < slope * depth && x.abs() < slope * depth, "{place}");
        }
    }
}
