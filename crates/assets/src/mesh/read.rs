//! Reading STL and OBJ, within limits.

use std::collections::BTreeMap;

use longarm_types::DVec3;

use super::TriMesh;

/// Most triangles of a mesh.
pub const MOST_FACES: usize = 100_000;
/// Largest coordinate, in metres after scaling.
const FAR: f64 = 10.0;

/// Read a mesh by the ending of its file, every coordinate times `scale`.
pub fn read_mesh(name: &str, bytes: &[u8], scale: [f64; 3]) -> Result<TriMesh, String> {
    let ending = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let faces = match ending.as_str() {
        "stl" if is_text(bytes) => stl_text(bytes)?,
        "stl" => stl(bytes)?,
        "obj" => obj(bytes)?,
        _ => return Err("is not a mesh that can be read; use .stl or .obj".into()),
    };
    build(&faces, scale)
}

/// Corner positions and texture coordinates of a triangle.
type Face = [([f64; 3], Option<[f64; 2]>); 3];

fn too_many() -> String {
    format!("has more than {MOST_FACES} triangles; simplify it")
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.starts_with(b"solid") && bytes.windows(5).take(2000).any(|w| w == b"facet")
}

fn stl(bytes: &[u8]) -> Result<Vec<Face>, String> {
    let count = bytes.get(80..84).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
    let count = count.ok_or("is too short to be an STL")? as usize;
    if count > MOST_FACES {
        return Err(too_many());
    }
    if bytes.len() < 84 + 50 * count {
        return Err(format!("says {count} triangles but ends before the last"));
    }
    let f32_at = |at: usize| {
        let mut b = [0; 4];
        b.copy_from_slice(&bytes[at..at + 4]);
        f64::from(f32::from_le_bytes(b))
    };
    let corner = |t: usize, k: usize| {
        let at = 84 + 50 * t + 12 + 12 * k;
        ([f32_at(at), f32_at(at + 4), f32_at(at + 8)], None)
    };
    Ok((0..count).map(|t| [corner(t, 0), corner(t, 1), corner(t, 2)]).collect())
}

fn numbers<const N: usize>(words: &mut dyn Iterator<Item = &str>) -> Option<[f64; N]> {
    let mut out = [0.0; N];
    for v in &mut out {
        *v = words.next()?.parse().ok()?;
    }
    Some(out)
}

fn stl_text(bytes: &[u8]) -> Result<Vec<Face>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8")?;
    let mut out = Vec::new();
    let mut corners = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("vertex") => {
                let p = numbers::<3>(&mut words);
                corners
                    .push((p.ok_or(format!("line {}: three numbers are missing", i + 1))?, None));
            }
            Some("endfacet") => {
                let face: Face = corners[..]
                    .try_into()
                    .map_err(|_| format!("line {}: a facet has three vertices", i + 1))?;
                out.push(face);
                corners.clear();
                if out.len() > MOST_FACES {
                    return Err(too_many());
                }
            }
            _ => {}
        }
    }
    Ok(out)
}

fn obj(bytes: &[u8]) -> Result<Vec<Face>, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8")?;
    let (mut at, mut uv): (Vec<[f64; 3]>, Vec<[f64; 2]>) = (Vec::new(), Vec::new());
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let bad = |what: &str| format!("line {}: {what}", i + 1);
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                at.push(numbers(&mut words).ok_or_else(|| bad("three numbers are missing"))?)
            }
            Some("vt") => {
                uv.push(numbers(&mut words).ok_or_else(|| bad("two numbers are missing"))?)
            }
            Some("f") => {
                let mut corners = Vec::new();
                for w in words {
                    let mut ids = w.split('/');
                    let index = |word: Option<&str>, n: usize| -> Option<usize> {
                        match word?.parse::<i64>().ok()? {
                            k if k > 0 => usize::try_from(k - 1).ok().filter(|k| *k < n),
                            k => usize::try_from(n as i64 + k).ok().filter(|_| k < 0),
                        }
                    };
                    let p = index(ids.next(), at.len()).ok_or_else(|| bad("no such vertex"))?;
                    let t = match ids.next() {
                        None | Some("") => None,
                        w => Some(
                            uv[index(w, uv.len())
                                .ok_or_else(|| bad("no such texture coordinate"))?],
                        ),
                    };
                    corners.push((at[p], t));
                }
                for k in 2..corners.len() {
                    out.push([corners[0], corners[k - 1], corners[k]]);
                }
                if out.len() > MOST_FACES {
                    return Err(too_many());
                }
            }
            _ => {}
        }
    }
    Ok(out)
}

