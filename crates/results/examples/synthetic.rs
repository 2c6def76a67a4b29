//! Writes made-up runs and their reports, to look at: `cargo run -p longarm-results --example
//! synthetic -- OUT [EPISODES]`.

mod made_up;

use std::error::Error;
use std::path::{Path, PathBuf};

use longarm_data::image::{Edge, Image, hstack};
use longarm_data::video::{Mp4Writer, VideoOptions};
use longarm_data::write_atomically;
use longarm_results::{REPORT, Row, Run, RunDir, report};
use longarm_types::Seed;

fn frame(row: &Row, part: f64) -> Result<Image, Box<dyn Error>> {
    let (w, h) = (160, 120);
    let mut rng = Seed(row.episode.seed).stream(row.episode.task.as_str());
    let hue = [rng.range(60.0, 200.0), rng.range(60.0, 200.0), rng.range(60.0, 200.0)];
    let (bx, by) = (20.0 + 110.0 * part, 60.0 + 30.0 * libm::sin(6.0 * part));
    let mut rgb = Vec::with_capacity(w * h * 3);
    for y in 0..h {
        for x in 0..w {
            let block = (x as f64 - bx).abs() < 12.0 && (y as f64 - by).abs() < 12.0;
            let shade = if y > 40 { 150.0 + 0.3 * y as f64 } else { 90.0 + y as f64 };
            rgb.extend(hue.map(|c| if block { c as u8 } else { shade as u8 }));
        }
    }
    let mut image = Image::new(w, h, rgb)?;
    image.caption(Edge::Bottom, &format!("{:.0} %", part * 100.0));
    Ok(image)
}

fn media(row: &mut Row, dir: &Path) -> Result<(), Box<dyn Error>> {
    let name = format!("{}-{}", row.episode.task.name(), row.episode.seed);
    let frames: Vec<Image> =
        (0..6).map(|i| frame(row, row.progress * f64::from(i) / 5.0)).collect::<Result<_, _>>()?;
    let strip = hstack(&frames.iter().collect::<Vec<_>>(), 2)?;
    for folder in ["strips", "videos"] {
        std::fs::create_dir_all(dir.join(folder))?;
    }
    strip.write_png(dir.join(format!("strips/{name}.png")))?;
    row.filmstrip = Some(format!("strips/{name}.png"));
    let path = dir.join(format!("videos/{name}.mp4"));
    let mut video = Mp4Writer::create(&path, 160, 120, VideoOptions::viewing(20))?;
    for i in 0..40 {
        video.push(frame(row, row.progress * f64::from(i) / 39.0)?.rgb())?;
    }
    video.finish()?;
    row.video = Some(format!("videos/{name}.mp4"));
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let out = PathBuf::from(args.next().unwrap_or_else(|| "out/synthetic".into()));
    let episodes = args.next().map_or(Ok(40), |n| n.parse())?;
    let mut runs = Vec::new();
    for (name, policy, skill, memory) in [
        ("pi0", "ws://gpu-3:8000 (pi0, chunk 16)", 0.985, 0.84),
        ("memory-vla", "ws://gpu-1:8000 (MemoryVLA)", 0.92, 0.97),
        ("diffusion", "ws://gpu-2:8000 (diffusion policy)", 0.91, 0.955),
        ("random", "random", 0.25, 1.0),
    ] {
        let config = made_up::config(policy, episodes, 100);
        let dir = RunDir::create(&out.join(name), &config)?;
        for mut row in made_up::rows(&config, skill, memory) {
            if row.index < 20 {
                media(&mut row, dir.path())?;
            }
            dir.append(&row)?;
        }
        dir.finish()?;
        let run = Run::read(dir.path())?;
        write_atomically(
            &dir.path().join(REPORT),
            report::render(std::slice::from_ref(&run)).as_bytes(),
        )?;
        runs.push(Run { link_prefix: format!("{name}/"), ..run });
    }
    write_atomically(&out.join("compare.html"), report::render(&runs).as_bytes())?;
    Ok(())
}
