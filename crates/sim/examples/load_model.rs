//! `cargo run -p longarm-sim --example load_model DIR FILE.xml OUT.png`: an MJCF file of other people's
//! through the general loader, compiled, stepped for a second and drawn.

use std::error::Error;
use std::path::Path;

use longarm_assets::source::{Element, Library};
use longarm_data::image::Image;
use longarm_sim::{SourceCameras, SourceWorld};

const SIZE: usize = 480;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, file, out] = &args[..] else {
        return Err("usage: load_model DIR FILE.xml OUT.png".into());
    };
    let mut library = Library::default();
    library.add("own", Path::new(dir))?;
    let mut model = library.mjcf(&format!("own:{file}"))?;
    let world = model.section("worldbody");
    let light = Element::new("light").with("pos", "1 -1 3").with("dir", "-0.3 0.3 -1");
    world.children.push(light.with("castshadow", "false"));
    // From the front, to the left, a little above.
    let camera = Element::new("camera").with("name", "look").with("pos", "1.57 -1.4 1.66");
    world.children.push(camera.with("quat", "0.7848 0.4645 0.2086 0.3524").with("fovy", "45"));
    let model = library.finish(&model)?;
    let mut world = SourceWorld::undriven(&model)?;
    for _ in 0..20 {
        world.step(&[0.0; 7])?;
    }
    let look = world.camera("look")?;
    let rgb = SourceCameras::new(&world, SIZE, SIZE).draw(&world, look).to_vec();
    Image::new(SIZE, SIZE, rgb)?.write_png(Path::new(out))?;
    println!(
        "{file}: {} files read, {} positions, wrote {out}",
        model.used.len(),
        world.positions().len()
    );
    Ok(())
}
