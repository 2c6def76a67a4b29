//! Encodes a synthetic moving picture, and prints what it costs:
//! `encode <file.mp4> [width height frames fps gop qp]`; with `--raw <file>` the frames are also
//! written as they went in, for comparing with another decoder's output.

use longarm_data::image::{Edge, Image};
use longarm_data::video::{Mp4Writer, VideoOptions};
use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let raw = args.iter().position(|a| a == "--raw").map(|i| args.drain(i..).nth(1));
    let path = args.first().ok_or("which file?")?.clone();
    let number = |i: usize, default: usize| args.get(i).map_or(Ok(default), |a| a.parse());
    let (width, height, frames) = (number(1, 320)?, number(2, 240)?, number(3, 100)?);
    let fps = number(4, 20)? as u32;
    let mut options = VideoOptions::viewing(fps);
    options.gop = number(5, options.gop as usize)? as u32;
    options.qp = number(6, options.qp as usize)? as u8;

    let mut raw = raw.flatten().map(std::fs::File::create).transpose()?;
    let mut video = Mp4Writer::create(&path, width, height, options)?;
    let mut spent = Duration::ZERO;
    for n in 0..frames {
        let frame = picture(width, height, n)?;
        if let Some(raw) = &mut raw {
            raw.write_all(frame.rgb())?;
        }
        let start = Instant::now();
        video.push(frame.rgb())?;
        spent += start.elapsed();
    }
    let summary = video.finish()?;
    println!(
        "{path}: {} frames {width}x{height}, {:.2} ms/frame, {} bytes, {:.0} kbit/s",
        summary.frames,
        spent.as_secs_f64() * 1000.0 / frames as f64,
        summary.bytes,
        summary.bytes as f64 * 8.0 * f64::from(fps) / frames as f64 / 1000.0,
    );
    Ok(())
}

/// A table with a grain, a shaded ball that circles, a box that slides, and a caption.
fn picture(width: usize, height: usize, n: usize) -> Result<Image, longarm_data::Error> {
    let (w, h, t) = (width as f32, height as f32, n as f32 * 0.05);
    let ball = (w * (0.5 + 0.3 * t.cos()), h * (0.5 + 0.3 * t.sin()), h * 0.16);
    let block = (w * (0.1 + 0.05 * t), h * 0.62, h * 0.14);
    let mut rgb = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            let (fx, fy) = (x as f32, y as f32);
            let grain = 8.0 * (fx * 0.11 + 3.0 * (fy * 0.05).sin()).sin();
            let mut c = [176.0 + grain, 148.0 + grain, 118.0 + grain * 0.8];
            let (dx, dy) = ((fx - ball.0) / ball.2, (fy - ball.1) / ball.2);
            if (fx - block.0).abs() < block.2 && (fy - block.1).abs() < block.2 {
                c = [44.0, 96.0 + 40.0 * (fy - block.1) / block.2, 190.0];
            }
            let r2 = dx * dx + dy * dy;
            if r2 < 1.0 {
                let light = 0.35 + 0.65 * ((1.0 - r2).sqrt() * 0.8 - dx * 0.3 - dy * 0.4).max(0.0);
                c = [225.0 * light, 38.0 * light, 32.0 * light];
            }
            rgb.extend(c.map(|v| v.clamp(0.0, 255.0) as u8));
        }
    }
    let mut image = Image::new(width, height, rgb)?;
    image.caption(Edge::Bottom, "stage 2/5: put the red ball on the blue block");
    Ok(image)
}
