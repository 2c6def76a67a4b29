//! Point clouds in observations.

use serde::{Deserialize, Serialize};

use crate::Bounds;

/// The point cloud that is observed: what all drawn cameras see within a box, a fixed number of points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CloudSpec {
    /// How many points.
    pub points: usize,
    /// The box, in the world frame.
    pub bounds: Bounds,
    /// How many of the points lie on the world and its furniture (the table); as many as come by even spread
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub furniture: Option<usize>,
}

impl CloudSpec {
    /// Most points of a cloud.
    pub const MOST: usize = 65_536;
    /// How far the default box reaches beyond a workspace, metres: the table top itself is seen.
    pub const MARGIN: f64 = 0.05;

    /// The cloud of a workspace and a little around it.
    pub fn around(workspace: &Bounds, points: usize) -> Self {
        let half = workspace.half.map(|h| h + Self::MARGIN);
        Self { points, bounds: Bounds { half, ..*workspace }, furniture: None }
    }
}

/// Points in the world, one per row of each list; empty where no cloud is observed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointCloud {
    /// Positions in the world frame, metres.
    pub positions: Vec<[f32; 3]>,
    /// RGB.
    pub colours: Vec<[u8; 3]>,
    /// Segment ids, as in segmentation pictures.
    pub segments: Vec<i32>,
}

impl PointCloud {
    /// Remove all points and keep the memory.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.colours.clear();
        self.segments.clear();
    }

    /// Append a point.
    pub fn push(&mut self, position: [f32; 3], colour: [u8; 3], segment: i32) {
        self.positions.push(position);
        self.colours.push(colour);
        self.segments.push(segment);
    }
}
