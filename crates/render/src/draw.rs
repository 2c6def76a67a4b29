//! Instances drawn into the planes of a picture.

use crate::camera::CameraView;
use crate::geometry::{Faces, each_triangle, set_up, transform};
use crate::mesh::Mesh;
use crate::paint::SAMPLES;
use crate::raster::{Plane, Rect, bounds, fill, misses};
use crate::resolve::Stage;
use crate::scene::{Instance, Scene};
use crate::shadow::{bounding_radius, center};

/// First of some triangles or vertices, and one after the last.
type Span = (u32, u32);

/// Draws an instance into all planes; returns what may have changed.
pub(crate) fn draw(
    scene: &Scene,
    i: &Instance,
    view: &CameraView,
    stage: &mut Stage,
    planes: &mut [Plane],
) -> Rect {
    let stored = &scene.meshes[i.mesh.0 as usize];
    let m = view.mesh_to_view(i);
    let mut drawn = Rect::EMPTY;
    if !view.sees(center(&m, stored.center), bounding_radius(i, stored.radius)) {
        return drawn;
    }
    stage.begin(scene, i);
    if stage.lights.is_none() || stored.clusters.is_empty() {
        let all = (0, stored.mesh.positions.len() as u32);
        let drawn = draw_part(view, &m, &stored.mesh, all, &stored.mesh.triangles, stage, planes);
        stage.end_parts();
        return drawn;
    }
    let eye = i.local(view.origin);
    let mut part: Option<(Span, Span)> = None;
    let mut finish = |part: &mut Option<(Span, Span)>, stage: &mut Stage| {
        if let Some((t, vertices)) = part.take() {
            let triangles = &stored.mesh.triangles[t.0 as usize..t.1 as usize];
            drawn.include(draw_part(view, &m, &stored.mesh, vertices, triangles, stage, planes));
        }
    };
    for c in &stored.clusters {
        let beside = || !view.sees(center(&m, c.center), bounding_radius(i, c.radius));
        if c.faces_away(eye) || beside() {
            finish(&mut part, stage);
            continue;
        }
        part = Some(match part {
            None => (c.triangles, c.vertices),
            Some((t, v)) => {
                let both = (v.0.min(c.vertices.0), v.1.max(c.vertices.1));
                ((t.0, c.triangles.1), both)
            }
        });
    }
    finish(&mut part, stage);
    stage.end_parts();
    drawn
}

/// Draws some triangles of the instance begun last, whose vertices lie in a range.
fn draw_part(
    view: &CameraView,
    m: &[[f64; 4]; 3],
    mesh: &Mesh,
    (first, end): Span,
    triangles: &[[u32; 3]],
    stage: &mut Stage,
    planes: &mut [Plane],
) -> Rect {
    let mut drawn = Rect::EMPTY;
    let base = stage.vertices.len();
    stage.begin_part(first);
    transform(view, m, &mesh.positions[first as usize..end as usize], &mut stage.vertices);
    let Stage { vertices, draws, pieces, .. } = stage;
    let faces = if mesh.double_sided { Faces::Both } else { Faces::Front };
    let (bits, half) = (view.bits, 1 << (view.bits - 1));
    let (middle, samples) = planes.split_first_mut().unwrap();
    let seen = (&vertices[base..], first);
    each_triangle(view, seen, triangles, faces, |index, back, corners, v, range| {
        let r = bounds(&corners, [half; 2], bits, middle.width, middle.height);
        let mut hit = !r.is_empty();
        if samples.is_empty() {
            if !hit {
                return;
            }
            drawn.include(r);
            let t = set_up(view, corners, v, range);
            fill::<true>(middle, &t, r, [half; 2], bits, pieces.len() as u32);
        } else {
            // Most triangles of a fine mesh hit none of the samples that they may reach.
            let may_hit = |r: &Rect, s: [i32; 2]| {
                !(r.is_empty() || r.is_one() && misses(&corners, *r, s, bits))
            };
            let at = SAMPLES.map(|s| s.map(|c| c << (bits - 4)));
            let rects = at.map(|s| bounds(&corners, s, bits, middle.width, middle.height));
            hit = may_hit(&r, [half; 2]);
            let hits: [bool; 4] = std::array::from_fn(|k| may_hit(&rects[k], at[k]));
            if !hit && hits == [false; 4] {
                return;
            }
            let t = set_up(view, corners, v, range);
            if hit {
                drawn.include(r);
                fill::<true>(middle, &t, r, [half; 2], bits, pieces.len() as u32);
            }
            for (k, plane) in samples.iter_mut().enumerate().filter(|(k, _)| hits[*k]) {
                drawn.include(rects[k]);
                fill::<true>(plane, &t, rects[k], at[k], bits, pieces.len() as u32);
            }
            hit = true;
        }
        if hit {
            pieces.push(Stage::piece(draws, triangles[index], back));
        }
    });
    drawn
}
