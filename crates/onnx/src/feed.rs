//! From observations to a model's inputs.

use longarm_policy::remote::Resizer;
use longarm_types::{
    BoundVector, CameraImage, FormatVector, Meaning, Observation, ObservationField,
    ObservationSpec, PictureKind,
};

use crate::manifest::{Input, Manifest, Number, Order, Words, volume};
use crate::wire::Slot;

/// What must be drawn for a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Names of cameras.
    pub cameras: Vec<String>,
    /// Kinds of pictures.
    pub kinds: Vec<PictureKind>,
}

impl Wanted {
    pub(crate) fn of(manifest: &Manifest, observed: &ObservationSpec) -> Self {
        let mut wanted = Self::default();
        let all = observed.fields();
        let named = |field: &ObservationField| {
            manifest.inputs.iter().any(|i| i.fields.contains(&field.name))
        };
        for field in all.iter().filter(|f| named(f)) {
            let kind = match field.meaning {
                Meaning::Picture(kind) => kind,
                // Only what is drawn has a place in the world.
                Meaning::Intrinsics | Meaning::Extrinsics => PictureKind::Colour,
                _ => continue,
            };
            wanted.kinds.push(kind);
            wanted.cameras.extend(field.of.clone());
        }
        wanted.cameras.sort();
        wanted.cameras.dedup();
        wanted
    }
}

enum Content {
    Vectors(Vec<BoundVector>),
    Picture { camera: usize, kind: PictureKind, size: [usize; 2], order: Order },
    Intrinsics { camera: usize },
    Extrinsics { camera: usize },
    Words { how: Words, length: usize },
}

struct Fed {
    content: Content,
    number: Number,
    scale: f64,
    mean: Vec<f64>,
    std: Vec<f64>,
    shape: Vec<usize>,
    name: String,
}

/// A manifest's inputs for what is observed in an episode.
pub(crate) struct Feed {
    fed: Vec<Fed>,
    spec: ObservationSpec,
    tokens: std::collections::BTreeMap<String, i32>,
    numbers: Vec<f64>,
    resizer: Resizer,
}

impl Feed {
    /// Find what each input asks for; what is not there otherwise.
    pub(crate) fn bind(manifest: &Manifest, spec: &ObservationSpec) -> Result<Self, String> {
        let fields = spec.fields();
        let mut vectors = Vec::new();
        for v in FormatVector::native("") {
            vectors.extend(v.bind(spec)?);
        }
        let fed = manifest.inputs.iter().map(|input| {
            Fed::bind(input, spec, &fields, &vectors)
                .map_err(|e| format!("input {:?}: {e}", input.name))
        });
        Ok(Self {
            fed: fed.collect::<Result<_, _>>()?,
            spec: spec.clone(),
            tokens: manifest.tokens.clone(),
            numbers: Vec::new(),
            resizer: Resizer::default(),
        })
    }

    /// Whether it was made for this.
    pub(crate) fn is_for(&self, spec: &ObservationSpec) -> bool {
        self.spec == *spec
    }

    /// Return the inputs, in order.
    pub(crate) fn slots(&self) -> Vec<Slot> {
        let slot =
            |f: &Fed| Slot { name: f.name.clone(), number: f.number, shape: f.shape.clone() };
        self.fed.iter().map(slot).collect()
    }

    /// Append the bytes of all inputs.
    pub(crate) fn write(&mut self, seen: &Observation, out: &mut Vec<u8>) -> Result<(), String> {
        let Self { fed, spec, tokens, numbers, resizer } = self;
        for f in fed {
            numbers.clear();
            match &f.content {
                Content::Vectors(all) => {
                    all.iter().try_for_each(|v| v.append(spec, seen, numbers))?;
                }
                Content::Picture { camera, kind, size, .. } => {
                    picture(camera_of(seen, *camera)?, *kind, *size, resizer, numbers)?;
                }
                Content::Intrinsics { camera } => {
                    let c = camera_of(seen, *camera)?;
                    let flip = longarm_types::Flip::None;
                    let matrix = c.calibration.intrinsics(flip, c.width, c.height);
                    numbers.extend(matrix.iter().map(|v| f64::from(*v)));
                }
                Content::Extrinsics { camera } => {
                    let matrix = camera_of(seen, *camera)?.calibration.extrinsics();
                    numbers.extend(matrix.iter().map(|v| f64::from(*v)));
                }
                Content::Words { how, length } => {
                    match how {
                        Words::Bytes => {
                            numbers.extend(seen.instruction.bytes().map(f64::from));
                        }
                        Words::Tokens => {
                            let words = seen.instruction.split(|c: char| !c.is_alphanumeric());
                            let words = words.filter(|w| !w.is_empty()).map(str::to_lowercase);
                            let token = |w: String| tokens.get(&w).copied().unwrap_or(1);
                            numbers.extend(words.map(|w| f64::from(token(w))));
                        }
                    }
                    numbers.resize(*length, 0.0);
                }
            }
            f.append(numbers, out)?;
        }
        Ok(())
    }
}

fn camera_of(seen: &Observation, camera: usize) -> Result<&CameraImage, String> {
    seen.cameras.get(camera).ok_or_else(|| "a camera is missing from what is observed".into())
}

