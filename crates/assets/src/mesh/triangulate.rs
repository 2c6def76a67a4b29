//! Cutting a simple polygon into triangles.

fn cross(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Triangles (counter-clockwise indices) of a simple counter-clockwise polygon, by ear clipping.
pub fn triangulate(polygon: &[[f64; 2]]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..polygon.len()).collect();
    let mut out = Vec::with_capacity(polygon.len().saturating_sub(2));
    while left.len() > 3 {
        let n = left.len();
        let corner = |k: usize| [left[(k + n - 1) % n], left[k], left[(k + 1) % n]];
        let is_ear = |k: &usize| {
            let [a, b, c] = corner(*k);
            let (pa, pb, pc) = (polygon[a], polygon[b], polygon[c]);
            if cross(pa, pb, pc) <= 0.0 {
                return false;
            }
            left.iter().filter(|&&i| i != a && i != b && i != c).all(|&i| {
                let p = polygon[i];
                cross(pa, pb, p) < 0.0 || cross(pb, pc, p) < 0.0 || cross(pc, pa, p) < 0.0
            })
        };
        // A degenerate polygon may have no ear; cutting any corner then still ends the loop.
        let k = (0..n).find(is_ear).unwrap_or(0);
        out.push(corner(k));
        left.remove(k);
    }
    if let [a, b, c] = left[..] {
        out.push([a, b, c]);
    }
    out
}
