//! Surfaces around points.

use std::collections::BTreeMap;

use longarm_soft::{Liquid, Skin};
use longarm_types::{DVec3, Seed};

fn ball(radius: f64, spacing: f64) -> Vec<DVec3> {
    let (lower, upper) = (DVec3::splat(-radius), DVec3::splat(radius));
    Liquid::fill(lower, upper, spacing).filter(|p| p.length() < radius).collect()
}

/// Every edge belongs to two triangles that run along it in opposite directions.
fn assert_closed(skin: &Skin) {
    let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
    for t in &skin.triangles {
        for k in 0..3 {
            *edges.entry((t[k], t[(k + 1) % 3])).or_default() += 1;
        }
    }
    for (&(a, b), count) in &edges {
        assert_eq!(edges.get(&(b, a)), Some(count), "edge {a} {b}");
    }
}

fn volume(skin: &Skin) -> f64 {
    let corner = |v: u32| DVec3::from_array(skin.positions[v as usize].map(f64::from));
    let parts = skin.triangles.iter().map(|t| {
        let [a, b, c] = t.map(corner);
        a.dot(b.cross(c)) / 6.0
    });
    parts.sum()
}

#[test]
fn ball_is_wrapped_closely() {
    let (radius, d) = (0.03, 0.004);
    let points = ball(radius, d);
    let mut skin = Skin::new(d, points.len());
    skin.wrap(&points, &vec![0; points.len()]);
    assert_closed(&skin);
    let filled = points.len() as f64 * d * d * d;
    let share = volume(&skin) / filled;
    println!("{} vertices, volume {share:.3}", skin.positions.len());
    // It runs near the outermost points, not half a spacing outside them.
    assert!((0.8..1.05).contains(&share), "{share}");
    for (p, n) in skin.positions.iter().zip(&skin.normals) {
        let (p, n) = (p.map(f64::from), n.map(f64::from));
        let (p, n) = (DVec3::from_array(p), DVec3::from_array(n));
        assert!((p.length() - radius).abs() < 0.6 * d, "{}", p.length());
        assert!(p.normalize().dot(n.normalize()) > 0.85);
    }
    assert!(skin.tints.iter().all(|t| *t == 0.0));
}

/// Scattered drops are seen, each closed, and the same points give the same surface again.
#[test]
fn drops_are_seen() {
    let d = 0.005;
    let mut random = Seed(3).stream("drops");
    let points: Vec<DVec3> =
        (0..40).map(|_| DVec3::from_array([(); 3].map(|()| random.range(-0.4, 0.4)))).collect();
    let tags: Vec<u32> = (0..40).map(|k| k % 2).collect();
    let mut skin = Skin::new(d, points.len());
    skin.wrap(&points, &tags);
    assert_closed(&skin);
    for p in &points {
        let near = |v: &&[f32; 3]| (DVec3::from_array(v.map(f64::from)) - *p).length() < 1.5 * d;
        assert!(skin.positions.iter().filter(near).count() >= 6, "{p}");
    }
    let (whole, half) = (0.9, 0.1);
    assert!(skin.tints.iter().any(|t| *t > whole) && skin.tints.iter().any(|t| *t < half));
    let first = (skin.positions.clone(), skin.triangles.clone());
    skin.wrap(&ball(0.02, d)[..40], &tags);
    skin.wrap(&points, &tags);
    assert_eq!(first, (skin.positions, skin.triangles));
}
