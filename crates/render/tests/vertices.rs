//! Light at vertices: the look of fixed-function OpenGL.

use longarm_render::{
    Camera, Channels, Frame, Instance, Lighting, Material, Renderer, Scene, Settings, Texture,
    VertexLight, VertexLighting, shapes,
};

const SIZE: usize = 64;

fn light(position: Option<[f32; 3]>) -> VertexLight {
    VertexLight {
        position,
        direction: [0.0, 0.0, -1.0],
        cutoff: 45f32.to_radians(),
        exponent: 10.0,
        attenuation: [1.0, 0.0, 0.0],
        ambient: [0.1; 3],
        diffuse: [0.5; 3],
        specular: [0.0; 3],
    }
}

/// What a camera two metres above a square of two metres sees of it.
fn draw(
    material: Material,
    texture: Option<Texture>,
    lights: VertexLighting,
    divided: usize,
) -> Frame {
    let mut scene = Scene::new();
    let texture = texture.map(|t| scene.add_texture(t));
    let material = scene.add_material(Material { texture, ..material });
    let lines: Vec<f32> = (0..=divided).map(|i| 2.0 * i as f32 / divided as f32 - 1.0).collect();
    let mesh = scene.add_mesh(shapes::divided_quad(&lines, &lines));
    scene.add_instance(Instance::new(mesh, material));
    let camera = Camera::from_fovy(45.0, SIZE, SIZE).looking([0.0, 0.001, 2.0], [0.0; 3]);
    let lighting = Lighting { at_vertices: Some(lights), ..Lighting::default() };
    let mut renderer = Renderer::new(Settings { shadows: true, ..Settings::default() }, lighting);
    let mut frame = Frame::default();
    renderer.update_shadows(&scene);
    renderer.render(&scene, &camera, Channels::COLOR, &mut frame);
    frame
}

fn at(frame: &Frame, x: usize, y: usize) -> u8 {
    frame.rgb[3 * (y * SIZE + x)]
}

fn matte() -> Material {
    Material { specular: 0.0, ..Material::matte(1.0, 1.0, 1.0) }
}

fn only(light: VertexLight) -> VertexLighting {
    let mut out = VertexLighting::default();
    out.lights[0] = Some(light);
    out
}

#[test]
fn parallel_light_is_ambient_and_diffuse_everywhere() {
    let frame = draw(matte(), None, only(light(None)), 1);
    for (x, y) in [(32, 32), (5, 60), (60, 5)] {
        assert_eq!(at(&frame, x, y), 153);
    }
    let headlight = Some([[0.1; 3], [0.4; 3], [0.0; 3]]);
    let head = VertexLighting { headlight, ..VertexLighting::default() };
    let frame = draw(matte(), None, head, 1);
    assert!(at(&frame, 32, 32).abs_diff(127) <= 1, "along the line of sight");
}

#[test]
fn a_cone_of_light_is_told_by_vertices_alone() {
    // A lamp over the middle shines between the corners of one square, and on a vertex of four.
    let lamp = only(light(Some([0.0, 0.0, 0.9])));
    let coarse = draw(matte(), None, lamp, 1);
    assert_eq!(at(&coarse, 32, 32), 0, "no corner is within the cone");
    let fine = draw(matte(), None, lamp, 2);
    assert!(at(&fine, 32, 32) > 130, "{}", at(&fine, 32, 32));
    let (near, far) = (at(&fine, 32, 32) as i32, at(&fine, 32, 16) as i32);
    assert!((near / 2 - far).abs() < 25, "half the way is half the light: {near} {far}");
}

#[test]
fn highlights_follow_the_camera_and_are_cut_at_white() {
    let shiny = Material { specular: 1.0, shininess: 0.5, ..Material::matte(0.5, 0.5, 0.5) };
    let mut lamp = light(None);
    lamp.specular = [0.9; 3];
    let frame = draw(shiny, None, only(lamp), 16);
    assert_eq!(at(&frame, 32, 32), 255, "0.3 of the colour and 0.9 of the light");
    assert!((77..140).contains(&at(&frame, 2, 2)), "aside it fades: {}", at(&frame, 2, 2));
}

#[test]
fn textures_are_filtered_between_levels() {
    let checks = |n: usize| {
        let rgb: Vec<u8> = (0..n * n)
            .flat_map(|i| [if (i % n + i / n).is_multiple_of(2) { 0 } else { 255 }; 3])
            .collect();
        Texture::flat(n, n, &rgb)
    };
    let mut bright = light(None);
    bright.diffuse = [0.9; 3];
    let small = draw(matte(), Some(checks(512)), only(bright), 1);
    assert!(
        at(&small, 20, 20).abs_diff(127) < 4,
        "far texels are their mean: {}",
        at(&small, 20, 20)
    );
    let large = draw(matte(), Some(checks(2)), only(bright), 1);
    let shades: std::collections::BTreeSet<u8> = (0..SIZE).map(|x| at(&large, x, 20)).collect();
    assert!(shades.len() > 10, "near texels fade into each other");
}

#[test]
fn a_fixed_camera_draws_the_same_bytes() {
    let mut scene = Scene::new();
    let gray = scene.add_material(matte());
    let glass = scene.add_material(Material { rgba: [0.2, 0.4, 0.9, 0.6], ..matte() });
    let quad = scene.add_mesh(shapes::quad());
    let ball = scene.add_fine_mesh(shapes::sphere(48, 24));
    scene.add_instance(Instance { is_static: true, ..Instance::new(quad, gray) });
    let still = Instance { is_static: true, scale: [0.3; 3], ..Instance::new(ball, gray) };
    scene.add_instance(Instance { position: [0.4, 0.2, 0.1], ..still.clone() });
    let moving = scene.add_instance(Instance { is_static: false, ..still.clone() });
    let pane = Instance { material: glass, is_static: false, scale: [0.2; 3], ..still };
    scene.add_instance(Instance { position: [-0.4, 0.1, 0.5], ..pane });
    let camera = Camera::from_fovy(45.0, SIZE, SIZE).looking([1.0, 0.5, 2.0], [0.0; 3]);
    let lighting = Lighting { at_vertices: Some(only(light(None))), ..Lighting::default() };
    let settings = Settings { antialias: true, shadows: false, ..Settings::default() };
    let mut renderer = Renderer::new(settings, lighting);
    let (mut kept, mut plain) = (Frame::default(), Frame::default());
    for step in 0..6 {
        scene.instances[moving].position = [0.1 * step as f32 - 0.3, -0.1, 0.3];
        renderer.render_fixed(0, &scene, &camera, Channels::ALL, &mut kept);
        renderer.render(&scene, &camera, Channels::ALL, &mut plain);
        assert!(kept.rgb == plain.rgb, "step {step}");
        assert!(kept.segment == plain.segment && kept.depth == plain.depth);
        let (mut fixed, mut free) = (Vec::new(), Vec::new());
        renderer.facing(Some(0), &scene, 0, [0.0, 0.0, 1.0], &mut fixed);
        renderer.facing(None, &scene, 0, [0.0, 0.0, 1.0], &mut free);
        assert!(!fixed.is_empty() && fixed == free);
    }
}
