//! Links as rows of published numbers.

use longarm_types::Pose;

use super::{Link, RobotJoint};

/// A link by its published numbers: metres, kilograms, w-x-y-z quaternions.
pub(super) struct Row {
    pub name: &'static str,
    /// Name of the link it hangs on; one that is not in the same table is whatever the table hangs on.
    pub parent: &'static str,
    pub at: [f64; 3],
    pub turn: [f64; 4],
    pub mass: f64,
    pub com: [f64; 3],
    /// Principal axes of inertia.
    pub axes: [f64; 4],
    pub inertia: [f64; 3],
}

/// Return the links of a table, each with the joint that moves it.
pub(super) fn links(rows: &[Row], joint: impl Fn(usize) -> Option<RobotJoint>) -> Vec<Link> {
    let link = |(i, row): (usize, &Row)| Link {
        name: row.name.into(),
        parent: rows.iter().position(|r| r.name == row.parent),
        pose: Pose::from_arrays(row.at, row.turn),
        mass: row.mass,
        com: Pose::from_arrays(row.com, row.axes),
        inertia: row.inertia,
        joint: joint(i),
    };
    rows.iter().enumerate().map(link).collect()
}
