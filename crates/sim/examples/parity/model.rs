//! A compiled model against recorded numbers.

use std::collections::BTreeMap;
use std::path::Path;

use longarm_sim::{ElementNumbers, ModelNumbers};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Recorded {
    sizes: BTreeMap<String, i64>,
    body: Vec<Vec<Value>>,
    joint: Vec<Vec<Value>>,
    geom: Vec<Vec<Value>>,
}

/// Columns of the recorded rows.
const BODY: &[(&str, usize)] =
    &[("parent", 1), ("pos", 2), ("quat", 3), ("mass", 4), ("inertia", 5)];
const JOINT: &[(&str, usize)] = &[("axis", 4), ("range", 5), ("frictionloss", 8), ("armature", 9)];
const GEOM: &[(&str, usize)] = &[
    ("body", 1),
    ("pos", 4),
    ("group", 6),
    ("contype", 7),
    ("conaffinity", 8),
    ("condim", 9),
    ("friction", 10),
    ("solref", 11),
    ("solimp", 12),
];

/// Largest difference that counts as none: files hold six digits.
const SAME: f64 = 2e-6;

/// Say what differs between a model and the numbers of a file.
pub fn differences(model: &ModelNumbers, file: &Path) -> Result<Vec<String>, String> {
    let fail = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    let text = std::fs::read_to_string(file).map_err(|e| fail(&e))?;
    let want: Recorded = serde_json::from_str(&text).map_err(|e| fail(&e))?;
    let mut out = Vec::new();
    for (name, have) in &model.sizes {
        let want = want.sizes.get(*name).copied().unwrap_or(-1);
        if *have != want {
            out.push(format!("{name}: {have} instead of {want}"));
        }
    }
    for (have, want, columns) in [
        (&model.bodies, &want.body, BODY),
        (&model.joints, &want.joint, JOINT),
        (&model.geoms, &want.geom, GEOM),
    ] {
        for (have, want) in have.iter().zip(want) {
            compare(have, want, columns, &mut out);
        }
    }
    Ok(out)
}

fn compare(
    have: &ElementNumbers,
    want: &[Value],
    columns: &[(&str, usize)],
    out: &mut Vec<String>,
) {
    let name = want.first().and_then(Value::as_str).unwrap_or("");
    if have.name != name {
        out.push(format!("name {:?} instead of {name:?}", have.name));
    }
    for (what, numbers) in &have.numbers {
        let Some((_, column)) = columns.iter().find(|(c, _)| c == what) else { continue };
        let want: Vec<f64> = match want.get(*column) {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_f64).collect(),
            Some(one) => one.as_f64().into_iter().collect(),
            None => Vec::new(),
        };
        let off = |(a, b): (&f64, &f64)| (a - b).abs() > SAME * b.abs().max(1.0);
        if numbers.len() != want.len() || numbers.iter().zip(&want).any(off) {
            out.push(format!("{name} {what}: {numbers:?} instead of {want:?}"));
        }
    }
}
