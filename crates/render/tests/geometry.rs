//! Depth, coverage, clipping and segments against what geometry says they must be.

use longarm_render::*;
use proptest::prelude::*;

fn shot(scene: &Scene, camera: &Camera) -> Frame {
    let mut frame = Frame::new();
    Renderer::default().render(scene, camera, Channels::ALL, &mut frame);
    frame
}

fn scene_of(mesh: Mesh) -> Scene {
    let mut scene = Scene::new();
    let mesh = scene.add_mesh(mesh);
    let material = scene.add_material(Material::matte(0.5, 0.5, 0.5));
    scene.add_instance(Instance::new(mesh, material));
    scene
}

#[test]
fn depth_of_a_floor_is_analytic_up_to_the_horizon() {
    let mut scene = scene_of(shapes::quad());
    scene.instances[0].scale = [200.0, 200.0, 1.0];
    let camera = Camera { far: 300.0, ..Camera::from_fovy(50.0, 200, 160) }
        .looking([0.3, -0.2, 1.0], [2.0, 1.0, 0.4]);
    let frame = shot(&scene, &camera);
    let (mut seen, mut sky) = (0, 0);
    for y in 0..160 {
        for x in 0..200 {
            let p = camera.unproject(x as f32 + 0.5, y as f32 + 0.5, 1.0);
            let down = 1.0 - p[2];
            let z = 1.0 / down;
            let got = frame.depth[y * 200 + x];
            if down <= 0.0 {
                assert_eq!(got, 0.0);
                sky += 1;
            } else if z < 20.0 {
                assert!((got - z).abs() < 2e-5 * z * z.max(1.0), "{x} {y}: {got} for {z}");
                assert!((frame.normals[3 * (y * 200 + x) + 2] - 1.0).abs() < 1e-6);
                seen += 1;
            }
        }
    }
    assert!(seen > 10_000 && sky > 100, "{seen} {sky}");
}

#[test]
fn depth_of_a_sphere_is_analytic() {
    let mut scene = scene_of(shapes::sphere(256, 128));
    scene.instances[0].scale = [0.2; 3];
    scene.instances[0].position = [0.1, 0.05, -1.5];
    let camera = Camera::from_fovy(40.0, 160, 160);
    let frame = shot(&scene, &camera);
    let mut checked = 0;
    for y in 0..160 {
        for x in 0..160 {
            let d = camera.unproject(x as f32 + 0.5, y as f32 + 0.5, 1.0).map(|c| c as f64);
            let c = [0.1, 0.05, -1.5];
            let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let (a, b, r) = (dot(d, d), dot(d, c), dot(c, c) - 0.04);
            let disc = b * b - a * r;
            let got = frame.depth[y * 160 + x];
            if disc < -1e-3 {
                assert_eq!(got, 0.0);
            } else if disc > 0.01 {
                let z = (b - disc.sqrt()) / a;
                assert!((got as f64 - z).abs() < 2e-4, "{x} {y}: {got} for {z}");
                checked += 1;
            }
        }
    }
    assert!(checked > 1000);
}

#[test]
fn segments_of_a_known_layout() {
    let mut scene = Scene::new();
    let cube = scene.add_mesh(shapes::cube());
    let material = scene.add_material(Material::matte(0.5, 0.5, 0.5));
    // Straight down from 1 m with 100 pixels per metre at depth 1.
    for (segment, x, z) in [(5, -0.2, 0.0), (9, 0.2, 0.0), (7, 0.2, 0.5)] {
        let half = if segment == 7 { 0.05 } else { 0.1 };
        scene.add_instance(Instance {
            position: [x, 0.0, z - half],
            scale: [half; 3],
            segment,
            ..Instance::new(cube, material)
        });
    }
    let camera = Camera {
        position: [0.0, 0.0, 1.0],
        fx: 100.0,
        fy: 100.0,
        ..Camera::from_fovy(45.0, 100, 100)
    };
    let frame = shot(&scene, &camera);
    let at = |x: usize, y: usize| frame.segment[y * 100 + x];
    // The tops: 20 pixels square around x = 30 and 70; the third is at half the depth, so twice
    // as far from the middle and as large as the others.
    assert_eq!((at(21, 50), at(38, 50), at(18, 50)), (5, 5, NOTHING));
    assert_eq!((at(61, 45), at(73, 54)), (9, 9));
    assert_eq!((at(81, 50), at(98, 59), at(98, 61)), (7, 7, NOTHING));
    assert_eq!(at(50, 50), NOTHING);
    let counts = visible_pixels(&frame);
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), [5, 7, 9]);
    assert!(counts[&5] >= 400);
    assert!((frame.depth[50 * 100 + 30] - 1.0).abs() < 1e-6);
    assert!((frame.depth[50 * 100 + 90] - 0.5).abs() < 1e-6);
}

/// A fan of triangles around a point: every pixel of its disc must be covered exactly once. Each
/// triangle is drawn alone and the counts are added.
#[test]
fn shared_edges_are_watertight() {
    let n = 37;
    let ring: Vec<Vec3> = (0..n)
        .map(|i| {
            let a = std::f32::consts::TAU * i as f32 / n as f32;
            [0.4 * a.cos() + 0.01, 0.4 * a.sin() - 0.02, -1.0 + 0.1 * (3.0 * a).sin()]
        })
        .collect();
    let camera = Camera::from_fovy(50.0, 128, 128);
    let mut hits = vec![0; 128 * 128];
    let mut all = Mesh::default();
    for i in 0..n {
        let p = [[0.013, 0.007, -1.0], ring[i], ring[(i + 1) % n]];
        let one = Mesh::flat(&p, &[[0, 1, 2]]);
        all.append(&one, [0.0; 3]);
        for (hit, s) in hits.iter_mut().zip(&shot(&scene_of(one), &camera).segment) {
            *hit += (*s == 0) as i32;
        }
    }
    let together = shot(&scene_of(all), &camera).segment;
    for (hit, s) in hits.iter().zip(&together) {
        assert_eq!(*hit, (*s == 0) as i32);
    }
    assert!(hits.iter().sum::<i32>() > 5000);
}

