//! Cameras and the projections behind them.

use crate::math::{IDENTITY, Mat3, Vec3, column, dot64, look_at, wide};
use crate::scene::Instance;

/// A pinhole camera in MuJoCo's convention: it looks along its local −z, with y up and x right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is.
    pub position: Vec3,
    /// How it is turned (local to world).
    pub rotation: Mat3,
    /// Focal length in pixels, horizontally.
    pub fx: f32,
    /// Focal length in pixels, vertically.
    pub fy: f32,
    /// Principal point in pixels from the left edge; pixel `i` spans `i..i + 1`.
    pub cx: f32,
    /// Principal point in pixels from the top edge.
    pub cy: f32,
    /// Columns, at most 4096.
    pub width: usize,
    /// Rows, at most 4096.
    pub height: usize,
    /// Nothing nearer is drawn, in metres.
    pub near: f32,
    /// Nothing farther is drawn, in metres.
    pub far: f32,
}

impl Camera {
    /// A camera at the origin with a vertical field of view in degrees, as MuJoCo states it.
    pub fn from_fovy(fovy: f32, width: usize, height: usize) -> Self {
        let f = 0.5 * height as f64 / libm::tan(fovy as f64 * std::f64::consts::PI / 360.0);
        Self {
            position: [0.0; 3],
            rotation: IDENTITY,
            fx: f as f32,
            fy: f as f32,
            cx: 0.5 * width as f32,
            cy: 0.5 * height as f32,
            width,
            height,
            near: 0.01,
            far: 50.0,
        }
    }

    /// The same camera at `eye`, turned to `target`, with z up.
    pub fn looking(mut self, eye: Vec3, target: Vec3) -> Self {
        self.position = eye;
        self.rotation = look_at(eye, target, [0.0, 0.0, 1.0]);
        self
    }

    /// The world point seen at pixel coordinates (centre of the first pixel: 0.5, 0.5) and depth.
    pub fn unproject(&self, x: f32, y: f32, depth: f32) -> Vec3 {
        let d = [(x - self.cx) / self.fx * depth, (self.cy - y) / self.fy * depth, -depth];
        std::array::from_fn(|k| {
            self.position[k]
                + self.rotation[k][0] * d[0]
                + self.rotation[k][1] * d[1]
                + self.rotation[k][2] * d[2]
        })
    }

    /// Pixel coordinates and depth of a world point; `None` behind the camera.
    pub fn project(&self, p: Vec3) -> Option<[f32; 3]> {
        let d: Vec3 = std::array::from_fn(|k| p[k] - self.position[k]);
        let along = |i: usize| {
            let c = column(&self.rotation, i);
            c[0] * d[0] + c[1] * d[1] + c[2] * d[2]
        };
        let z = -along(2);
        (z > 0.0).then(|| [self.cx + self.fx * along(0) / z, self.cy - self.fy * along(1) / z, z])
    }

    pub(crate) fn view(&self) -> CameraView {
        let (right, up, back) =
            (column(&self.rotation, 0), column(&self.rotation, 1), column(&self.rotation, 2));
        CameraView::new(
            Lens::Perspective { near: self.near as f64 },
            [wide(right), wide(up.map(|c| -c)), wide(back.map(|c| -c))],
            wide(self.position),
            [self.fx as f64, self.fy as f64, self.cx as f64, self.cy as f64],
            (self.width, self.height),
            self.far as f64,
        )
    }
}

/// How a [`CameraView`] turns depth into the rasterizer's `w`, which is larger for what is nearer and
/// linear over the image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lens {
    /// `w` is 1 / depth.
    Perspective { near: f64 },
    /// `w` is a linear function of the point in the view frame that falls along z; nothing is
    /// clipped in depth.
    Orthographic { w: [f64; 4] },
}

