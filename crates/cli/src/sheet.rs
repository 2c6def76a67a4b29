//! Many scenes at a glance: one picture per task, as it begins or as the expert leaves it.

use std::path::Path;

use anyhow::Result;
use longarm_data::image::{ContactSheet, Image};
use longarm_eval::{Actor, Unwatched, run_episode};
use longarm_render::Channels;
use longarm_sim::{Env, EnvSettings, ImageSettings};
use longarm_types::Seed;

use crate::options::Choices;
use crate::select::select;

/// Size of one picture.
const SIZE: (usize, usize) = (400, 300);

/// Draws every task that `selector` means, as the choices make it, into one picture.
pub(crate) fn write(
    selector: &str,
    choices: &Choices,
    seed: u64,
    ended: bool,
    path: &Path,
) -> Result<()> {
    let tasks = choices.variant()?.of(select(&[selector.to_owned()])?)?;
    choices.check_files(&tasks)?;
    let mut sheet = ContactSheet::new().columns(if tasks.len() > 12 { 8 } else { 4 });
    let images = ImageSettings {
        channels: Channels::COLOR,
        size: Some(SIZE),
        smooth: true,
        view: true,
        ..Default::default()
    };
    for task in tasks {
        let mut env = Env::new(task.clone(), EnvSettings { images: Some(images.clone()) })?;
        env.reset(Seed(seed))?;
        let mut caption = task.id.name().replace('-', " ");
        if ended {
            let mut expert = Actor::named("expert")?;
            let record = run_episode(&mut env, &mut expert, "expert", &mut Unwatched);
            caption = format!("{:.0} {caption}", record.score);
            if env.action_spec().whole_motions() {
                // Out of the picture.
                let idle = env.action_spec().idle();
                env.step(&idle)?;
            }
        }
        env.observe();
        if let Some((cameras, _)) = env.cameras()
            && let Some((_, f)) = cameras.frames().last()
        {
            sheet.push(caption, Image::new(f.width, f.height, f.rgb.clone())?);
        }
    }
    sheet.render()?.write_png(path)?;
    tell!("wrote {}", path.display());
    Ok(())
}
