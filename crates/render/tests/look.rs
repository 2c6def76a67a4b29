//! Colour: light, shadow, transparency, textures, anti-aliasing, determinism.

#[path = "../examples/tabletop/mod.rs"]
mod tabletop;

use longarm_render::*;
use tabletop::tabletop;

fn camera_down(n: usize) -> Camera {
    Camera { position: [0.0, 0.0, 1.0], ..Camera::from_fovy(53.13, n, n) }
}

fn floor() -> (Scene, MeshId) {
    let mut scene = Scene::new();
    let quad = scene.add_mesh(shapes::quad());
    let white = scene.add_material(Material { specular: 0.0, ..Material::matte(0.8, 0.8, 0.8) });
    scene.add_instance(Instance { scale: [0.5; 3], ..Instance::new(quad, white) });
    (scene, quad)
}

fn render(scene: &Scene, camera: &Camera, channels: Channels, settings: Settings) -> Frame {
    let mut renderer = Renderer::new(settings, Lighting::default());
    renderer.update_shadows(scene);
    let mut frame = Frame::new();
    renderer.render(scene, camera, channels, &mut frame);
    frame
}

fn hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn lit_colours_come_out_about_as_given() {
    let (mut scene, _) = floor();
    scene.instances[0].rgba = Some([0.8, 0.2, 0.2, 1.0]);
    let c = render(&scene, &camera_down(32), Channels::COLOR, Settings::default()).pixel(16, 16);
    for (got, want) in c.into_iter().zip([204.0, 51.0, 51.0]) {
        assert!((got as f32 - want).abs() < 0.1 * want + 4.0, "{c:?}");
    }
}

#[test]
fn a_box_casts_a_shadow_beside_it_and_none_on_the_lit_side() {
    let (mut scene, _) = floor();
    let cube = scene.add_mesh(shapes::cube());
    let material = scene.instances[0].material;
    scene.add_instance(Instance {
        position: [0.0, 0.0, 0.05],
        scale: [0.05; 3],
        ..Instance::new(cube, material)
    });
    let frame = render(&scene, &camera_down(200), Channels::COLOR, Settings::default());
    // The light travels towards −x and +y; on the picture +x is right and +y up.
    let value = |x: f32, y: f32| {
        let p = camera_down(200).project([x, y, 0.0]).unwrap();
        frame.pixel(p[0] as usize, p[1] as usize)[1] as f32
    };
    let open = value(0.3, -0.3);
    assert!(value(-0.065, 0.065) < 0.7 * open);
    assert!((value(0.07, -0.07) - open).abs() < 2.0);
    // No acne: the open floor is even.
    for i in 0..40 {
        let t = -0.4 + 0.02 * i as f32;
        assert!((value(t, -0.25) - open).abs() < 3.0);
    }
    // Soft: somewhere along a line across the edge there is a value in between.
    let between = (0..200).any(|i| {
        let v = value(-0.03 - 0.0005 * i as f32, 0.03);
        v > 0.63 * open && v < 0.95 * open
    });
    assert!(between);
}

#[test]
fn a_spot_light_lights_a_disc_with_shadows() {
    let (mut scene, quad) = floor();
    let material = scene.instances[0].material;
    scene.add_instance(Instance {
        position: [0.1, 0.0, 0.1],
        scale: [0.03; 3],
        ..Instance::new(quad, material)
    });
    let key =
        KeyLight::Spot { position: [0.0, 0.0, 1.0], direction: [0.0, 0.0, -1.0], cutoff: 0.3 };
    let mut renderer = Renderer::new(Settings::default(), Lighting { key, ..Lighting::default() });
    renderer.update_shadows(&scene);
    let mut frame = Frame::new();
    // Seen from the side, so that the plate does not hide its shadow.
    let camera = Camera::from_fovy(50.0, 200, 200).looking([0.9, 0.0, 0.6], [0.0; 3]);
    renderer.render(&scene, &camera, Channels::COLOR, &mut frame);
    let value = |x: f32, y: f32| {
        let p = camera.project([x, y, 0.0]).unwrap();
        frame.pixel(p[0] as usize, p[1] as usize)[1] as f32
    };
    assert!(value(0.0, 0.0) > 1.5 * value(0.0, 0.4));
    assert!(value(0.111, 0.0) < 0.7 * value(-0.111, 0.0));
}

