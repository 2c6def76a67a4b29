//! Which of several runs differ: Holm's correction and the compact letter display.

/// Holm's step-down adjustment: p-values that may be compared with the level of the whole family.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]).then(i.cmp(&j)));
    let mut out = vec![1.0; p.len()];
    let mut highest: f64 = 0.0;
    for (rank, &i) in order.iter().enumerate() {
        highest = highest.max(p[i] * (p.len() - rank) as f64).min(1.0);
        out[i] = highest;
    }
    out
}

/// The compact letter display: two items share a letter exactly when they do not differ.
///
/// `estimates` order the letters, `a` to the best; `differ(i, j)` with i < j says whether a pair is
/// separated. Built by the insert–absorb algorithm (Piepho 2004).
pub fn letters(estimates: &[f64], differ: impl Fn(usize, usize) -> bool) -> Vec<String> {
    let n = estimates.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| estimates[j].total_cmp(&estimates[i]).then(i.cmp(&j)));
    // A column is one letter: which of the items, by rank, carry it.
    let mut columns = vec![vec![true; n]];
    for a in 0..n {
        for b in a + 1..n {
            let (i, j) = (order[a].min(order[b]), order[a].max(order[b]));
            if !differ(i, j) {
                continue;
            }
            let split: Vec<_> = columns.iter().filter(|c| c[a] && c[b]).cloned().collect();
            columns.retain(|c| !(c[a] && c[b]));
            for column in split {
                for out in [b, a] {
                    let mut part = column.clone();
                    part[out] = false;
                    columns.push(part);
                }
            }
            absorb(&mut columns);
        }
    }
    columns.sort_by(|x, y| y.cmp(x));
    let mut out = vec![String::new(); n];
    for (letter, column) in columns.iter().enumerate() {
        for rank in (0..n).filter(|&r| column[r]) {
            out[order[rank]].push_str(&name(letter));
        }
    }
    out
}

/// Drops every column that another contains.
fn absorb(columns: &mut Vec<Vec<bool>>) {
    let within = |x: &[bool], y: &[bool]| x.iter().zip(y).all(|(a, b)| !a || *b);
    let mut kept: Vec<Vec<bool>> = Vec::new();
    for c in columns.drain(..) {
        if kept.iter().any(|k| within(&c, k)) {
            continue;
        }
        kept.retain(|k| !within(k, &c));
        kept.push(c);
    }
    *columns = kept;
}

/// a … z, A … Z, then a number in parentheses.
fn name(index: usize) -> String {
    match index {
        0..26 => char::from(b'a' + index as u8).to_string(),
        26..52 => char::from(b'A' + (index - 26) as u8).to_string(),
        _ => format!("({index})"),
    }
}
