use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use longarm_types::{DQuat, DVec3, Pose};

use super::{TriMesh, key, to_f64, triangulate};

/// Indices valid, normals of unit length and on the side the triangle's winding says.
fn check(name: &str, m: &TriMesh) {
    assert!(!m.triangles.is_empty(), "{name} is empty");
    assert_eq!(m.positions.len(), m.normals.len(), "{name}");
    assert!(m.uvs.is_empty() || m.uvs.len() == m.positions.len(), "{name}");
    for n in &m.normals {
        assert!((to_f64(*n).length() - 1.0).abs() < 1e-5, "{name}: normal {n:?}");
    }
    for t in &m.triangles {
        let p = t.map(|i| to_f64(m.positions[i as usize]));
        let flat = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
        for i in t {
            let n = to_f64(m.normals[*i as usize]);
            assert!(flat == DVec3::ZERO || n.dot(flat) > 0.3, "{name}: {n} against {flat}");
        }
    }
}

/// Every edge is used once in each direction.
fn closed(name: &str, m: &TriMesh) {
    let mut edges: BTreeMap<_, i32> = BTreeMap::new();
    for t in &m.triangles {
        let k = t.map(|i| key(m.positions[i as usize]));
        for i in 0..3 {
            *edges.entry((k[i], k[(i + 1) % 3])).or_default() += 1;
            *edges.entry((k[(i + 1) % 3], k[i])).or_default() -= 1;
        }
    }
    assert!(edges.values().all(|v| *v == 0), "{name} has holes");
}

fn solid(name: &str, m: &TriMesh, volume: f64, tolerance: f64) {
    check(name, m);
    closed(name, m);
    let v = m.volume();
    assert!((v / volume - 1.0).abs() < tolerance, "{name}: volume {v}, expected {volume}");
}

#[test]
fn solids_are_closed_and_have_their_volume() {
    solid("box", &TriMesh::rounded_box([0.1, 0.2, 0.3], 0.0, 4), 0.048, 1e-5);
    let (h, r) = ([0.1, 0.15, 0.2], 0.02);
    let core: Vec<f64> = h.iter().map(|x| x - r).collect();
    let rounded = 8.0 * core[0] * core[1] * core[2]
        + 8.0 * r * (core[0] * core[1] + core[1] * core[2] + core[2] * core[0])
        + TAU * r * r * (core[0] + core[1] + core[2])
        + 4.0 / 3.0 * PI * r * r * r;
    solid("rounded box", &TriMesh::rounded_box(h, r, 4), rounded, 1e-3);
    solid("cylinder", &TriMesh::cylinder(0.05, 0.1, 0.0, 96), PI * 0.0005, 2e-3);
    solid("bevelled cylinder", &TriMesh::cylinder(0.05, 0.1, 0.002, 96), PI * 0.0005, 4e-3);
    solid("sphere", &TriMesh::sphere(0.1, 96), 4.0 / 3.0 * PI * 1e-3, 3e-3);
    let capsule = PI * 0.01 * 0.4 + 4.0 / 3.0 * PI * 1e-3;
    solid("capsule", &TriMesh::capsule(0.1, 0.2, 96), capsule, 3e-3);
    solid("torus", &TriMesh::torus(0.1, 0.02, 96, 64), 2.0 * PI * PI * 0.1 * 0.0004, 4e-3);
    let straight = [DVec3::ZERO, DVec3::new(0.1, 0.1, 0.0), DVec3::new(0.2, 0.2, 0.0)];
    let tube = PI * 1e-4 * 0.2 * 2f64.sqrt() + 4.0 / 3.0 * PI * 1e-6;
    solid("tube", &TriMesh::tube(&straight, 0.01, 96), tube, 5e-3);
    let cone = TriMesh::lathe(&[[0.0, 0.0], [0.1, 0.0], [0.0, 0.3]], 96, 0.7);
    solid("cone", &cone, PI * 0.01 * 0.1, 2e-3);
    let cup = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.2], [0.09, 0.2], [0.09, 0.01], [0.0, 0.01]];
    let volume = PI * (0.01 * 0.2 - 0.0081 * 0.19);
    solid("cup", &TriMesh::lathe(&cup, 96, 0.7), volume, 2e-3);
}