/// A projection: the view frame has x right, y down and z forward.
#[derive(Clone, Debug)]
pub(crate) struct CameraView {
    pub lens: Lens,
    pub axes: [[f64; 3]; 3],
    pub origin: [f64; 3],
    pub fx: f64,
    pub fy: f64,
    pub cx: f64,
    pub cy: f64,
    /// 1 / `fx`, 1 / `fy`.
    pub ifx: f64,
    pub ify: f64,
    pub width: usize,
    pub height: usize,
    pub far: f64,
    /// Bits of a pixel's fraction in fixed point.
    pub bits: u32,
    /// Width of the band around the picture in which triangles need no clipping, in pixels.
    pub guard: f64,
    /// Half-spaces `ax + by + cz + d ≥ 0` to clip to: four of the guard band, then the near one.
    pub planes: [[f64; 4]; 5],
}

impl CameraView {
    pub fn new(
        lens: Lens,
        axes: [[f64; 3]; 3],
        origin: [f64; 3],
        [fx, fy, cx, cy]: [f64; 4],
        (width, height): (usize, usize),
        far: f64,
    ) -> Self {
        let m = width.max(height);
        assert!((1..=4096).contains(&m), "a picture is 1 to 4096 pixels wide and high");
        let bits = match m {
            0..=1024 => 8,
            1025..=2048 => 6,
            _ => 4,
        };
        // The widest band in which edge functions, 2(m + 2g)(m + g) 2^bits, fit an i32.
        let (mf, k) = (m as f64 + 32.0, (1u64 << (30 - bits)) as f64);
        let g = ((mf * mf + 8.0 * k).sqrt() - 3.0 * mf) / 4.0;
        let (w, h) = (width as f64 + g, height as f64 + g);
        let planes = match lens {
            Lens::Perspective { near } => [
                [fx, 0.0, cx + g, 0.0],
                [-fx, 0.0, w - cx, 0.0],
                [0.0, fy, cy + g, 0.0],
                [0.0, -fy, h - cy, 0.0],
                [0.0, 0.0, 1.0, -near],
            ],
            Lens::Orthographic { .. } => [
                [fx, 0.0, 0.0, cx + g],
                [-fx, 0.0, 0.0, w - cx],
                [0.0, fy, 0.0, cy + g],
                [0.0, -fy, 0.0, h - cy],
                [0.0, 0.0, 0.0, 1.0],
            ],
        };
        let (ifx, ify) = (1.0 / fx, 1.0 / fy);
        Self {
            lens,
            axes,
            origin,
            fx,
            fy,
            cx,
            cy,
            ifx,
            ify,
            width,
            height,
            far,
            bits,
            guard: g,
            planes,
        }
    }

    /// Rows of the map from an instance's mesh to the view frame.
    pub fn mesh_to_view(&self, instance: &Instance) -> [[f64; 4]; 3] {
        let p = wide(instance.position);
        let offset = [p[0] - self.origin[0], p[1] - self.origin[1], p[2] - self.origin[2]];
        std::array::from_fn(|i| {
            let a = self.axes[i];
            let c = |k: usize| {
                let column = wide(column(&instance.rotation, k));
                dot64(a, column) * instance.scale[k] as f64
            };
            [c(0), c(1), c(2), dot64(a, offset)]
        })
    }

    /// Whether a sphere in the view frame may be seen.
    pub fn sees(&self, c: [f64; 3], radius: f64) -> bool {
        let (w, h) = (self.width as f64, self.height as f64);
        let inside = |a: f64, x: f64, b: f64, z: f64, d: f64| {
            a * x + b * z + d >= -radius * (a * a + b * b).sqrt()
        };
        match self.lens {
            Lens::Perspective { near } => {
                c[2] + radius >= near
                    && c[2] - radius <= self.far
                    && inside(self.fx, c[0], self.cx, c[2], 0.0)
                    && inside(-self.fx, c[0], w - self.cx, c[2], 0.0)
                    && inside(self.fy, c[1], self.cy, c[2], 0.0)
                    && inside(-self.fy, c[1], h - self.cy, c[2], 0.0)
            }
            Lens::Orthographic { .. } => {
                inside(self.fx, c[0], 0.0, 0.0, self.cx)
                    && inside(-self.fx, c[0], 0.0, 0.0, w - self.cx)
                    && inside(self.fy, c[1], 0.0, 0.0, self.cy)
                    && inside(-self.fy, c[1], 0.0, 0.0, h - self.cy)
            }
        }
    }
}
