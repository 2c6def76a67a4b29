//! Signed distances.

use std::sync::Arc;

use longarm_soft::{Field, Shape, SoftError};
use longarm_types::{DVec3, Seed};

/// Slopes are 1 and directions are those of the slope.
#[test]
fn distances_grow_as_far_as_one_goes() {
    let shapes = [
        Shape::Plane,
        Shape::Sphere { radius: 0.05 },
        Shape::Capsule { radius: 0.02, half: 0.05 },
        Shape::Cylinder { radius: 0.04, half: 0.05, round: 0.0 },
        Shape::Cylinder { radius: 0.04, half: 0.05, round: 0.01 },
        Shape::Box { half: DVec3::new(0.03, 0.04, 0.05), round: 0.0 },
        Shape::Box { half: DVec3::new(0.03, 0.04, 0.05), round: 0.01 },
    ];
    let mut random = Seed(1).stream("shapes");
    for shape in shapes {
        for _ in 0..500 {
            let p = DVec3::from_array(std::array::from_fn(|_| random.range(-0.1, 0.1)));
            let (d, away) = shape.distance(p);
            assert!((away.length() - 1.0).abs() < 1e-9, "{shape:?} at {p}");
            if d > 0.0 {
                // The surface lies straight behind.
                let (rest, _) = shape.distance(p - away * d);
                assert!(rest.abs() < 1e-9, "{shape:?} at {p}: {rest}");
            }
            let (lower, upper) = shape.bounds();
            let inside = p.cmpge(lower).all() && p.cmple(upper).all();
            assert!(inside || d > 0.0, "{shape:?} at {p} is outside of its box");
            let q = p + DVec3::new(1e-3, -2e-3, 1.5e-3);
            assert!((shape.distance(q).0 - d).abs() <= (q - p).length() + 1e-12);
        }
    }
}

fn box_mesh(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corner = |i: u32| {
        let side = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(side(0), side(1), side(2))
    };
    let faces =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

/// A box as a mesh is the box within a cell.
#[test]
fn sampled_mesh_is_the_shape() {
    let half = DVec3::new(0.021, 0.033, 0.047);
    let (vertices, mut triangles) = box_mesh(half);
    let cell = 0.002;
    let field = Field::of_mesh(&vertices, &triangles, cell).unwrap();
    let (sampled, exact) = (Shape::Sampled(Arc::new(field)), Shape::Box { half, round: 0.0 });
    let mut random = Seed(2).stream("shapes");
    for _ in 0..2000 {
        let p = half * DVec3::from_array(std::array::from_fn(|_| random.range(-1.15, 1.15)));
        let ((a, n), (b, m)) = (sampled.distance(p), exact.distance(p));
        assert!((a - b).abs() < cell, "{p}: {a} {b}");
        if b.abs() < 0.003 && p.abs().cmplt(half - DVec3::splat(0.006)).bitmask().count_ones() == 2
        {
            assert!(n.dot(m) > 0.99, "{p}: {n} {m}");
        }
    }
    triangles.pop();
    let torn = Field::of_mesh(&vertices, &triangles, cell);
    assert!(matches!(torn, Err(SoftError::Mesh(_))), "{torn:?}");
}
