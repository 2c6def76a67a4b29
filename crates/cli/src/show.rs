use std::borrow::Cow;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result};
use longarm_data::image::{ContactSheet, Image, depth_to_rgb, segmentation_to_rgb};
use longarm_render::Channels;
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_types::Seed;
use serde_json::json;

use crate::options::Choices;
use crate::{catalogue, files};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Task id, or a .toml, .json or .bddl file; with --sheet also a suite, a pattern or a folder of
    /// task files.
    task: String,
    /// Seed of the scene.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    choices: Choices,
    /// Print the specification and the scene of the seed as JSON.
    #[arg(long)]
    json: bool,
    /// Print the task as BDDL, where it is written in it.
    #[arg(long)]
    bddl: bool,
    /// Write a contact sheet of all cameras (colour, depth, segmentation).
    #[arg(long, value_name = "FILE.png")]
    image: Option<PathBuf>,
    /// Write pictures of the scene with the grasps that are perceived of what the plan takes, the chosen ones
    /// green.
    #[arg(long, value_name = "FILE.png")]
    grasps: Option<PathBuf>,
    /// Write one picture of every task that is meant, each as it begins.
    #[arg(long, value_name = "FILE.png", conflicts_with_all = ["json", "image", "mjcf"])]
    sheet: Option<PathBuf>,
    /// With --sheet: as the expert leaves them.
    #[arg(long = "final", requires = "sheet")]
    ended: bool,
    /// Write the scene as MJCF, with its meshes and textures, into a folder.
    #[arg(long, value_name = "DIR")]
    mjcf: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    for (flag, path) in
        [("--image", &args.image), ("--grasps", &args.grasps), ("--sheet", &args.sheet)]
    {
        path.as_deref().map_or(Ok(()), |p| files::check(flag, p, "png"))?;
    }
    if let Some(path) = &args.sheet {
        return crate::sheet::write(&args.task, &args.choices, args.seed, args.ended, path);
    }
    if args.bddl {
        let text = longarm_task::bddl::write(&catalogue::problem(&args.task)?);
        return Ok(std::io::stdout().lock().write_all(text.as_bytes())?);
    }
    let whole = args.choices.variant()?.of_one(catalogue::task(&args.task)?)?;
    let task = match whole.instance(Seed(args.seed)) {
        Cow::Borrowed(_) => whole.clone(),
        Cow::Owned(instance) => Arc::new(instance),
    };
    let scene = longarm_task::sample(&task, Seed(args.seed))?;
    if let Some(dir) = &args.mjcf {
        let composed = longarm_assets::compose(&scene.structure);
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let files = composed.files.iter().map(|(n, b)| (n.as_str(), b.as_slice()));
        for (name, bytes) in files.chain([("scene.xml", composed.xml.as_bytes())]) {
            longarm_data::write_atomically(&dir.join(name), bytes)?;
        }
        tell!("wrote {}", dir.join("scene.xml").display());
    }
    if let Some(path) = &args.image {
        let channels = Channels { normals: false, ..Channels::ALL };
        let images = ImageSettings { channels, smooth: true, view: true, ..Default::default() };
        let mut env = Env::new(task.clone(), EnvSettings { images: Some(images) })?;
        env.reset_scene(scene.clone())?;
        env.observe();
        let mut sheet = ContactSheet::new().columns(3);
        if let Some((cameras, _)) = env.cameras() {
            for (name, f) in cameras.frames() {
                sheet.push(name, Image::new(f.width, f.height, f.rgb.clone())?);
                let depth = depth_to_rgb(f.width, f.height, &f.depth, None)?;
                sheet.push(format!("{name} depth"), depth);
                let objects = segmentation_to_rgb(f.width, f.height, &f.segment)?;
                sheet.push(format!("{name} objects"), objects);
            }
        }
        sheet.render()?.write_png(path)?;
        tell!("wrote {}", path.display());
    }
    if let Some(path) = &args.grasps {
        crate::grasps::write(&task, &scene, path)?;
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        let mut value = json!({ "spec": *task, "hash": whole.hash(), "scene": scene });
        // What `run` needs to read it back.
        if let Some(rig) = longarm_task::form::own_rig(task.rig) {
            value["rigs"] = json!({ task.rig.as_str(): rig });
        }
        serde_json::to_writer_pretty(&mut out, &value)?;
        writeln!(out)?;
    } else if args.image.is_none() && args.mjcf.is_none() && args.grasps.is_none() {
        writeln!(
            out,
            "{}  {:?}  horizon {}  {}",
            task.id,
            task.rig,
            task.horizon,
            task.labels.join(" ")
        )?;
        writeln!(out, "\"{}\"", scene.instruction)?;
        writeln!(out, "\nscene of seed {}", args.seed)?;
        for (i, o) in scene.structure.instances.iter().enumerate() {
            let p = scene.poses[i].pos;
            writeln!(
                out,
                "  {:14} {:10} at ({:+.3}, {:+.3}, {:.3})",
                o.name,
                o.asset.noun(),
                p.x,
                p.y,
                p.z
            )?;
        }
        writeln!(out, "\nstages")?;
        for (i, s) in task.stage_titles().iter().enumerate() {
            writeln!(out, "  {:2}. {s}", i + 1)?;
        }
        if whole.instances.is_some() {
            writeln!(out, "\nplan")?;
            for (i, s) in task.plan.written().iter().enumerate() {
                writeln!(out, "  {:2}. {}", i + 1, s.said.as_deref().unwrap_or_default())?;
            }
        }
        for f in &task.forbid {
            writeln!(out, "  never: {}", f.name)?;
        }
    }
    Ok(())
}
