//! Writes pictures of a made-up tabletop to look at: `cargo run --example look [folder]`.

mod tabletop;

use longarm_render::*;
use tabletop::tabletop;

fn main() {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "/tmp".into());
    for (width, height, antialias) in [(640, 480, true), (256, 256, false), (256, 256, true)] {
        let table = tabletop(width, height);
        let settings = Settings { antialias, ..Settings::default() };
        let mut renderer = Renderer::new(settings, Lighting::default());
        renderer.update_shadows(&table.scene);
        let mut frame = Frame::new();
        for (k, camera) in table.cameras.iter().enumerate() {
            renderer.render(&table.scene, camera, Channels::COLOR, &mut frame);
            let aa = if antialias { "aa" } else { "plain" };
            let path = format!("{folder}/look_{width}_{aa}_{k}.png");
            let file = std::io::BufWriter::new(std::fs::File::create(&path).unwrap());
            let mut encoder = png::Encoder::new(file, width as u32, height as u32);
            encoder.set_color(png::ColorType::Rgb);
            encoder.write_header().unwrap().write_image_data(&frame.rgb).unwrap();
            println!("{path}");
        }
    }
}
