//! Prints milliseconds of CPU time per frame: `cargo run --release --example speed [prefix of the rows wanted]
//! [rounds]`.

mod tabletop;

use cpu_time::ThreadTime;
use longarm_render::*;
use tabletop::tabletop;

fn main() {
    let probe = tabletop(64, 64);
    let triangles: usize =
        probe.scene.instances.iter().map(|i| probe.scene.mesh(i.mesh).triangles.len()).sum();
    println!("{} instances, {triangles} triangles, ms per frame", probe.scene.instances.len());
    let only = std::env::args().nth(1).unwrap_or_default();
    let rounds = std::env::args().nth(2).map_or(40, |n| n.parse().unwrap());
    let all = Channels::ALL;
    let three = Channels { normals: false, ..all };
    for (width, height) in [(256, 256), (320, 240), (640, 480)] {
        for (name, channels, antialias, shadows, fixed) in [
            ("rgb", Channels::COLOR, false, true, false),
            ("rgb, fixed", Channels::COLOR, false, true, true),
            ("rgb, no shadow", Channels::COLOR, false, false, false),
            ("rgb + depth + segments + normals", all, false, true, false),
            ("depth + segments", Channels { color: false, ..three }, false, false, false),
            ("rgb + depth + segments, 4 samples", three, true, true, false),
            ("rgb + depth + segments, 4 samples, fixed", three, true, true, true),
        ] {
            let label = format!("{width}x{height} {name}");
            if !label.starts_with(&only) {
                continue;
            }
            let mut table = tabletop(width, height);
            let settings = Settings { antialias, shadows, ..Settings::default() };
            let mut renderer = Renderer::new(settings, Lighting::default());
            let mut frame = Frame::new();
            // The minimum of each short piece, as longer ones get interrupted on a busy machine.
            let mut shadow = f64::MAX;
            let mut frames = vec![f64::MAX; table.cameras.len()];
            for round in 0..rounds {
                for &i in &table.moving {
                    let step = if round % 2 == 0 { 1e-4 } else { -1e-4 };
                    table.scene.instances[i].position[2] += step;
                }
                let start = ThreadTime::now();
                renderer.update_shadows(&table.scene);
                shadow = shadow.min(start.elapsed().as_secs_f64() * 1e3);
                for (slot, best) in frames.iter_mut().enumerate() {
                    let camera = &table.cameras[slot];
                    let start = ThreadTime::now();
                    if fixed {
                        renderer.render_fixed(slot, &table.scene, camera, channels, &mut frame);
                    } else {
                        renderer.render(&table.scene, camera, channels, &mut frame);
                    }
                    *best = best.min(start.elapsed().as_secs_f64() * 1e3);
                }
            }
            let best = (shadow + frames.iter().sum::<f64>()) / frames.len() as f64;
            println!("{label:42} {best:6.2}  (shadow map {shadow:.2} per step)");
        }
    }
}
