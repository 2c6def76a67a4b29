//! Writes a contact sheet of synthetic views: `contact_sheet <file.png>`.

use longarm_data::image::{ContactSheet, Edge, Image, depth_to_rgb, hstack, segmentation_to_rgb};
use std::error::Error;

const WIDTH: usize = 320;
const HEIGHT: usize = 240;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which file?")?;
    let mut depth = Vec::new();
    let mut segment = Vec::new();
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            // A row of balls on a table that recedes, under an empty sky.
            let ball = x * 8 / WIDTH;
            let (dx, dy) = ((x % 40) as f32 - 20.0, y as f32 - 140.0);
            let bulge = 256.0 - dx * dx - dy * dy;
            let table = 60.0 / y as f32;
            let hit = y >= 50;
            depth.push(if bulge > 0.0 {
                0.42 - bulge.sqrt() * 0.006
            } else if hit {
                table
            } else {
                0.0
            });
            segment.push(if bulge > 0.0 {
                ball as i32 + 1
            } else if hit {
                0
            } else {
                -1
            });
        }
    }
    let depth = depth_to_rgb(WIDTH, HEIGHT, &depth, None)?;
    let segment = segmentation_to_rgb(WIDTH, HEIGHT, &segment)?;
    let mut captioned = hstack(&[&depth, &segment], 2)?;
    captioned.caption(
        Edge::Top,
        "Put the red bowl on the plate, then close the top drawer of the cabinet.",
    );
    captioned.caption(Edge::Bottom, "stage 2/5: grasp bowl (centre distance 0.021 < 0.030)");

    let mut palette = Vec::new();
    for y in 0..HEIGHT {
        palette.extend((0..WIDTH).map(|x| (y / 30 * 10 + x / 32) as i32));
    }

    let mut sheet = ContactSheet::new().columns(3);
    sheet.push("libero/agentview: depth", depth);
    sheet.push("segmentation", segment.clone());
    sheet.push(
        "segment palette, instances 0 to 79 in reading order, with a long title",
        segmentation_to_rgb(WIDTH, HEIGHT, &palette)?,
    );
    let mut one = segment;
    one.caption(Edge::Bottom, "The quick brown fox jumps over the lazy dog. 0123456789 ABCDEFGHIJKLMNOPQRSTUVWXYZ !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
    sheet.push("every glyph", one);
    sheet.push("wrist 128x128", Image::filled(128, 128, [120, 150, 170])?);
    sheet.push("failed: 3 of 5 stages", Image::filled(WIDTH, HEIGHT, [196, 180, 160])?);
    sheet.render()?.write_png(&path)?;
    captioned.write_png(format!("{path}.captioned.png"))?;
    Ok(())
}