#[test]
fn shadows_follow_movers_and_moved_statics() {
    let (mut scene, _) = floor();
    let cube = scene.add_mesh(shapes::cube());
    let material = scene.instances[0].material;
    scene.instances[0].is_static = true;
    let mover =
        Instance { position: [0.1, 0.1, 0.05], scale: [0.05; 3], ..Instance::new(cube, material) };
    scene.add_instance(mover.clone());
    scene.add_instance(Instance { is_static: true, position: [-0.2, -0.2, 0.05], ..mover });
    let mut renderer = Renderer::default();
    let mut frame = Frame::new();
    let mut fresh = Frame::new();
    for step in 0..6 {
        let moved = if step < 3 { 1 } else { 2 };
        scene.instances[moved].position[0] += 0.03;
        renderer.update_shadows(&scene);
        renderer.render(&scene, &camera_down(64), Channels::COLOR, &mut frame);
        let mut other = Renderer::default();
        other.update_shadows(&scene);
        other.render(&scene, &camera_down(64), Channels::COLOR, &mut fresh);
        assert_eq!(frame, fresh, "step {step}");
    }
}

#[test]
fn transparency_is_blended_far_to_near_whatever_the_order() {
    let build = |order: [usize; 2]| {
        let (mut scene, quad) = floor();
        let material = scene.instances[0].material;
        let panes = [(0.2, [1.0, 0.0, 0.0, 0.5], 1), (0.4, [0.0, 0.0, 1.0, 0.4], 2)];
        for k in order {
            let (z, rgba, segment) = panes[k];
            scene.add_instance(Instance {
                position: [0.0, 0.0, z],
                scale: [0.1; 3],
                rgba: Some(rgba),
                segment,
                casts_shadow: false,
                ..Instance::new(quad, material)
            });
        }
        let flat = Settings { shadows: false, ..Settings::default() };
        render(&scene, &camera_down(64), Channels::ALL, flat)
    };
    let (a, b) = (build([0, 1]), build([1, 0]));
    assert_eq!(a.rgb, b.rgb);
    let [r, _, blue] = a.pixel(32, 32);
    assert!(blue > r / 2 && r > 40, "{:?}", a.pixel(32, 32));
    // The half-opaque pane counts as solid, the fainter one before it does not.
    assert_eq!(a.segment[32 * 64 + 32], 1);
    assert!((a.depth[32 * 64 + 32] - 0.8).abs() < 1e-6);
}

#[test]
fn emission_needs_no_light() {
    let (mut scene, quad) = floor();
    let lamp = scene.add_material(Material { emission: 1.0, ..Material::matte(0.2, 0.9, 0.2) });
    scene.instances[0] = Instance { scale: [0.5; 3], ..Instance::new(quad, lamp) };
    let dark = Lighting {
        key_color: [0.0; 3],
        sky: [0.0; 3],
        ground: [0.0; 3],
        fill_color: [0.0; 3],
        ..Lighting::default()
    };
    let mut frame = Frame::new();
    Renderer::new(Settings::default(), dark).render(
        &scene,
        &camera_down(16),
        Channels::COLOR,
        &mut frame,
    );
    assert_eq!(frame.pixel(8, 8), [51, 230, 51]);
}

