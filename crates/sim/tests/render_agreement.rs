//! The rasterizer against MuJoCo's own renderer: pictures made by benchmarks/render_reference.py.

use std::path::{Path, PathBuf};

use longarm_render::{Camera, Channels, Frame, Renderer};
use longarm_sim::ModelScene;
use mujoco_rs::prelude::*;

const SIZE: usize = 256;
/// What background and flexes look like in the reference's segmentation.
const FLEX: i32 = 60000;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn png(name: &str) -> Vec<u8> {
    let file = std::fs::File::open(data(name)).unwrap();
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    bytes
}

struct Agreement {
    segments: f64,
    median_depth_error: f64,
}

fn draw(scene: &str, camera: &str) -> (Frame, MjModel) {
    let model = MjModel::from_xml(data(&format!("{scene}.xml"))).unwrap();
    let mut frame = Frame::new();
    {
        let mut state = MjData::new(&model);
        state.forward();
        let mut drawn = ModelScene::new(&model);
        drawn.update(&model, &state);
        let id = model.name_to_id(MjtObjBase::mjOBJ_CAMERA, camera).unwrap();
        let m = state.cam_xmat()[id].map(|c| c as f32);
        let extent = model.stat().extent as f32;
        let view = Camera {
            position: state.cam_xpos()[id].map(|c| c as f32),
            rotation: [[m[0], m[1], m[2]], [m[3], m[4], m[5]], [m[6], m[7], m[8]]],
            near: model.vis().map.znear * extent,
            far: model.vis().map.zfar * extent,
            ..Camera::from_fovy(model.cam_fovy()[id] as f32, SIZE, SIZE)
        };
        let mut renderer = Renderer::default();
        renderer.update_shadows(drawn.scene());
        renderer.render(drawn.scene(), &view, Channels::ALL, &mut frame);
    }
    (frame, model)
}

fn compare(scene: &str, camera: &str) -> Agreement {
    let (frame, _) = draw(scene, camera);
    // For a look at both: LONGARM_PICTURES=/tmp cargo test -p longarm-sim --test render_agreement
    if let Some(folder) = std::env::var_os("LONGARM_PICTURES") {
        let path = Path::new(&folder).join(format!("{scene}_{camera}_longarm.png"));
        let file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
        let mut encoder = png::Encoder::new(file, SIZE as u32, SIZE as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&frame.rgb).unwrap();
    }
    let reference = png(&format!("{scene}_{camera}_seg.png"));
    let reference: Vec<i32> =
        reference.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]]) as i32).collect();
    let ours = frame.segment.iter().map(|&s| if s < -1 { FLEX - 2 - s } else { s + 1 });
    let same = ours.clone().zip(&reference).filter(|(a, b)| a == *b).count();
    let ours: Vec<i32> = ours.collect();
    let depth = png(&format!("{scene}_{camera}_depth.png"));
    let mut errors = Vec::new();
    for (i, b) in depth.chunks_exact(3).enumerate() {
        let units = u32::from_be_bytes([0, b[0], b[1], b[2]]);
        let at = i / (SIZE / 2) * 2 * SIZE + i % (SIZE / 2) * 2;
        if units > 0 && reference[at] == ours[at] {
            errors.push((units as f64 * 1e-5 - frame.depth[at] as f64).abs());
        }
    }
    assert!(errors.len() > 5000, "{scene} {camera}: only {} depths to compare", errors.len());
    errors.sort_by(f64::total_cmp);
    let agreement = Agreement {
        segments: same as f64 / (SIZE * SIZE) as f64,
        median_depth_error: errors[errors.len() / 2],
    };
    println!(
        "{scene} {camera}: segments {:.4}, depth error median {:.1} µm, 99 % {:.1} µm",
        agreement.segments,
        1e6 * agreement.median_depth_error,
        1e6 * errors[errors.len() * 99 / 100],
    );
    agreement
}

#[test]
fn segments_and_depth_agree_with_mujoco() {
    for (scene, camera) in [
        ("render_shapes", "front"),
        ("render_shapes", "low"),
        ("render_tabletop", "front"),
        ("render_tabletop", "side"),
        ("render_soft", "front"),
        ("render_soft", "below"),
    ] {
        let a = compare(scene, camera);
        assert!(a.segments >= 0.995, "{scene} {camera}: {}", a.segments);
        assert!(a.median_depth_error <= 1e-4, "{scene} {camera}: {}", a.median_depth_error);
    }
}

#[test]
fn hidden_groups_and_clear_geoms_are_not_drawn() {
    let (frame, model) = draw("render_shapes", "front");
    for name in ["hidden", "clear"] {
        let id = model.name_to_id(MjtObjBase::mjOBJ_GEOM, name).unwrap() as i32;
        assert!(!frame.segment.contains(&id), "{name}");
    }
}
