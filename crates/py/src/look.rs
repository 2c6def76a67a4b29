//! What observations hold, as Python says it.

use longarm_eval::vec_env::{Cameras, CloudView, ObservationView};
use pyo3::prelude::*;

use crate::errors::{TaskError, task};

/// Least and greatest corner of a box.
type Corners = ([f64; 3], [f64; 3]);

/// The items of a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Look {
    preset: String,
    /// All that policies see when `None`.
    cameras: Option<Vec<String>>,
    size: Option<(usize, usize)>,
    privileged: bool,
    depth: bool,
    segmentation: bool,
    calibration: bool,
    normals: bool,
    point_cloud: Option<(usize, Option<Corners>, Option<usize>)>,
}

impl Look {
    pub(crate) fn view(self) -> PyResult<ObservationView> {
        let cameras = match self.cameras {
            None => Cameras::All,
            Some(names) if names.is_empty() => Cameras::None,
            Some(names) => Cameras::Named(names),
        };
        if let Some((w, h)) = self.size
            && !((1..=4096).contains(&w) && (1..=4096).contains(&h))
        {
            return Err(TaskError::new_err(format!("pictures of {w}x{h} pixels: 1 to 4096 go")));
        }
        Ok(ObservationView {
            preset: self.preset.parse().map_err(|e| task(&e))?,
            cameras,
            size: self.size,
            privileged: self.privileged,
            depth: self.depth,
            segmentation: self.segmentation,
            calibration: self.calibration,
            normals: self.normals,
            cloud: self.point_cloud.map(|(points, corners, furniture)| CloudView {
                points,
                corners,
                furniture,
            }),
        })
    }
}