/// Corners, texture coordinates and normal of a triangle.
type Triangle = ([DVec3; 3], [Option<[f64; 2]>; 3], DVec3);
/// Bits of a corner's position, normal and texture coordinates.
type CornerKey = ([u32; 3], [u32; 3], [u32; 2]);

/// Angle between faces, as a cosine, up to which their common corners are drawn smooth.
const SMOOTH: f64 = 0.75;

fn build(faces: &[Face], scale: [f64; 3]) -> Result<TriMesh, String> {
    let scaled = |p: [f64; 3]| DVec3::new(p[0] * scale[0], p[1] * scale[1], p[2] * scale[2]);
    // A mirrored mesh is turned inside out.
    let mirrored = scale.iter().filter(|s| **s < 0.0).count() % 2 == 1;
    let mut solid: Vec<Triangle> = Vec::new();
    for f in faces {
        let mut f = *f;
        if mirrored {
            f.swap(1, 2);
        }
        let p = f.map(|(p, _)| scaled(p));
        if p.iter().any(|p| !p.is_finite() || p.abs().max_element() > FAR) {
            return Err(format!(
                "has a coordinate beyond {FAR} m; files in millimetres need scale = 0.001"
            ));
        }
        let normal = (p[1] - p[0]).cross(p[2] - p[0]);
        if normal.length() > 1e-14 {
            solid.push((p, f.map(|(_, t)| t), normal));
        }
    }
    if solid.len() < 4 {
        return Err("has no volume: fewer than four triangles with an area".into());
    }
    let key = |p: DVec3| super::key(super::to_f32(p));
    let mut around: BTreeMap<[u32; 3], Vec<usize>> = BTreeMap::new();
    for (i, (p, ..)) in solid.iter().enumerate() {
        for p in p {
            around.entry(key(*p)).or_default().push(i);
        }
    }
    let textured = solid.iter().all(|(_, t, _)| t.iter().all(Option::is_some));
    let mut out = TriMesh::default();
    let mut known: BTreeMap<CornerKey, u32> = BTreeMap::new();
    for (p, t, normal) in &solid {
        let unit = normal.normalize();
        let mut corners = [0; 3];
        for k in 0..3 {
            let near = &around[&key(p[k])];
            // At a corner of many faces the first will do.
            let sum: DVec3 = near
                .iter()
                .take(64)
                .map(|j| solid[*j].2)
                .filter(|n| n.normalize().dot(unit) > SMOOTH)
                .sum();
            let n = if sum.length() > 1e-14 { sum.normalize() } else { unit };
            let uv = t[k].map_or([0.0; 2], |[u, v]| [u, 1.0 - v]);
            let id = (key(p[k]), key(n), uv.map(|x| (x as f32 + 0.0).to_bits()));
            corners[k] = *known.entry(id).or_insert_with(|| out.push(p[k], n, uv));
        }
        out.face(corners);
    }
    Ok(if textured { out } else { out.without_uvs() })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TETRA: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

    #[test]
    fn a_tetrahedron_is_read() {
        let m = read_mesh("a.obj", TETRA.as_bytes(), [0.1; 3]).unwrap();
        assert_eq!(m.triangles.len(), 4);
        assert!((m.volume() - 1e-3 / 6.0).abs() < 1e-9, "{}", m.volume());
        let mirrored = read_mesh("a.obj", TETRA.as_bytes(), [-0.1, 0.1, 0.1]).unwrap();
        assert!(mirrored.volume() > 0.0);
    }

    #[test]
    fn bad_meshes_are_refused() {
        for (name, text, says) in [
            ("a.obj", "f 1 2 3", "no such vertex"),
            ("a.obj", "v 1 2", "three numbers"),
            ("a.obj", "v 0 0 0\n", "no volume"),
            ("a.stl", "x", "too short"),
            ("a.ply", "", ".stl or .obj"),
        ] {
            let e = read_mesh(name, text.as_bytes(), [1.0; 3]).unwrap_err();
            assert!(e.contains(says), "{name} {text}: {e}");
        }
        let e = read_mesh("a.obj", TETRA.as_bytes(), [1000.0; 3]).unwrap_err();
        assert!(e.contains("0.001"), "{e}");
        let mut lying = vec![0; 84];
        lying[80..84].copy_from_slice(&5u32.to_le_bytes());
        assert!(read_mesh("a.stl", &lying, [1.0; 3]).unwrap_err().contains("ends before"));
        lying[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read_mesh("a.stl", &lying, [1.0; 3]).unwrap_err().contains("more than"));
    }
}
