//! What the cameras of a rig see at the start of an episode, its view for people last.
//!
//! `rig_sheet RIG FILE.png`

use std::error::Error;

use longarm_assets::{RigName, Structure};
use longarm_data::image::{ContactSheet, Image};
use longarm_sim::{CameraRig, ImageSettings, World};
use longarm_task::Scene;
use longarm_types::Seed;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, rig, file] = args.as_slice() else {
        return Err("usage: rig_sheet RIG FILE.png".into());
    };
    let Some(rig) = RigName::find(rig) else {
        return Err(format!("no rig {rig:?}; there are {:?}", RigName::all()).into());
    };
    let scene = Scene::plain(Structure { rig: rig.rig(), instances: vec![] });
    let mut world = World::new(&scene.structure)?;
    world.reset(&scene)?;
    let size = Some((480, 360));
    let settings = ImageSettings { size, smooth: true, view: true, ..ImageSettings::default() };
    let mut cameras = CameraRig::new(&world, settings)?;
    cameras.draw(&world, &mut Seed(0).stream("noise"));
    let mut sheet = ContactSheet::new().columns(2);
    for (name, frame) in cameras.frames() {
        sheet.push(name, Image::new(frame.width, frame.height, frame.rgb.clone())?);
    }
    sheet.render()?.write_png(file)?;
    Ok(())
}
