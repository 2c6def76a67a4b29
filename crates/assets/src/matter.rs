//! What soft assets are made of, as data; a simulator makes media of it.

use std::sync::Arc;

/// Matter that is not rigid. An asset made of it has an empty body in the model, unless MuJoCo simulates it.
#[derive(Clone, Debug, PartialEq)]
pub enum Matter {
    /// Cloth.
    Fabric(Fabric),
    /// A rope, which MuJoCo bends: the flex with the object's name.
    Strand(Strand),
    /// A block that takes its shape again, which MuJoCo deforms: the flex with the object's name.
    Foam(Foam),
    /// Liquid, clay or sand.
    Bulk(Bulk),
}

/// A piece of cloth.
#[derive(Clone, Debug, PartialEq)]
pub struct Fabric {
    /// The piece as it is cut, lying in the plane z = 0 of the asset's frame.
    pub cut: Arc<Cut>,
    /// Mass per area, kg/m².
    pub density: f64,
    /// Half its thickness, metres.
    pub radius: f64,
    /// Bending rigidity, N·m.
    pub bending: f64,
    /// Coefficient of friction between layers.
    pub friction: f64,
    /// How it lies at the start.
    pub laid: Laid,
    /// Fingers that close over it gather it between them, whatever contact alone would do.
    pub gathers: bool,
    /// Its colour where the scene gives it none.
    pub rgb: [f32; 3],
    /// What is woven into it; multiplies the colour.
    pub weave: Option<Arc<Picture>>,
}

/// The mesh of a piece of cloth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut {
    /// Corners.
    pub corners: Vec<[f64; 3]>,
    /// Triangles by their corners.
    pub triangles: Vec<[u32; 3]>,
    /// Pairs of corners across the threads, which give more than those along them.
    pub diagonals: Vec<[u32; 2]>,
    /// Where the weave lies on each corner.
    pub uvs: Vec<[f32; 2]>,
}

/// How cloth lies when an episode begins.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Laid {
    /// Spread out.
    #[default]
    Flat,
    /// As it comes to lie when it is dropped from this height by a point that the seed draws.
    Dropped {
        /// Height of its lowest point, metres.
        height: f64,
    },
    /// Folded along a line across y: what was cut below it lies on the rest.
    Folded {
        /// Where the line is along y of the piece as cut, metres; moved to the nearest row of its corners.
        at: f64,
    },
}

impl Laid {
    pub(crate) fn is_flat(&self) -> bool {
        *self == Self::Flat
    }
}

/// A picture in colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Red, green and blue of each pixel, row by row.
    pub rgb: Vec<u8>,
}

impl Fabric {
    /// Return its mass, kilograms.
    pub fn mass(&self) -> f64 {
        let corner = |v: u32| glam::DVec3::from(self.cut.corners[v as usize]);
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(corner);
            (b - a).cross(c - a).length() / 2.0
        };
        self.density * self.cut.triangles.iter().map(area).sum::<f64>()
    }
}

impl Cut {
    /// Return the corner nearest to a point of the plane it is cut in.
    pub fn nearest(&self, [x, y]: [f64; 2]) -> u32 {
        let off = |c: &[f64; 3]| (c[0] - x) * (c[0] - x) + (c[1] - y) * (c[1] - y);
        let all = self.corners.iter().enumerate();
        all.min_by(|a, b| off(a.1).total_cmp(&off(b.1))).map_or(0, |(i, _)| i as u32)
    }

    /// Return where corners lie when the piece is folded, layers this far apart, what was cut below the line on top.
    pub fn folded(&self, at: f64, apart: f64) -> Vec<[f64; 3]> {
        let crease = self.corners.iter().map(|c| c[1]).fold(f64::MAX, |best: f64, y| {
            if (y - at).abs() < (best - at).abs() { y } else { best }
        });
        let off = |c: &[f64; 3]| (c[1] - crease).abs();
        let cell = self.corners.iter().map(off).filter(|d| *d > 1e-9).fold(f64::MAX, f64::min);
        let place = |c: &[f64; 3]| {
            // The row in the crease lies between the layers, so threads keep their length.
            let side = ((crease - c[1]) / cell).clamp(-1.0, 1.0);
            [c[0], crease + off(c), c[2] + apart * (0.5 + 0.5 * side)]
        };
        self.corners.iter().map(place).collect()
    }

