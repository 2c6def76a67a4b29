//! A made-up tabletop with 60-odd instances and about 29,000 triangles.

use longarm_render::*;

/// Smooth noise in two dimensions from an integer hash.
fn noise(x: f32, y: f32) -> f32 {
    let hash = |x: i32, y: i32| {
        let mut h = (x as u32).wrapping_mul(0x9e37_79b1) ^ (y as u32).wrapping_mul(0x85eb_ca6b);
        h = (h ^ h >> 15).wrapping_mul(0x2c1b_3c6d);
        h = (h ^ h >> 12).wrapping_mul(0x297a_2d39);
        (h ^ h >> 15) as f32 / u32::MAX as f32
    };
    let (xi, yi) = (x.floor(), y.floor());
    let s = |t: f32| t * t * (3.0 - 2.0 * t);
    let (fx, fy) = (s(x - xi), s(y - yi));
    let (i, j) = (xi as i32, yi as i32);
    let a = hash(i, j) + fx * (hash(i + 1, j) - hash(i, j));
    let b = hash(i, j + 1) + fx * (hash(i + 1, j + 1) - hash(i, j + 1));
    a + fy * (b - a)
}

fn wood() -> Texture {
    const N: usize = 512;
    let mut rgb = Vec::with_capacity(3 * N * N);
    for y in 0..N {
        for x in 0..N {
            let plank = y / 64;
            let u = x as f32 / 64.0 + 37.0 * plank as f32;
            let v = y as f32 / 10.0;
            let warp = noise(u * 0.7, v * 0.5) * 3.0;
            let grain =
                0.5 + 0.5 * libm::sinf(v * 1.3 + warp * 3.0 + noise(u * 0.3, v * 0.2) * 4.0);
            let fine = noise(u * 3.0, v * 9.0);
            let tone = 0.92 + 0.12 * noise(plank as f32 * 7.3, 1.5);
            let seam = if y % 64 == 0 { 0.82 } else { 1.0 };
            let k = tone * seam * (0.90 + 0.10 * grain + 0.06 * (fine - 0.5));
            for c in [0.80, 0.62, 0.44] {
                rgb.push((c * k * 255.0f32).clamp(0.0, 255.0) as u8);
            }
        }
    }
    Texture::flat(N, N, &rgb)
}

/// A surface of revolution around z from a profile of (radius, height), inside and outside.
fn lathe(profile: &[(f32, f32)], columns: usize) -> Mesh {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for &(r, z) in profile {
        for i in 0..columns {
            let a = std::f32::consts::TAU * i as f32 / columns as f32;
            positions.push([r * libm::cosf(a), r * libm::sinf(a), z]);
        }
    }
    let n = columns as u32;
    for j in 0..profile.len() as u32 - 1 {
        for i in 0..n {
            let (a, b) = (j * n + i, j * n + (i + 1) % n);
            triangles.extend([[a, b, b + n], [a, b + n, a + n]]);
        }
    }
    Mesh::smooth(positions, triangles)
}

fn turn_y(a: f32) -> Mat3 {
    let (s, c) = (libm::sinf(a), libm::cosf(a));
    [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]
}

