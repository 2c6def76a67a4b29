//! The arrays of an observation.

use longarm_sim::Env;
use longarm_types::{
    BoundVector, CloudPart, CloudSpec, FieldType, Flip, Meaning, PictureKind, PointCloud,
};

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Numbers(BoundVector),
    Picture { camera: usize, kind: PictureKind, flip: Flip },
    Intrinsics { camera: usize, flip: Flip },
    Extrinsics { camera: usize },
    Cloud { part: CloudPart, spec: CloudSpec },
    Bodies(Vec<String>),
}

/// One array of an observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Keys from the outermost dictionary inwards.
    pub path: Vec<String>,
    /// Shape for one environment.
    pub shape: Vec<usize>,
    /// What it holds, with units, in words.
    pub text: String,
    content: Content,
}

/// Where one environment's part of an array goes.
pub(super) enum FieldBuffer<'a> {
    Numbers(&'a mut [f32]),
    Bytes(&'a mut [u8]),
    Integers(&'a mut [i32]),
}

/// The pose of each object and part: position, then quaternion w x y z.
const POSE: usize = 7;

impl Field {
    /// Values per environment.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Type of its values: bytes, 32-bit integers or single-precision numbers.
    pub fn number(&self) -> FieldType {
        match &self.content {
            Content::Picture { kind, .. } => Meaning::Picture(*kind).number(),
            Content::Cloud { part, .. } => Meaning::Cloud(*part).number(),
            _ => FieldType::F32,
        }
    }

    /// Least and greatest value there can be.
    pub fn limits(&self) -> (f64, f64) {
        match &self.content {
            Content::Picture { kind: PictureKind::Colour, .. }
            | Content::Cloud { part: CloudPart::Colour, .. } => (0.0, 255.0),
            Content::Picture { kind: PictureKind::Depth, .. } => (0.0, f64::INFINITY),
            Content::Picture { kind: PictureKind::Normals, .. } => (-1.0, 1.0),
            Content::Picture { .. } | Content::Cloud { part: CloudPart::Segment, .. } => {
                (f64::from(i32::MIN), f64::from(i32::MAX))
            }
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Names of the bodies whose poses it holds.
    pub(super) fn bodies(&self) -> Option<&[String]> {
        match &self.content {
            Content::Bodies(names) => Some(names),
            _ => None,
        }
    }

    pub(super) fn numbers(vector: BoundVector) -> Self {
        let (path, shape) = (vec![vector.key.clone()], vec![vector.names.len()]);
        Self { path, shape, text: vector.text(), content: Content::Numbers(vector) }
    }

    fn of(meaning: Meaning, path: Vec<String>, shape: Vec<usize>, content: Content) -> Self {
        let text = match meaning.unit() {
            "1" => meaning.text().to_owned(),
            unit => format!("{} ({unit})", meaning.text()),
        };
        Self { path, shape, text, content }
    }

    /// A picture of a size (width, height).
    pub(super) fn picture(
        kind: PictureKind,
        path: Vec<String>,
        (width, height): (usize, usize),
        camera: usize,
        flip: Flip,
    ) -> Self {
        let shape = kind.shape(height, width);
        let content = Content::Picture { camera, kind, flip };
        let mut field = Self::of(Meaning::Picture(kind), path, shape, content);
        if flip == Flip::Vertical {
            field.text = field.text.replace("at the top", "at the bottom");
        }
        field
    }

    pub(super) fn intrinsics(path: Vec<String>, camera: usize, flip: Flip) -> Self {
        Self::of(Meaning::Intrinsics, path, vec![3, 3], Content::Intrinsics { camera, flip })
    }

    pub(super) fn extrinsics(path: Vec<String>, camera: usize) -> Self {
        Self::of(Meaning::Extrinsics, path, vec![4, 4], Content::Extrinsics { camera })
    }

    /// The lists of a point cloud.
    pub(super) fn cloud(spec: CloudSpec) -> impl Iterator<Item = Self> {
        let list = move |(part, name, width): (CloudPart, &str, usize)| {
            let path = vec!["point_cloud".to_owned(), name.to_owned()];
            let shape = [spec.points, width];
            let shape = if width > 1 { shape.to_vec() } else { shape[..1].to_vec() };
            Self::of(Meaning::Cloud(part), path, shape, Content::Cloud { part, spec })
        };
        let lists = [
            (CloudPart::Position, "xyz", 3),
            (CloudPart::Colour, "rgb", 3),
            (CloudPart::Segment, "segment", 1),
        ];
        lists.into_iter().map(list)
    }

    /// The poses of bodies.
    pub(super) fn poses(names: Vec<String>) -> Self {
        let text = "pose of each object and part: position (m), then quaternion (w, x, y, z)";
        Self {
            path: vec!["environment_state".to_owned()],
            shape: vec![names.len() * POSE],
            text: text.to_owned(),
            content: Content::Bodies(names),
        }
    }

    /// Writes what the environment last observed.
    pub(super) fn write(
        &self,
        env: &mut Env,
        found: &[Option<usize>],
        numbers: &mut Vec<f64>,
        row: &mut FieldBuffer<'_>,
    ) -> Result<(), String> {
        match (&self.content, row) {
            (Content::Numbers(vector), FieldBuffer::Numbers(out)) => {
                numbers.clear();
                vector.append(env.observation_spec(), env.last_observation(), numbers)?;
                for (to, from) in out.iter_mut().zip(numbers.iter()) {
                    *to = *from as f32;
                }
            }
            (Content::Picture { camera, flip, .. }, FieldBuffer::Bytes(out)) => {
                let image = &env.last_observation().cameras[*camera];
                flip.write(&image.rgb, image.width, out);
            }
            (
                Content::Picture { camera, kind: PictureKind::Normals, flip },
                FieldBuffer::Numbers(out),
            ) => {
                let image = &env.last_observation().cameras[*camera];
                flip.write_pixels::<_, 3>(&image.normals, image.width, out);
            }
            (Content::Picture { camera, flip, .. }, FieldBuffer::Numbers(out)) => {
                let image = &env.last_observation().cameras[*camera];
                flip.write_pixels::<_, 1>(&image.depth, image.width, out);
            }
            (Content::Picture { camera, flip, .. }, FieldBuffer::Integers(out)) => {
                let image = &env.last_observation().cameras[*camera];
                flip.write_pixels::<_, 1>(&image.segment, image.width, out);
            }
            (Content::Intrinsics { camera, flip }, FieldBuffer::Numbers(out)) => {
                let image = &env.last_observation().cameras[*camera];
                let matrix = image.calibration.intrinsics(*flip, image.width, image.height);
                out.copy_from_slice(&matrix);
            }
            (Content::Extrinsics { camera }, FieldBuffer::Numbers(out)) => {
                let image = &env.last_observation().cameras[*camera];
                out.copy_from_slice(&image.calibration.extrinsics());
            }
            (Content::Cloud { part, .. }, row) => {
                let cloud = &env.last_observation().cloud;
                write_cloud(*part, cloud, row).ok_or("a buffer is of the wrong type")?;
            }
            (Content::Bodies(_), FieldBuffer::Numbers(out)) => {
                let bodies = &env.snapshot().bodies;
                for (to, at) in out.chunks_exact_mut(POSE).zip(found) {
                    let Some(body) = at.and_then(|i| bodies.get(i)) else {
                        to.fill(0.0);
                        continue;
                    };
                    let (pos, rot) = (body.pose.pos.to_array(), body.pose.wxyz());
                    let values = pos.iter().chain(&rot).map(|v| *v as f32);
                    to.iter_mut().zip(values).for_each(|(o, v)| *o = v);
                }
            }
            _ => return Err("a buffer is of the wrong type".into()),
        }
        Ok(())
    }
}

fn write_cloud(part: CloudPart, cloud: &PointCloud, row: &mut FieldBuffer<'_>) -> Option<()> {
    match (part, row) {
        (CloudPart::Position, FieldBuffer::Numbers(out)) => {
            out.copy_from_slice(cloud.positions.as_flattened());
        }
        (CloudPart::Colour, FieldBuffer::Bytes(out)) => {
            out.copy_from_slice(cloud.colours.as_flattened())
        }
        (CloudPart::Segment, FieldBuffer::Integers(out)) => out.copy_from_slice(&cloud.segments),
        _ => return None,
    }
    Some(())
}