fn picture(
    camera: &CameraImage,
    kind: PictureKind,
    size: [usize; 2],
    resizer: &mut Resizer,
    out: &mut Vec<f64>,
) -> Result<(), String> {
    let own = [camera.height, camera.width];
    match kind {
        PictureKind::Colour if own == size => out.extend(camera.rgb.iter().map(|v| f64::from(*v))),
        PictureKind::Colour => {
            if camera.rgb.len() != own[0] * own[1] * 3 {
                return Err(format!("camera {} has no colour picture", camera.name));
            }
            let mut small = vec![0; size[0] * size[1] * 3];
            resizer.resize_with_pad(&camera.rgb, own, &mut small, size);
            out.extend(small.iter().map(|v| f64::from(*v)));
        }
        PictureKind::Depth => out.extend(camera.depth.iter().map(|v| f64::from(*v))),
        PictureKind::Segment => out.extend(camera.segment.iter().map(|v| f64::from(*v))),
        PictureKind::Normals => out.extend(camera.normals.iter().map(|v| f64::from(*v))),
    }
    Ok(())
}

impl Fed {
    fn bind(
        input: &Input,
        spec: &ObservationSpec,
        fields: &[ObservationField],
        vectors: &[BoundVector],
    ) -> Result<Self, String> {
        let (content, own, per) = match (input.instruction, input.length) {
            (Some(how), Some(length)) => (Content::Words { how, length }, vec![length], length),
            _ => observed(input, spec, fields, vectors)?,
        };
        let own_volume = volume(&own)?;
        let shape = match &input.shape {
            Some(shape) if volume(shape)? != own_volume => {
                return Err(format!("shape {shape:?} does not hold what feeds it, {own:?}"));
            }
            Some(shape) => shape.clone(),
            None => [&[1], own.as_slice()].concat(),
        };
        for (name, list) in [("mean", &input.mean), ("std", &input.std)] {
            if ![0, 1, per].contains(&list.len()) {
                let n = list.len();
                return Err(format!("{name} has {n} numbers; give 1 or {per}"));
            }
        }
        Ok(Self {
            content,
            number: input.number,
            scale: input.scale.unwrap_or(1.0),
            mean: input.mean.clone(),
            std: input.std.clone(),
            shape,
            name: input.name.clone(),
        })
    }

    /// Write numbers as the model wants them.
    fn append(&self, numbers: &[f64], out: &mut Vec<u8>) -> Result<(), String> {
        let n: usize = self.shape.iter().product();
        if numbers.len() != n {
            let have = numbers.len();
            return Err(format!("input {:?} takes {n} numbers and {have} are observed", self.name));
        }
        let of = |list: &[f64], i: usize, usual: f64| match list {
            [] => usual,
            [one] => *one,
            many => many[i % many.len()],
        };
        let value =
            |i: usize| (numbers[i] * self.scale - of(&self.mean, i, 0.0)) / of(&self.std, i, 1.0);
        let mut put = |v: f64| match self.number {
            Number::F32 => out.extend_from_slice(&(v as f32).to_le_bytes()),
            Number::U8 => out.push(v.round() as u8),
            Number::I32 => out.extend_from_slice(&(v.round() as i32).to_le_bytes()),
        };
        match &self.content {
            Content::Picture { kind, order: Order::Chw, .. } if kind.channels() > 1 => {
                let channels = kind.channels();
                for c in 0..channels {
                    (c..n).step_by(channels).for_each(|i| put(value(i)));
                }
            }
            _ => (0..n).for_each(|i| put(value(i))),
        }
        Ok(())
    }
}

/// What fields of the observation feed an input: their content, shape, and numbers per mean.
fn observed(
    input: &Input,
    spec: &ObservationSpec,
    fields: &[ObservationField],
    vectors: &[BoundVector],
) -> Result<(Content, Vec<usize>, usize), String> {
    let vector = |name: &String| vectors.iter().find(|v| v.key == *name).cloned();
    if let Some(all) = input.fields.iter().map(vector).collect::<Option<Vec<_>>>() {
        if input.size.is_some() || input.layout == Order::Chw {
            return Err("size and layout are those of a picture".into());
        }
        let n = all.iter().map(|v| v.names.len()).sum();
        return Ok((Content::Vectors(all), vec![n], n));
    }
    let unknown = |name: &&String| !fields.iter().any(|f| f.name == **name);
    if let Some(name) = input.fields.iter().find(unknown) {
        let there: Vec<_> = fields.iter().map(|f| f.name.as_str()).collect();
        let there = there.join(", ");
        return Err(format!(
            "there is no field {name:?} here; there are {there}, and CAMERA_rgb, CAMERA_depth, CAMERA_segment, CAMERA_normals of the rig's cameras"
        ));
    }
    let [name] = input.fields.as_slice() else {
        return Err("a picture or matrix feeds an input alone".into());
    };
    let field = fields.iter().find(|f| f.name == *name).ok_or("there is no such field")?;
    let camera = spec.cameras.iter().position(|c| Some(&c.name) == field.of.as_ref());
    let plain = input.size.is_none() && input.layout == Order::Hwc;
    match (field.meaning, camera) {
        (Meaning::Picture(kind), Some(camera)) => {
            if kind != PictureKind::Colour && input.size.is_some() {
                return Err("only colour pictures are resized".into());
            }
            let seen = &spec.cameras[camera];
            let size = input.size.unwrap_or([seen.height, seen.width]);
            let ([rows, columns], channels) = (size, kind.channels());
            let shape = match input.layout {
                Order::Hwc => vec![rows, columns, channels],
                Order::Chw => vec![channels, rows, columns],
            };
            Ok((Content::Picture { camera, kind, size, order: input.layout }, shape, channels))
        }
        (Meaning::Intrinsics, Some(camera)) if plain => {
            Ok((Content::Intrinsics { camera }, vec![3, 3], 9))
        }
        (Meaning::Extrinsics, Some(camera)) if plain => {
            Ok((Content::Extrinsics { camera }, vec![4, 4], 16))
        }
        _ => Err(format!("field {name:?} cannot feed it so")),
    }
}
