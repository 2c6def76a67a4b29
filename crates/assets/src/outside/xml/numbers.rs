//! Numbers in attributes.

use std::str::FromStr;

use super::Attributes;

fn number(word: &str, key: &str) -> Result<f64, String> {
    let v = f64::from_str(word).map_err(|_| format!("{key}: {word:?} is not a number"))?;
    if v.is_finite() && v.abs() <= 1e6 {
        Ok(v)
    } else {
        Err(format!("{key}: {word} is out of range"))
    }
}

pub(super) fn numbers<const N: usize>(
    a: &Attributes,
    key: &str,
) -> Result<Option<[f64; N]>, String> {
    let Some(text) = a.get(key) else { return Ok(None) };
    let mut out = [0.0; N];
    let mut words = text.split_whitespace();
    for v in &mut out {
        let word = words.next().ok_or_else(|| format!("{key}=\"{text}\" needs {N} numbers"))?;
        *v = number(word, key)?;
    }
    if words.next().is_some() {
        return Err(format!("{key}=\"{text}\" has more than {N} numbers"));
    }
    Ok(Some(out))
}

/// As many numbers as are there, the rest as usual.
pub(super) fn loose(a: &Attributes, key: &str, usual: &[f64]) -> Result<Vec<f64>, String> {
    let mut out = usual.to_vec();
    let Some(text) = a.get(key) else { return Ok(out) };
    for (i, word) in text.split_whitespace().enumerate() {
        match out.get_mut(i) {
            Some(v) => *v = number(word, key)?,
            None => return Err(format!("{key}=\"{text}\" has more than {} numbers", usual.len())),
        }
    }
    Ok(out)
}

pub(super) fn sizes(a: &Attributes) -> Result<Vec<f64>, String> {
    let Some(text) = a.get("size") else { return Ok(Vec::new()) };
    let out: Vec<f64> =
        text.split_whitespace().take(4).map(|w| number(w, "size")).collect::<Result<_, _>>()?;
    if out.len() > 3 || out.iter().any(|v| !(1e-5..=5.0).contains(v)) {
        return Err(format!("size=\"{text}\": up to three numbers from 0.00001 to 5 metres"));
    }
    Ok(out)
}
