//! Where a camera is and how it projects.

use super::Flip;

/// A pinhole camera as it was when it drew.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Focal lengths in pixels, horizontally and vertically.
    pub focal: [f32; 2],
    /// Principal point in pixels from the left and top edges; pixel `i` spans `i..i + 1`.
    pub centre: [f32; 2],
    /// Position in the world frame, metres.
    pub position: [f32; 3],
    /// Camera axes in the world frame as columns: x right, y down, z along the line of sight.
    pub rotation: [[f32; 3]; 3],
}

impl Default for Calibration {
    fn default() -> Self {
        let rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        Self { focal: [1.0; 2], centre: [0.0; 2], position: [0.0; 3], rotation }
    }
}

impl Calibration {
    /// Return the matrix, row by row, from camera coordinates to pixels of a picture turned by `flip`.
    pub fn intrinsics(&self, flip: Flip, width: usize, height: usize) -> [f32; 9] {
        let ([mut fx, mut fy], [mut cx, mut cy]) = (self.focal, self.centre);
        if matches!(flip, Flip::Horizontal | Flip::Both) {
            (fx, cx) = (-fx, width as f32 - cx);
        }
        if matches!(flip, Flip::Vertical | Flip::Both) {
            (fy, cy) = (-fy, height as f32 - cy);
        }
        [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0]
    }

    /// Return the matrix, row by row, from world coordinates to camera coordinates (x right, y down, z
    /// along the line of sight).
    pub fn extrinsics(&self) -> [f32; 16] {
        let mut out = [0.0; 16];
        for i in 0..3 {
            let axis = [0, 1, 2].map(|k| self.rotation[k][i]);
            let along: f32 = axis.iter().zip(&self.position).map(|(a, p)| a * p).sum();
            out[4 * i..4 * i + 3].copy_from_slice(&axis);
            out[4 * i + 3] = -along;
        }
        out[15] = 1.0;
        out
    }
}
