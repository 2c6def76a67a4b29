//! Depth and segments from visibility.

use crate::frame::{Channels, Frame, NOTHING};
use crate::raster::{NONE, Plane};
use crate::resolve::Stage;

pub(crate) fn write_depth(plane: &Plane, frame: &mut Frame, channels: Channels) {
    if !channels.depth {
        return;
    }
    let rows = plane.w.chunks_exact(plane.stride).zip(plane.ids.chunks_exact(plane.stride));
    for (row, (w, ids)) in frame.depth.chunks_exact_mut(plane.width).zip(rows) {
        for ((d, &w), &id) in row.iter_mut().zip(w).zip(ids) {
            let z = 1.0 / w;
            *d = if id == NONE { 0.0 } else { z };
        }
    }
}

pub(crate) fn write_segments(plane: &Plane, stage: &Stage, frame: &mut Frame, channels: Channels) {
    if !channels.segment {
        return;
    }
    let rows = plane.ids.chunks_exact(plane.stride);
    let (mut last, mut segment) = (NONE, NOTHING);
    for (row, ids) in frame.segment.chunks_exact_mut(plane.width).zip(rows) {
        for (s, &id) in row.iter_mut().zip(ids) {
            if id != last {
                last = id;
                segment = match stage.pieces.get(id as usize) {
                    Some(p) => stage.draws[p.draw as usize].segment,
                    None => NOTHING,
                };
            }
            *s = segment;
        }
    }
}