#[test]
fn textures_lie_as_laid_and_fade_to_their_mean() {
    let (mut scene, quad) = floor();
    // Red, green / blue, white, in reading order.
    let rgb = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255];
    let texture = scene.add_texture(Texture::flat(2, 2, &rgb));
    let paper =
        Material { texture: Some(texture), specular: 0.0, ..Material::matte(1.0, 1.0, 1.0) };
    let paper = scene.add_material(paper);
    scene.instances[0] = Instance { scale: [0.5; 3], ..Instance::new(quad, paper) };
    let camera = camera_down(64);
    let frame = render(&scene, &camera, Channels::COLOR, Settings::default());
    let major = |x: usize, y: usize| {
        let c = frame.pixel(x, y);
        (0..3).max_by_key(|&k| c[k]).unwrap()
    };
    assert_eq!((major(16, 16), major(48, 16), major(16, 48)), (0, 1, 2));
    assert!(frame.pixel(48, 48).iter().all(|&c| c > 220));
    // Repeated far too often for the pixels, it is an even mix.
    let id = scene.instances[0].material;
    scene.material_mut(id).tex_repeat = [400.0; 2];
    let frame = render(&scene, &camera, Channels::COLOR, Settings::default());
    let (a, b) = (frame.pixel(20, 20), frame.pixel(41, 33));
    assert_eq!(a, b);
    assert!(a.iter().all(|&c| (110..=145).contains(&c)), "{a:?}");
}

#[test]
fn cube_textures_follow_the_direction() {
    let mut scene = Scene::new();
    let mut rgb = Vec::new();
    for face in 0..6u8 {
        rgb.extend([40 * face + 20; 3].repeat(4));
    }
    let texture = scene.add_texture(Texture::cube(2, &rgb));
    let cube = scene.add_mesh(shapes::cube());
    let paint = Material {
        rgba: [1.0; 4],
        texture: Some(texture),
        emission: 1.0,
        specular: 0.0,
        ..Material::default()
    };
    let paint = scene.add_material(paint);
    scene.add_instance(Instance { scale: [0.2; 3], ..Instance::new(cube, paint) });
    let dark = Lighting {
        key_color: [0.0; 3],
        sky: [0.0; 3],
        ground: [0.0; 3],
        fill_color: [0.0; 3],
        ..Lighting::default()
    };
    let mut renderer = Renderer::new(Settings::default(), dark);
    let mut frame = Frame::new();
    let eyes = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0]];
    let poles = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    for (face, eye) in eyes.into_iter().chain(poles).enumerate() {
        let camera = Camera::from_fovy(40.0, 16, 16).looking(eye, [0.0; 3]);
        renderer.render(&scene, &camera, Channels::COLOR, &mut frame);
        assert_eq!(frame.pixel(8, 8), [40 * face as u8 + 20; 3]);
    }
}

#[test]
fn antialiasing_smooths_edges_and_leaves_the_rest() {
    let (mut scene, _) = floor();
    scene.instances[0].scale = [0.2, 0.2, 1.0];
    let (s, c) = (0.3f32.sin(), 0.3f32.cos());
    scene.instances[0].rotation = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
    let camera = camera_down(64);
    let plain = render(&scene, &camera, Channels::ALL, Settings::default());
    let smooth =
        render(&scene, &camera, Channels::ALL, Settings { antialias: true, ..Settings::default() });
    assert_eq!(plain.depth, smooth.depth);
    assert_eq!(plain.segment, smooth.segment);
    assert_eq!(plain.normals, smooth.normals);
    let shades = |f: &Frame| {
        let mut s: Vec<u8> = f.rgb.iter().copied().step_by(3).collect();
        s.sort_unstable();
        s.dedup();
        s.len()
    };
    assert!(shades(&smooth) > shades(&plain));
    let changed = plain.rgb.chunks(3).zip(smooth.rgb.chunks(3)).filter(|(a, b)| a != b).count();
    // The rim of a square of 25.6 pixels, give or take.
    assert!((60..220).contains(&changed), "{changed}");
}

#[test]
fn same_bytes_every_time_and_on_every_machine() {
    let table = tabletop(160, 120);
    let mut renderer =
        Renderer::new(Settings { antialias: true, ..Settings::default() }, Lighting::default());
    renderer.update_shadows(&table.scene);
    let views: Vec<_> = table.cameras.iter().map(|c| (*c, Channels::ALL)).collect();
    let (mut one, mut two) = (Vec::new(), Vec::new());
    renderer.render_all(&table.scene, &views, &mut one, 1);
    renderer.render_all(&table.scene, &views, &mut two, 2);
    assert_eq!(one, two);
    let mut again = Frame::new();
    renderer.render(&table.scene, &table.cameras[1], Channels::ALL, &mut again);
    assert_eq!(one[1], again);
    let bits = |f: &Frame| {
        let floats = f.depth.iter().chain(&f.normals).flat_map(|d| d.to_bits().to_le_bytes());
        let ids = f.segment.iter().flat_map(|s| s.to_le_bytes());
        hash(f.rgb.iter().copied().chain(floats.collect::<Vec<_>>()).chain(ids.collect::<Vec<_>>()))
    };
    // Changes only when the picture is meant to change.
    let got: Vec<u64> = one.iter().map(bits).collect();
    assert_eq!(got, SNAPSHOT, "new snapshot: {got:#x?}");
}