#[test]
fn extrusions_may_be_concave() {
    let star = |k: usize| if k.is_multiple_of(2) { 0.1 } else { 0.04 };
    let polygon: Vec<[f64; 2]> = (0..10)
        .map(|k| {
            let a = TAU * k as f64 / 10.0;
            [star(k) * libm::cos(a), star(k) * libm::sin(a)]
        })
        .collect();
    let area = 10.0 * 0.5 * 0.1 * 0.04 * libm::sin(TAU / 10.0);
    let cut: f64 = triangulate(&polygon)
        .iter()
        .map(|&[a, b, c]| {
            let (a, b, c) = (polygon[a], polygon[b], polygon[c]);
            let twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            assert!(twice > 0.0);
            0.5 * twice
        })
        .sum();
    assert!((cut / area - 1.0).abs() < 1e-9);
    solid("star", &TriMesh::extrude(&polygon, 0.02, 0.0), area * 0.02, 1e-4);
    solid("bevelled star", &TriMesh::extrude(&polygon, 0.02, 0.001), area * 0.02, 0.03);
}

#[test]
fn bent_and_tapered_sweeps_are_closed() {
    let path: Vec<DVec3> = (0..12)
        .map(|i| {
            let t = f64::from(i) * 0.15;
            DVec3::new(0.1 * libm::cos(t), 0.1 * libm::sin(t), 0.01 * t)
        })
        .collect();
    let radii: Vec<f64> = (0..12).map(|i| 0.02 - 0.001 * f64::from(i)).collect();
    let m = TriMesh::sweep(&path, &radii, 24);
    check("sweep", &m);
    closed("sweep", &m);
    assert!(m.volume() > 0.0);
}

#[test]
fn transformations_keep_the_outside_out() {
    let m = TriMesh::rounded_box([0.01, 0.02, 0.03], 0.004, 3);
    let pose = Pose::new(DVec3::new(1.0, 2.0, 3.0), DQuat::from_rotation_x(0.7));
    let moved = m.clone().transformed(&pose);
    check("moved", &moved);
    assert!((DVec3::from(moved.bounds().centre) - pose.pos).length() < 1e-6);
    let mirrored = m.clone().scaled([-2.0, 1.0, 0.5]);
    check("mirrored", &mirrored);
    assert!((mirrored.volume() / m.volume() - 1.0).abs() < 1e-4);
    assert!((m.clone().flipped().volume() + m.volume()).abs() < 1e-9);
    let creased = m.clone().creased(0.6);
    solid("creased", &creased, m.volume(), 1e-6);
    let two = TriMesh::merged([m.clone(), m.clone().moved(1.0, 0.0, 0.0)]);
    solid("merged", &two, 2.0 * m.volume(), 1e-3);
}

#[test]
fn sharp_edges_stay_sharp_and_round_ones_smooth() {
    let cube = TriMesh::rounded_box([1.0; 3], 0.0, 1).creased(0.5);
    assert_eq!(cube.positions.len(), 24);
    let ball = TriMesh::sphere(1.0, 32).without_uvs().creased(0.5);
    for (p, n) in ball.positions.iter().zip(&ball.normals) {
        assert!(to_f64(*p).dot(to_f64(*n)) > 0.99);
    }
    let can = TriMesh::lathe(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], 16, 0.7);
    assert!(can.normals.iter().all(|n| n[2].abs() < 1e-6 || n[2].abs() > 1.0 - 1e-6));
}

#[test]
fn the_binary_form_has_the_announced_size() {
    let m = TriMesh::sphere(1.0, 12);
    let n = m.positions.len();
    assert_eq!(m.to_msh().len(), 16 + n * 32 + m.triangles.len() * 12);
}
