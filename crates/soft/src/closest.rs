//! Nearest points of triangles and segments.

use longarm_types::DVec3;

/// Return the weights of the triangle's corners that make its point nearest to `p`.
#[inline]
pub(crate) fn point_on_triangle(p: DVec3, a: DVec3, b: DVec3, c: DVec3) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    let (e, f) = (d4 - d3, d5 - d6);
    if va <= 0.0 && e >= 0.0 && f >= 0.0 {
        let t = e / (e + f);
        return [0.0, 1.0 - t, t];
    }
    let sum = va + vb + vc;
    if sum <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    [va / sum, vb / sum, vc / sum]
}

/// Return how far along two segments their nearest points lie, each from 0 to 1.
#[inline]
pub(crate) fn between_segments(p: DVec3, q: DVec3, r: DVec3, s: DVec3) -> (f64, f64) {
    let (d1, d2, w) = (q - p, s - r, p - r);
    let (a, e, f) = (d1.length_squared(), d2.length_squared(), d2.dot(w));
    let (b, c) = (d1.dot(d2), d1.dot(w));
    let denominator = a * e - b * b;
    let along = |t: f64| ((b * t - c) / a).clamp(0.0, 1.0);
    let u = if denominator > 1e-12 * a * e {
        ((b * f - c * e) / denominator).clamp(0.0, 1.0)
    } else {
        0.5
    };
    let t = (b * u + f) / e;
    if t < 0.0 {
        (along(0.0), 0.0)
    } else if t > 1.0 {
        (along(1.0), 1.0)
    } else {
        (u, t)
    }
}