fn turn_z(a: f32) -> Mat3 {
    let (s, c) = (libm::sinf(a), libm::cosf(a));
    [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
}

fn along(from: Vec3, to: Vec3) -> (Vec3, Mat3, f32) {
    let mid = [0, 1, 2].map(|k| 0.5 * (from[k] + to[k]));
    let d = [0, 1, 2].map(|k| to[k] - from[k]);
    let l = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    let z = d.map(|c| c / l);
    let r = look_at([0.0; 3], z.map(|c| -c), [0.1, 0.9, 0.3]);
    (mid, r, 0.5 * l)
}

pub struct Tabletop {
    pub scene: Scene,
    pub cameras: Vec<Camera>,
    /// Instances that move.
    #[allow(dead_code, reason = "one example only looks")]
    pub moving: Vec<usize>,
}

pub fn tabletop(width: usize, height: usize) -> Tabletop {
    let mut s = Scene::new();
    let wood = s.add_texture(wood());
    let cube = s.add_mesh(shapes::cube());
    let quad = s.add_mesh(shapes::quad());
    let ball = s.add_mesh(shapes::sphere(32, 20));
    let can = s.add_mesh(shapes::cylinder(40));
    let brick = s.add_mesh(shapes::bevelled_box([0.024; 3], 0.0025, 1));
    let carton = s.add_mesh(shapes::bevelled_box([0.05, 0.022, 0.075], 0.002, 1));
    let mut next = 0;
    let mut moving = Vec::new();
    let mut add = |s: &mut Scene, mesh, m: Material, p: Vec3, r: Mat3, k: Vec3, fixed: bool| {
        let material = s.add_material(m);
        next += 1;
        let i = s.add_instance(Instance {
            position: p,
            rotation: r,
            scale: k,
            segment: next - 1,
            is_static: fixed,
            ..Instance::new(mesh, material)
        });
        if !fixed {
            moving.push(i);
        }
        i
    };
    let matte = Material::matte;
    let i = IDENTITY;
    let floor = add(&mut s, quad, matte(0.52, 0.57, 0.63), [0.0, 0.0, -0.75], i, [20.0; 3], true);
    s.instances[floor].casts_shadow = false;
    let wall = look_at([0.0; 3], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    add(&mut s, quad, matte(0.90, 0.85, 0.77), [-1.3, 0.0, 0.0], wall, [20.0; 3], true);
    let top = Material { texture: Some(wood), tex_repeat: [1.0, 1.6], ..matte(1.0, 1.0, 1.0) };
    add(&mut s, cube, top, [0.0, 0.0, -0.02], i, [0.5, 0.75, 0.02], true);
    for (x, y) in [(-0.45, -0.7), (0.45, -0.7), (-0.45, 0.7), (0.45, 0.7)] {
        add(&mut s, cube, matte(0.62, 0.46, 0.32), [x, y, -0.4], i, [0.025, 0.025, 0.36], true);
    }
    // A row of blocks and a small tower.
    let colors = [
        [0.84, 0.33, 0.30],
        [0.93, 0.68, 0.28],
        [0.40, 0.64, 0.42],
        [0.31, 0.50, 0.75],
        [0.60, 0.45, 0.70],
        [0.90, 0.57, 0.62],
    ];
    for (k, c) in colors.iter().enumerate() {
        let p = [0.22 - 0.03 * (k % 2) as f32, -0.30 + 0.075 * k as f32, 0.024];
        add(&mut s, brick, matte(c[0], c[1], c[2]), p, turn_z(0.3 * k as f32), [1.0; 3], false);
    }
    for k in 0..3 {
        let c = colors[(2 * k + 1) % 6];
        let p = [0.02, 0.30, 0.024 + 0.048 * k as f32];
        add(&mut s, brick, matte(c[0], c[1], c[2]), p, turn_z(0.2 * k as f32), [1.0; 3], false);
    }
    // Bowl, plate, mug, fruit, cans, cartons, a glass.
    let bowl = lathe(
        &[
            (0.0, 0.0),
            (0.035, 0.0),
            (0.06, 0.018),
            (0.078, 0.05),
            (0.08, 0.054),
            (0.077, 0.053),
            (0.057, 0.022),
            (0.033, 0.006),
            (0.0, 0.005),
        ],
        48,
    );
    let bowl = s.add_mesh(bowl);
    let china = Material { specular: 0.35, shininess: 0.6, ..matte(0.93, 0.92, 0.88) };
    add(&mut s, bowl, china.clone(), [0.05, -0.12, 0.0], i, [1.0; 3], false);
    add(&mut s, bowl, china, [-0.18, 0.12, 0.0], i, [1.5, 1.5, 0.45], false);
    let apple = Material { specular: 0.25, shininess: 0.5, ..matte(0.78, 0.22, 0.18) };
    add(&mut s, ball, apple, [0.055, -0.13, 0.036], i, [0.033, 0.033, 0.031], false);
    let lime = Material { specular: 0.25, shininess: 0.5, ..matte(0.62, 0.72, 0.25) };
    add(&mut s, ball, lime, [0.04, -0.09, 0.045], i, [0.026, 0.023, 0.023], false);
    let mug = lathe(
        &[
            (0.0, 0.0),
            (0.036, 0.0),
            (0.0385, 0.004),
            (0.039, 0.092),
            (0.0375, 0.095),
            (0.0355, 0.092),
            (0.035, 0.006),
            (0.0, 0.006),
        ],
        40,
    );
    let mug = s.add_mesh(mug);
    let blue = Material { specular: 0.3, shininess: 0.6, ..matte(0.27, 0.45, 0.58) };
    add(&mut s, mug, blue, [0.12, 0.18, 0.0], i, [1.0; 3], false);
    for (k, (x, y)) in [(-0.05, -0.35), (-0.12, -0.28)].iter().enumerate() {
        let tin = Material { specular: 0.5, shininess: 0.5, ..matte(0.75, 0.74, 0.72) };
        add(&mut s, can, tin, [*x, *y, 0.051], i, [0.033, 0.033, 0.051], false);
        let label = [matte(0.72, 0.28, 0.25), matte(0.30, 0.52, 0.42)][k].clone();
        add(&mut s, can, label, [*x, *y, 0.05], i, [0.0337, 0.0337, 0.036], false);
    }
    for (k, (x, y)) in [(-0.28, -0.12), (-0.30, 0.40)].iter().enumerate() {
        let c = [[0.88, 0.76, 0.45], [0.45, 0.62, 0.70]][k];
        let r = turn_z(0.4 - 0.9 * k as f32);
        add(&mut s, carton, matte(c[0], c[1], c[2]), [*x, *y, 0.075], r, [1.0; 3], false);
    }
    let glass = Material {
        rgba: [0.72, 0.86, 0.88, 0.35],
        specular: 0.7,
        shininess: 0.9,
        ..Material::default()
    };
    add(&mut s, mug, glass, [0.24, 0.30, 0.0], i, [0.9, 0.9, 1.1], false);
    // A white arm with dark joints, finely meshed as imported ones are.
    let white = Material { specular: 0.25, shininess: 0.5, ..matte(0.93, 0.93, 0.92) };
    let dark = Material { specular: 0.2, shininess: 0.4, ..matte(0.20, 0.21, 0.23) };
    let joints = [
        [-0.42, 0.0, 0.0],
        [-0.42, 0.0, 0.33],
        [-0.30, 0.06, 0.60],
        [-0.06, 0.05, 0.56],
        [0.06, 0.02, 0.40],
        [0.08, 0.02, 0.27],
    ];
    let knob = s.add_mesh(shapes::sphere(36, 22));
    for (k, pair) in joints.windows(2).enumerate() {
        let (mid, r, half) = along(pair[0], pair[1]);
        let radius = 0.062 - 0.007 * k as f32;
        let link = s.add_mesh(shapes::capsule(radius, half - 0.4 * radius, 36, 22));
        add(&mut s, link, white.clone(), mid, r, [1.0; 3], false);
        add(&mut s, knob, dark.clone(), pair[1], i, [radius * 1.12; 3], false);
    }
    let hand = s.add_mesh(shapes::bevelled_box([0.035, 0.10, 0.028], 0.012, 4));
    add(&mut s, hand, white, [0.08, 0.02, 0.22], i, [1.0; 3], false);
    for y in [-0.035, 0.075] {
        add(&mut s, cube, dark.clone(), [0.08, y, 0.165], i, [0.011, 0.008, 0.045], false);
    }
    // A rope of capsules and a folded cloth.
    let bead = s.add_mesh(shapes::capsule(0.006, 0.011, 14, 10));
    for k in 0..20 {
        let t = k as f32 / 19.0;
        let at = |t: f32| [0.33 + 0.03 * libm::sinf(9.0 * t), -0.30 + 0.42 * t, 0.006];
        let (mid, r, _) = along(at(t - 0.026), at(t + 0.026));
        add(&mut s, bead, matte(0.80, 0.68, 0.50), mid, r, [1.0; 3], false);
    }
    let n = 24usize;
    let mut heights = vec![0.0; n * n];
    for j in 0..n {
        for i in 0..n {
            let (x, y) = (i as f32 / 23.0, j as f32 / 23.0);
            heights[j * n + i] = 0.004 + 0.016 * noise(3.0 * x, 4.0 * y) * noise(2.0 * y, 5.0 * x);
        }
    }
    let cloth = shapes::height_field(&heights, n, n, 0.09, 0.07, 0.0);
    let cloth = s.add_mesh(Mesh { double_sided: true, ..cloth });
    add(&mut s, cloth, matte(0.55, 0.66, 0.72), [0.38, 0.32, 0.0], turn_z(0.5), [1.0; 3], false);
    let tilt = turn_y(0.4);
    add(&mut s, carton, matte(0.80, 0.52, 0.40), [-0.13, 0.55, 0.07], tilt, [0.7; 3], false);
    let camera = |eye, target| Camera::from_fovy(45.0, width, height).looking(eye, target);
    let cameras = vec![
        camera([1.05, 0.0, 0.75], [0.0, 0.0, 0.08]),
        camera([0.55, 0.75, 0.55], [0.0, 0.0, 0.08]),
        camera([0.16, 0.02, 0.36], [0.05, 0.02, 0.0]),
    ];
    Tabletop { scene: s, cameras, moving }
}
