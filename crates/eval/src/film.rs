//! Videos of episodes, for people.

use std::path::PathBuf;

use longarm_data::image::{ContactSheet, Edge, Image, hstack};
use longarm_data::video::{Mp4Writer, VideoOptions};
use longarm_sim::{CameraRig, Env, ImageSettings, World};
use longarm_types::{CONTROL_HZ, Rng, Seed};

use crate::Watcher;

/// Frames on a filmstrip, on a large one, and most frames kept to choose them from.
const SHOWN: usize = 8;
const LARGE: usize = 20;
const KEPT: usize = 64;

/// Films an episode: an mp4 of all cameras side by side, and a strip of moments.
///
/// It has cameras of its own, so that what a policy sees is the same bits with and without it.
pub struct Film {
    video: Option<PathBuf>,
    strip: Option<Strip>,
    rig: Option<CameraRig>,
    writer: Option<Mp4Writer>,
    moments: Vec<(String, Image)>,
    every: u32,
    /// Control steps from one frame of the video to the next.
    stride: u32,
    /// Film what the policy's cameras see, too.
    cameras: bool,
    caption: String,
    /// Pixel noise is off; nothing is drawn from it.
    rng: Rng,
    failure: Option<String>,
}

/// A sheet of moments.
struct Strip {
    path: PathBuf,
    shown: usize,
    /// Halve the pictures.
    small: bool,
}

impl Film {
    /// Into these files, the strip fit to be embedded in a page; their folders must exist.
    pub fn new(video: PathBuf, strip: PathBuf) -> Self {
        Self::into(Some(video), Some(Strip { path: strip, shown: SHOWN, small: true }))
    }

    /// The same at a sixth of the work: the view for people alone, ten times a second.
    pub fn brief(video: PathBuf, strip: PathBuf) -> Self {
        Self { stride: 2, cameras: false, ..Self::new(video, strip) }
    }

    /// Into either file, with more and larger moments on the strip.
    pub fn large(video: Option<PathBuf>, strip: Option<PathBuf>) -> Self {
        Self::into(video, strip.map(|path| Strip { path, shown: LARGE, small: false }))
    }

    fn into(video: Option<PathBuf>, strip: Option<Strip>) -> Self {
        Self {
            video,
            strip,
            rig: None,
            writer: None,
            moments: Vec::new(),
            every: 5,
            stride: 1,
            cameras: true,
            caption: String::new(),
            rng: Seed(0).stream("film"),
            failure: None,
        }
    }

    /// Takes in a moment; the `last` one is always on the strip.
    fn frame(&mut self, world: &World, last: bool) -> Result<(), String> {
        let text = |e: &dyn std::fmt::Display| e.to_string();
        let step = world.snapshot().step;
        let moment = self.strip.as_ref().filter(|_| last || step.is_multiple_of(self.every));
        let filmed = self.video.as_ref().filter(|_| last || step.is_multiple_of(self.stride));
        if filmed.is_none() && moment.is_none() {
            return Ok(());
        }
        if self.rig.is_none() {
            let mut settings = ImageSettings::for_people(&world.structure().rig);
            if self.video.is_some() && self.cameras {
                settings.only = None;
            }
            self.rig = Some(CameraRig::new(world, settings).map_err(|e| text(&e))?);
        }
        let Some(rig) = &mut self.rig else { return Ok(()) };
        rig.draw(world, &mut self.rng);
        let mut images = Vec::new();
        for (_, f) in rig.frames().filter(|(_, f)| f.width > 0) {
            images.push(Image::new(f.width, f.height, f.rgb.clone()).map_err(|e| text(&e))?);
        }
        // The view for people comes last and is shown first.
        images.rotate_right(1);
        if let (Some(strip), Some(view)) = (moment, images.first()) {
            let title = format!("{step}: {}", self.caption);
            let view = if strip.small { halved(view) } else { Ok(view.clone()) };
            // The last moment may be there already, not yet knowing how it ended.
            self.moments.pop_if(|m| last && m.0.starts_with(&format!("{step}:")));
            self.moments.push((title, view.map_err(|e| text(&e))?));
            if self.moments.len() > KEPT {
                // Every other one goes, and only half as many come from now on.
                let mut keep = false;
                self.moments.retain(|_| {
                    keep = !keep;
                    keep
                });
                self.every *= 2;
            }
        }
        let Some(path) = filmed else { return Ok(()) };
        let tallest = images.iter().map(Image::height).max().unwrap_or(0);
        let mut tiles = Vec::new();
        for i in &images {
            let mut tile = Image::filled(i.width(), tallest, [24, 24, 26]).map_err(|e| text(&e))?;
            tile.paste(i, 0, (tallest - i.height()) / 2);
            tiles.push(tile);
        }
        let mut picture = hstack(&tiles.iter().collect::<Vec<_>>(), 4).map_err(|e| text(&e))?;
        picture.caption(Edge::Bottom, &self.caption);
        let writer = match &mut self.writer {
            Some(w) => w,
            empty => {
                let options = VideoOptions::viewing(CONTROL_HZ / self.stride);
                let (w, h) = (picture.width(), picture.height());
                empty.insert(Mp4Writer::create(path, w, h, options).map_err(|e| text(&e))?)
            }
        };
        writer.push(picture.rgb()).map_err(|e| text(&e))
    }

    /// Writes the files; why not otherwise.
    pub fn finish(self) -> Result<(), String> {
        if let Some(why) = self.failure {
            return Err(why);
        }
        if let Some(w) = self.writer {
            w.finish().map_err(|e| e.to_string())?;
        }
        self.strip.map_or(Ok(()), |strip| write_strip(&self.moments, &strip))
    }
}

fn write_strip(moments: &[(String, Image)], strip: &Strip) -> Result<(), String> {
    let mut sheet = ContactSheet::new().columns(4);
    let n = moments.len().min(strip.shown);
    for k in 0..n {
        let at = if n > 1 { k * (moments.len() - 1) / (n - 1) } else { 0 };
        sheet.push(moments[at].0.clone(), moments[at].1.clone());
    }
    let picture = sheet.render().map_err(|e| e.to_string())?;
    picture.write_png(&strip.path).map_err(|e| e.to_string())
}

/// Half the size, each pixel the mean of four.
fn halved(image: &Image) -> longarm_data::Result<Image> {
    let (w, h) = (image.width() / 2, image.height() / 2);
    let (from, row) = (image.rgb(), image.width() * 3);
    let mut rgb = Vec::with_capacity(w * h * 3);
    for y in 0..h {
        for x in 0..w * 3 {
            let at = 2 * y * row + (x / 3) * 6 + x % 3;
            let sum = [at, at + 3, at + row, at + row + 3].map(|i| u16::from(from[i]));
            rgb.push((sum.iter().sum::<u16>() / 4) as u8);
        }
    }
    Image::new(w, h, rgb)
}

impl Watcher for Film {
    fn control_step(&mut self, world: &World) {
        if self.failure.is_none() {
            self.failure = self.frame(world, false).err();
        }
    }

    fn after_action(&mut self, env: &mut Env, doing: &str) {
        let tracker = env.tracker();
        let status = tracker.status();
        let stage = tracker.current().map_or("", |i| tracker.title(i));
        let now = if doing.is_empty() { stage } else { doing };
        self.caption = format!("{}/{}  {now}", status.completed(), status.stages.len());
        // How it ended is known only now.
        if env.report().done() && self.failure.is_none() {
            self.failure = self.frame(env.world(), true).err();
        }
    }
}
