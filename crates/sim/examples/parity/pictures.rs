//! Recorded pictures against ours.

use std::path::{Path, PathBuf};

use longarm_sim::{SimError, SourceCameras, SourceWorld};
use longarm_task::Glow;

/// Cameras that were recorded.
const CAMERAS: [&str; 2] = ["agentview", "robot0_eye_in_hand"];
const SIZE: usize = 256;

/// Draws what was recorded, where there is a picture of it.
pub struct Pictures {
    cameras: SourceCameras,
    ids: Vec<(&'static str, usize)>,
    folder: PathBuf,
    /// Where pictures and differences are left to be looked at.
    out: Option<PathBuf>,
    /// Peak signal-to-noise ratio of each picture, dB.
    pub decibels: Vec<f64>,
}

impl Pictures {
    pub fn new(world: &SourceWorld, folder: &Path, out: Option<PathBuf>) -> Result<Self, SimError> {
        let ids =
            CAMERAS.iter().map(|n| Ok((*n, world.camera(n)?))).collect::<Result<_, SimError>>()?;
        Ok(Self {
            cameras: SourceCameras::new(world, SIZE, SIZE),
            ids,
            folder: folder.to_owned(),
            out,
            decibels: Vec::new(),
        })
    }

    /// Show what glows now in the pictures to come.
    pub fn glow(&mut self, world: &SourceWorld, glows: &[Glow]) -> Result<(), SimError> {
        for glow in glows {
            let on = world.positions()[world.joint(&glow.joint)?] >= glow.from;
            self.cameras.show_site(world.site(&glow.site)?, on);
        }
        Ok(())
    }

    /// Whether a picture was recorded with an action.
    pub fn wanted(&self, action: usize) -> bool {
        self.file(CAMERAS[0], action).is_file()
    }

    fn file(&self, camera: &str, action: usize) -> PathBuf {
        self.folder.join(format!("{camera}_{action:03}.png"))
    }

    /// Draw all cameras and compare them with what was recorded.
    pub fn take(&mut self, world: &SourceWorld, action: usize) -> Result<(), String> {
        for (name, id) in self.ids.clone() {
            let file = self.file(name, action);
            let want = read(&file)?;
            let have = self.cameras.draw(world, id);
            let squares: f64 = have
                .iter()
                .zip(&want)
                .map(|(a, b)| f64::from(i32::from(*a) - i32::from(*b)).powi(2))
                .sum();
            let mean = squares / want.len() as f64;
            self.decibels.push(10.0 * (255.0 * 255.0 / mean.max(1e-9)).log10());
            if let Some(out) = &self.out {
                sheet(out, &self.folder, name, action, have, &want)?;
            }
        }
        Ok(())
    }
}

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let opened = std::fs::File::open(file).map_err(|e| fail(&e))?;
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(opened)).read_info().map_err(|e| fail(&e))?;
    let mut data = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let info = reader.next_frame(&mut data).map_err(|e| fail(&e))?;
    if (info.width as usize, info.height as usize) != (SIZE, SIZE)
        || info.color_type != png::ColorType::Rgb
    {
        return Err(fail(&"is not an RGB picture of 256 × 256"));
    }
    data.truncate(info.buffer_size());
    Ok(data)
}

/// Ours, the recorded one and four times their difference, side by side.
fn sheet(
    out: &Path,
    folder: &Path,
    camera: &str,
    action: usize,
    have: &[u8],
    want: &[u8],
) -> Result<(), String> {
    let row = 3 * SIZE;
    let mut all = Vec::with_capacity(3 * have.len());
    for (a, b) in have.chunks_exact(row).zip(want.chunks_exact(row)) {
        all.extend_from_slice(a);
        all.extend_from_slice(b);
        all.extend(a.iter().zip(b).map(|(a, b)| a.abs_diff(*b).saturating_mul(4)));
    }
    let parts: Vec<_> = folder.iter().rev().take(2).map(|p| p.to_string_lossy()).collect();
    let name = format!("{}_{}_{camera}_{action:03}.png", parts[1], parts[0]);
    std::fs::create_dir_all(out).map_err(|e| e.to_string())?;
    let picture =
        longarm_data::image::Image::new(3 * SIZE, SIZE, all).map_err(|e| e.to_string())?;
    picture.write_png(out.join(name)).map_err(|e| e.to_string())
}