const SNAPSHOT: [u64; 3] = [0xf26c848dc0c2f1ee, 0x085d5eb747f76d30, 0x53f84794bdd806c2];

#[test]
fn frames_reuse_their_buffers() {
    let table = tabletop(64, 64);
    let mut renderer = Renderer::default();
    let mut frame = Frame::new();
    renderer.render(&table.scene, &table.cameras[0], Channels::ALL, &mut frame);
    let before = (frame.rgb.as_ptr(), frame.depth.as_ptr());
    renderer.render(&table.scene, &table.cameras[1], Channels::ALL, &mut frame);
    assert_eq!(before, (frame.rgb.as_ptr(), frame.depth.as_ptr()));
    renderer.render(&table.scene, &table.cameras[1], Channels::COLOR, &mut frame);
    assert!(frame.depth.is_empty() && frame.segment.is_empty());
}

#[test]
fn clouds_and_height_maps_see_the_floor_and_the_box() {
    let (mut scene, _) = floor();
    let cube = scene.add_mesh(shapes::cube());
    let red = scene.add_material(Material::matte(0.8, 0.1, 0.1));
    scene.add_instance(Instance {
        position: [0.1, -0.1, 0.05],
        scale: [0.05; 3],
        segment: 3,
        ..Instance::new(cube, red)
    });
    let mut points = Vec::new();
    let crop = Aabb::new([-0.3, -0.3, -0.01], [0.3, 0.3, 0.5]);
    for eye in [[0.6, 0.5, 0.8], [-0.6, 0.4, 0.8], [0.01, 0.0, 1.2]] {
        let camera = Camera::from_fovy(45.0, 200, 200).looking(eye, [0.0; 3]);
        let frame = render(&scene, &camera, Channels::ALL, Settings::default());
        point_cloud::unproject(&frame, &camera, Some(&crop), &mut points);
    }
    assert!(points.iter().all(|p| crop.contains(p.position)));
    for p in points.iter().filter(|p| p.segment == 0) {
        assert!(p.position[2].abs() < 1e-5);
    }
    let grid = height_map::Grid { bounds: crop, cell: 0.0125 };
    let map = height_map::height_map(&points, &grid);
    assert_eq!((map.rows, map.columns), (48, 48));
    let at = |x: f32, y: f32| {
        let (i, j) = grid.cell_of([x, y, 0.0]).unwrap();
        let k = i * map.columns + j;
        (map.heights[k] - 0.01, map.rgb[3 * k], map.rgb[3 * k + 1])
    };
    let (h, r, g) = at(0.1, -0.1);
    assert!((h - 0.1).abs() < 1e-4 && r > 2 * g, "{h} {r} {g}");
    assert!(at(-0.2, 0.2).0.abs() < 1e-4);
    assert_eq!(point_cloud::farthest_points(&points, 256).len(), 256);
}

#[test]
fn noise_has_the_asked_spread() {
    let mut image = vec![128u8; 20_000];
    let mut state = 1u32;
    add_noise(&mut image, 5.0, || {
        // Twelve uniform numbers make a normal one, nearly.
        let uniform = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        (0..12).map(uniform).sum::<f32>() - 6.0
    });
    let mean = image.iter().map(|&b| b as f64).sum::<f64>() / 20_000.0;
    let var = image.iter().map(|&b| (b as f64 - mean).powi(2)).sum::<f64>() / 20_000.0;
    assert!((mean - 128.0).abs() < 0.2 && (var.sqrt() - 5.0).abs() < 0.15, "{mean} {var}");
}