    /// Cut a piece out of a grid of square cells: `inside` decides on each cell by its middle.
    ///
    /// The grid has `cells` cells about the origin, each `edge` wide.
    pub fn of_cells(cells: [usize; 2], edge: f64, inside: impl Fn([f64; 2]) -> bool) -> Self {
        let [nx, ny] = cells;
        let (x0, y0) = (-0.5 * nx as f64 * edge, -0.5 * ny as f64 * edge);
        let mut cut = Self::default();
        let mut at = vec![u32::MAX; (nx + 1) * (ny + 1)];
        let mut corner = |cut: &mut Self, i: usize, j: usize| {
            let slot = &mut at[j * (nx + 1) + i];
            if *slot == u32::MAX {
                *slot = cut.corners.len() as u32;
                cut.corners.push([x0 + i as f64 * edge, y0 + j as f64 * edge, 0.0]);
                cut.uvs.push([i as f32 / nx as f32, j as f32 / ny as f32]);
            }
            *slot
        };
        for j in 0..ny {
            for i in 0..nx {
                if !inside([x0 + (i as f64 + 0.5) * edge, y0 + (j as f64 + 0.5) * edge]) {
                    continue;
                }
                let [a, b, c, d] = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                    .map(|(i, j)| corner(&mut cut, i, j));
                cut.diagonals.extend([[a, c], [b, d]]);
                // Triangles alternate, so that neither diagonal is favoured.
                cut.triangles.extend(if (i + j) % 2 == 0 {
                    [[a, b, c], [a, c, d]]
                } else {
                    [[a, b, d], [b, c, d]]
                });
            }
        }
        cut
    }
}

impl Matter {
    /// Whether MuJoCo simulates it.
    pub fn is_flex(&self) -> bool {
        matches!(self, Self::Strand(_) | Self::Foam(_))
    }
}

/// A rope along x of the asset's frame, about its origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Strand {
    /// Full length, metres.
    pub length: f64,
    /// Links between nodes.
    pub links: usize,
    /// Half its thickness, metres.
    pub radius: f64,
    /// How far its direction turns along it when it is laid down, radians: from the first to the second value.
    pub curl: [f64; 2],
}

/// A soft block that stands on the asset's origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Foam {
    /// Half its size, metres.
    pub half: [f64; 3],
    /// Points along each side.
    pub points: [usize; 3],
    /// How far its surface is from its points, metres.
    pub radius: f64,
}

/// Liquid, clay or sand: particles.
#[derive(Clone, Debug, PartialEq)]
pub struct Bulk {
    /// Which of them.
    pub kind: BulkKind,
    /// Mass per volume, kg/m³.
    pub density: f64,
    /// Distance of particles at rest, metres.
    pub spacing: f64,
    /// Where particles begin, in the frame of the asset.
    pub places: Arc<Vec<[f64; 3]>>,
    /// Its colour where the scene gives it none.
    pub rgb: [f32; 3],
    /// Strength of its highlight, 0–1.
    pub gloss: f32,
}

/// What particles are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BulkKind {
    /// A liquid.
    Liquid {
        /// Share of the neighbours' velocity that a particle takes over in a millisecond.
        viscosity: f64,
    },
    /// Clay or dough, which stays as it was pressed.
    Clay {
        /// Young's modulus, pascals.
        young: f64,
        /// Stress at which it gives way, pascals.
        yields: f64,
    },
    /// Sand, rice, flour.
    Sand {
        /// Young's modulus, pascals.
        young: f64,
        /// Angle of inner friction, radians.
        friction: f64,
    },
}

impl Bulk {
    /// Return its mass, kilograms.
    pub fn mass(&self) -> f64 {
        let d = self.spacing;
        self.density * d * d * d * self.places.len() as f64
    }
}

/// Return places for particles in an upright round column that stands on the origin.
pub fn column(radius: f64, depth: f64, spacing: f64) -> Vec<[f64; 3]> {
    let around = libm::ceil(radius / spacing) as i32;
    let layers = libm::round(depth / spacing).max(1.0) as i32;
    let mut places = Vec::new();
    for z in 0..layers {
        for y in -around..around {
            for x in -around..around {
                let [x, y, z] = [x, y, z].map(|k| (f64::from(k) + 0.5) * spacing);
                if x * x + y * y <= radius * radius {
                    places.push([x, y, z]);
                }
            }
        }
    }
    places
}

/// Return places for particles in an upright box about the z axis that stands on the origin: those that `inside` keeps.
pub fn filled(size: [f64; 3], spacing: f64, inside: impl Fn([f64; 3]) -> bool) -> Vec<[f64; 3]> {
    let [nx, ny, nz] = size.map(|s| libm::round(s / spacing).max(1.0) as usize);
    let mut places = Vec::with_capacity(nx * ny * nz);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let middle = |k: usize, n: usize| (k as f64 + 0.5 - 0.5 * n as f64) * spacing;
                let at = [middle(x, nx), middle(y, ny), (z as f64 + 0.5) * spacing];
                if inside(at) {
                    places.push(at);
                }
            }
        }
    }
    places
}
