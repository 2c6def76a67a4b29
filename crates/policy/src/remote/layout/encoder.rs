//! Observations into messages.

use longarm_types::{BoundVector, CameraImage, FormatPictures, Observation, ObservationSpec};

use super::{
    super::{
        image::{self, Resizer},
        msgpack::Pack,
        numpy::Dtype,
    },
    Layout,
};
use crate::EpisodeInfo;

/// Writes observations by a layout.
#[derive(Debug)]
pub struct Encoder {
    /// The layout.
    pub layout: Layout,
    resizer: Resizer,
    numbers: Vec<f64>,
    /// Vectors for what is observed in the present episode.
    bound: Option<(ObservationSpec, Vec<BoundVector>)>,
}

impl Encoder {
    /// For this layout.
    pub fn new(layout: Layout) -> Self {
        Self { layout, resizer: Resizer::default(), numbers: Vec::new(), bound: None }
    }

    /// How many entries [`Encoder::write`] makes.
    pub fn entries(&self, observation: &Observation) -> usize {
        let format = &self.layout.format;
        let pictures = match format.group {
            Some(_) => 1,
            None => pictures(&format.pictures, observation),
        };
        let vectors: usize = format.vectors.iter().map(|v| v.count(&observation.limbs)).sum();
        pictures + vectors + 1 + if self.layout.extras { 3 } else { 0 }
    }

    /// Writes the keys and values of an observation; the head of the map is the caller's.
    pub fn write(
        &mut self,
        pack: &mut Pack,
        observation: &Observation,
        episode: &EpisodeInfo,
    ) -> Result<(), String> {
        let Self { layout, resizer, numbers, bound } = self;
        let format = &layout.format;
        let spec = &episode.observation;
        let (_, vectors) = match bound {
            Some(known) if known.0 == *spec => known,
            stale => stale.insert((spec.clone(), format.bind(spec)?)),
        };
        if let Some(group) = format.group {
            pack.str(group);
            pack.map(pictures(&format.pictures, observation));
        }
        let mut picture = |pack: &mut Pack, key: &str, camera: Option<&CameraImage>| {
            pack.str(key);
            image::write(pack, layout.keys, camera, &layout.prepare, format.flip, resizer)
        };
        match &format.pictures {
            FormatPictures::Keyed(keys) => {
                for (key, candidates) in keys {
                    let camera = choose(key, candidates, &layout.chosen, &observation.cameras)?;
                    picture(pack, key, camera)?;
                }
            }
            all => {
                let names: Vec<_> = observation.cameras.iter().map(|c| c.name.as_str()).collect();
                for (key, i) in all.keys(&names) {
                    picture(pack, &key, observation.cameras.get(i))?;
                }
            }
        }
        for v in vectors {
            numbers.clear();
            v.append(spec, observation, numbers)?;
            pack.str(&v.key);
            match layout.dtype {
                Dtype::F32 => layout.keys.f32(pack, numbers, &[numbers.len()]),
                _ => layout.keys.f64(pack, numbers, &[numbers.len()]),
            }
        }
        pack.str(layout.prompt);
        pack.str(&observation.instruction);
        if layout.extras {
            pack.str("step");
            pack.uint(u64::from(observation.step));
            pack.str("task");
            pack.str(episode.task.as_str());
            pack.str("policy_seed");
            pack.uint(episode.policy_seed.0);
        }
        Ok(())
    }
}

/// How many pictures are sent.
fn pictures(format: &FormatPictures, observation: &Observation) -> usize {
    match format {
        FormatPictures::Keyed(keys) => keys.len(),
        FormatPictures::All(..) | FormatPictures::ByPlace { .. } => observation.cameras.len(),
    }
}

/// The camera for a key: the user's choice, else the first candidate there is.
fn choose<'a>(
    key: &str,
    candidates: &[&str],
    chosen: &[(String, Option<String>)],
    cameras: &'a [CameraImage],
) -> Result<Option<&'a CameraImage>, String> {
    let named = |name: &str| cameras.iter().find(|c| c.name == name);
    let found = match chosen.iter().find(|(k, _)| k == key) {
        Some((_, None)) => return Ok(None),
        Some((_, Some(name))) => named(name),
        None => candidates.iter().find_map(|c| named(c)),
    };
    found.map(Some).ok_or_else(|| {
        let there: Vec<_> = cameras.iter().map(|c| c.name.as_str()).collect();
        let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        format!(
            "no camera of this robot fits {key:?} (cameras: {there}); choose one with \
             camera.{key}=NAME, or none for black"
        )
    })
}