#[test]
fn triangles_through_the_camera_are_clipped_not_dropped() {
    // A corridor that starts behind the camera and ends far in front of it.
    let mut scene = scene_of(shapes::cube());
    scene.instances[0].scale = [1.0, 1.0, 40.0];
    let id = scene.instances[0].mesh;
    scene.update_mesh(id, |m| {
        for t in &mut m.triangles {
            t.swap(1, 2);
        }
        for n in &mut m.normals {
            *n = n.map(|c| -c);
        }
    });
    let camera = Camera { far: 100.0, ..Camera::from_fovy(80.0, 96, 96) };
    let frame = shot(&scene, &camera);
    for y in 0..96 {
        for x in 0..96 {
            let d = camera.unproject(x as f32 + 0.5, y as f32 + 0.5, 1.0);
            let z = (1.0 / d[0].abs().max(d[1].abs())).min(40.0);
            let got = frame.depth[y * 96 + x];
            assert!((got - z).abs() < 1e-4 * z * z.max(1.0), "{x} {y}: {got} for {z}");
        }
    }
}

#[test]
fn near_and_far_limits_cut() {
    let mut scene = scene_of(shapes::quad());
    scene.instances[0].scale = [5.0, 5.0, 1.0];
    let camera = Camera { near: 0.9, far: 1.2, ..Camera::from_fovy(90.0, 64, 64) }
        .looking([0.0, 0.0, 0.5], [0.5, 0.0, 0.0]);
    let frame = shot(&scene, &camera);
    let seen: Vec<f32> = frame.depth.iter().copied().filter(|&d| d > 0.0).collect();
    assert!(!seen.is_empty());
    assert!(seen.iter().all(|&d| (0.9..=1.2).contains(&d)));
}

fn point() -> impl Strategy<Value = Vec3> {
    (-2.0f32..2.0, -2.0f32..2.0, -4.0f32..1.0).prop_map(|(x, y, z)| [x, y, z])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Random triangles, many of them through the near plane, against rays in double precision.
    #[test]
    fn triangles_agree_with_ray_casting(p in [point(), point(), point()]) {
        const N: usize = 48;
        let mut mesh = Mesh::flat(&p, &[[0, 1, 2]]);
        mesh.double_sided = true;
        let camera = Camera { near: 0.05, far: 100.0, ..Camera::from_fovy(60.0, N, N) };
        let frame = shot(&scene_of(mesh), &camera);
        let f = camera.fx as f64;
        let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let v = p.map(|p| p.map(|c| c as f64));
        let n = cross(sub(v[1], v[0]), sub(v[2], v[0]));
        for y in 0..N {
            for x in 0..N {
                // Inside or outside by a clear margin, and not seen edge-on?
                let probe = |dx: f64, dy: f64| {
                    let c = N as f64 / 2.0;
                    let d = [(x as f64 + 0.5 + dx - c) / f, (c - y as f64 - 0.5 - dy) / f, -1.0];
                    let z = dot(n, v[0]) / dot(n, d);
                    let s = [0, 1, 2].map(|k| dot(d, cross(v[k], v[(k + 1) % 3])));
                    let det = dot(d, n);
                    let inside = s.iter().all(|s| s * det > 0.0) && z > 0.05 && z < 100.0;
                    (inside, z)
                };
                const E: f64 = 0.01;
                let around = [probe(0.0, 0.0), probe(E, E), probe(-E, E), probe(E, -E), probe(-E, -E)];
                let got = frame.depth[y * N + x];
                if around.iter().all(|a| a.0) {
                    let spread = around.iter().map(|a| (a.1 - around[0].1).abs()).fold(0.0, f64::max);
                    prop_assert!(
                        (got as f64 - around[0].1).abs() <= 1e-5 * around[0].1 + 0.1 * spread,
                        "pixel {x} {y}: {got} for {}", around[0].1
                    );
                } else if around.iter().all(|a| !a.0) {
                    // A sliver may pass between the probes.
                    prop_assert!(got == 0.0 || thin(&v, f), "pixel {x} {y}: {got}");
                }
            }
        }
    }
}

/// Whether a triangle is so thin on the image that rounding its corners may matter.
fn thin(v: &[[f64; 3]; 3], f: f64) -> bool {
    if v.iter().any(|p| p[2] > -0.05) {
        return true;
    }
    let s = v.map(|p| [f * p[0] / -p[2], f * p[1] / -p[2]]);
    let d = |i: usize, j: usize| [s[j][0] - s[i][0], s[j][1] - s[i][1]];
    let area = (d(0, 1)[0] * d(0, 2)[1] - d(0, 1)[1] * d(0, 2)[0]).abs();
    let longest = [d(0, 1), d(1, 2), d(2, 0)]
        .iter()
        .map(|d| (d[0] * d[0] + d[1] * d[1]).sqrt())
        .fold(0.0, f64::max);
    area / longest.max(1e-9) < 0.05
}
