//! Meshes and pictures, checked before anybody else reads them.

use std::fmt::Write as _;

/// Most vertices, and most faces, of a mesh.
const MOST: usize = 2_000_000;
/// Most pixels of a picture along a side.
const MOST_PIXELS: u32 = 8192;

/// Return what MuJoCo may read of a mesh, if all in it fits. `ending` is `obj`, `stl` or `msh`.
pub fn check_mesh(ending: &str, bytes: &[u8]) -> Result<Vec<u8>, String> {
    match ending {
        "obj" => obj(bytes),
        "stl" => stl(bytes),
        "msh" => msh(bytes),
        _ => Err("is not a mesh that can be read; use .obj, .stl or .msh".into()),
    }
}

fn float(bytes: &[u8], at: usize) -> f32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    f32::from_le_bytes(word)
}

fn finite(bytes: &[u8], at: usize, n: usize) -> Result<(), String> {
    match (0..n).all(|i| float(bytes, at + 4 * i).abs() < 1e9) {
        true => Ok(()),
        false => Err("has a number that is not finite, or beyond 1e9".into()),
    }
}

/// A binary STL: 80 bytes, a count, 50 bytes a triangle.
fn stl(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let count = bytes.get(80..84).ok_or("is too short to be an STL")?;
    let count = count.iter().rev().fold(0, |sum, b| (sum << 8) | usize::from(*b));
    if count == 0 || count > MOST {
        return Err(format!("says {count} triangles; 1 to {MOST} are read"));
    }
    if bytes.len() != 84 + 50 * count {
        return Err(format!("says {count} triangles but has {} bytes", bytes.len()));
    }
    for t in 0..count {
        finite(bytes, 84 + 50 * t, 12)?;
    }
    Ok(bytes.to_vec())
}

/// MuJoCo's own format: counts of vertices, normals, texture coordinates and faces, then these.
fn msh(bytes: &[u8]) -> Result<Vec<u8>, String> {
    if bytes.len() < 16 {
        return Err("is too short to be a mesh".into());
    }
    let word = |at: usize| {
        let mut w = [0; 4];
        w.copy_from_slice(&bytes[at..at + 4]);
        usize::try_from(i32::from_le_bytes(w)).ok().filter(|n| *n <= MOST)
    };
    let counts = [word(0), word(4), word(8), word(12)];
    let [Some(vertices), Some(normals), Some(coordinates), Some(faces)] = counts else {
        return Err(format!("says a count below 0 or above {MOST}"));
    };
    if vertices < 4
        || (normals != 0 && normals != vertices)
        || (coordinates != 0 && coordinates != vertices)
    {
        return Err(format!(
            "has {vertices} vertices with {normals} normals and {coordinates} texture coordinates"
        ));
    }
    let floats = 3 * vertices + 3 * normals + 2 * coordinates;
    if bytes.len() != 16 + 4 * floats + 12 * faces {
        return Err(format!("has {} bytes, which is not what its counts need", bytes.len()));
    }
    finite(bytes, 16, floats)?;
    let first = 16 + 4 * floats;
    match (0..3 * faces).all(|i| word(first + 4 * i).is_some_and(|v| v < vertices)) {
        true => Ok(bytes.to_vec()),
        false => Err("has a face with a vertex that is not there".into()),
    }
}

/// A Wavefront file with nothing but its vertices, coordinates, normals, faces and where shapes begin:
/// no other line is kept, so that none names another file.
fn obj(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8")?;
    let mut out = String::with_capacity(text.len());
    let (mut counts, mut faces, mut shapes) = ([0usize; 3], 0usize, 0usize);
    for (i, line) in text.lines().enumerate() {
        let bad = |what: &str| format!("line {}: {what}", i + 1);
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else { continue };
        match first {
            "v" | "vt" | "vn" => {
                let numbers: Vec<&str> = words.collect();
                let fits = if first == "vt" { 2..=3 } else { 3..=6 };
                let number = |w: &&str| w.parse::<f64>().is_ok_and(|v| v.abs() < 1e9);
                if !fits.contains(&numbers.len()) || !numbers.iter().all(number) {
                    return Err(bad("numbers are missing, or not numbers"));
                }
                counts[["v", "vt", "vn"].iter().position(|k| *k == first).unwrap_or(0)] += 1;
                let _ = writeln!(out, "{first} {}", numbers.join(" "));
            }
            "f" => {
                let corners: Vec<&str> = words.collect();
                if !(3..=64).contains(&corners.len()) {
                    return Err(bad("a face has 3 to 64 corners"));
                }
                for corner in &corners {
                    for (k, index) in corner.split('/').enumerate() {
                        let most = *counts.get(k).ok_or_else(|| bad("a corner of four numbers"))?;
                        let there = match index.parse::<i64>() {
                            Ok(n) if n > 0 => n as usize <= most,
                            Ok(n) => n < 0 && n.unsigned_abs() as usize <= most,
                            Err(_) => index.is_empty() && k == 1,
                        };
                        if !there {
                            return Err(bad("a corner that is not there"));
                        }
                    }
                }
                faces += 1;
                let _ = writeln!(out, "f {}", corners.join(" "));
            }
            "o" | "g" => {
                shapes += 1;
                let _ = writeln!(out, "{first} shape{shapes}");
            }
            _ => {}
        }
        if counts.iter().any(|n| *n > MOST) || faces > MOST {
            return Err(format!("has more than {MOST} vertices or faces"));
        }
    }
    match faces {
        0 => Err("has no faces".into()),
        _ => Ok(out.into_bytes()),
    }
}

/// Return a picture's bytes if it is one. `ending` is `png`.
pub fn check_picture(ending: &str, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    if ending != "png" {
        return Err("is not a picture that can be read; use .png".into());
    }
    let bad = |e: png::DecodingError| format!("is not a PNG that can be read: {e}");
    let limits = png::Limits { bytes: 512 << 20 };
    let mut decoder = png::Decoder::new_with_limits(std::io::Cursor::new(&bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(bad)?;
    let (width, height) = (reader.info().width, reader.info().height);
    if !(1..=MOST_PIXELS).contains(&width) || !(1..=MOST_PIXELS).contains(&height) {
        return Err(format!("is {width}×{height}; at most {MOST_PIXELS} pixels a side are read"));
    }
    // Row by row: only whether it can be read matters.
    while reader.next_row().map_err(bad)?.is_some() {}
    Ok(bytes)
}
