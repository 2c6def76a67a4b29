//! Small symmetric matrices without allocation.

use longarm_assets::kinematics::MAX_JOINTS;

/// A square matrix of up to [`MAX_JOINTS`] rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SquareMatrix {
    n: usize,
    rows: [[f64; MAX_JOINTS]; MAX_JOINTS],
}

/// Pivots below this share of the largest diagonal element count as zero.
const SINGULAR: f64 = 1e-15;

impl SquareMatrix {
    pub(super) fn from_rows(n: usize, element: impl Fn(usize, usize) -> f64) -> Self {
        let mut rows = [[0.0; MAX_JOINTS]; MAX_JOINTS];
        for (i, row) in rows.iter_mut().enumerate().take(n) {
            for (j, to) in row.iter_mut().enumerate().take(n) {
                *to = element(i, j);
            }
        }
        Self { n, rows }
    }

    #[inline]
    pub(super) fn at(&self, i: usize, j: usize) -> f64 {
        self.rows[i][j]
    }
}

/// Return the inverse of a symmetric positive matrix, from its factors L D Lᵀ. Directions in which it
/// is singular are left out, so that nothing is pushed in them.
pub(super) fn invert(m: &SquareMatrix) -> SquareMatrix {
    let n = m.n;
    let largest = (0..n).map(|i| m.at(i, i)).fold(0.0, f64::max);
    let mut l = [[0.0; MAX_JOINTS]; MAX_JOINTS];
    let mut d = [0.0; MAX_JOINTS];
    for j in 0..n {
        let own: f64 = (0..j).map(|k| l[j][k] * l[j][k] * d[k]).sum();
        d[j] = m.at(j, j) - own;
        if d[j] <= SINGULAR * largest {
            d[j] = 0.0;
        }
        l[j][j] = 1.0;
        for i in j + 1..n {
            let shared: f64 = (0..j).map(|k| l[i][k] * l[j][k] * d[k]).sum();
            l[i][j] = if d[j] == 0.0 { 0.0 } else { (m.at(i, j) - shared) / d[j] };
        }
    }
    let mut out = SquareMatrix::from_rows(n, |_, _| 0.0);
    for c in 0..n {
        // L y = e, D z = y, Lᵀ x = z.
        let mut x = [0.0; MAX_JOINTS];
        for i in c..n {
            let before: f64 = (c..i).map(|k| l[i][k] * x[k]).sum();
            x[i] = if i == c { 1.0 } else { -before };
        }
        for (x, d) in x.iter_mut().zip(&d) {
            *x = if *d == 0.0 { 0.0 } else { *x / d };
        }
        for i in (0..n).rev() {
            let after: f64 = (i + 1..n).map(|k| l[k][i] * x[k]).sum();
            x[i] -= after;
        }
        for (row, x) in out.rows.iter_mut().zip(x).take(n) {
            row[c] = x;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let m = SquareMatrix::from_rows(7, |i, j| {
            1.0 / (1.0 + (i as f64 - j as f64).abs()) + if i == j { i as f64 } else { 0.0 }
        });
        let inverse = invert(&m);
        for i in 0..7 {
            for j in 0..7 {
                let sum: f64 = (0..7).map(|k| m.at(i, k) * inverse.at(k, j)).sum();
                let one = f64::from(u8::from(i == j));
                assert!((sum - one).abs() < 1e-12, "{i} {j}: {sum}");
            }
        }
    }

    #[test]
    fn singular_directions_are_left_out() {
        let m = SquareMatrix::from_rows(3, |i, j| if i == j && i < 2 { 4.0 } else { 0.0 });
        let inverse = invert(&m);
        assert_eq!([0, 1, 2].map(|i| inverse.at(i, i)), [0.25, 0.25, 0.0]);
    }
}
