//! What is drawn once everything has its place: colours, speeds, words.

use longarm_assets::{Colour, Instance, Structure, Tint};

use super::{Draw, Placed};
use crate::{Paint, SampleError, Scene, template};

impl Draw<'_> {
    pub(super) fn finish(self, placed: Vec<Placed>) -> Result<Scene, SampleError> {
        let tints = self.tints()?;
        let belts = self.spec.init.belts.iter().filter_map(|(name, [lo, hi])| {
            let i = self.index(name)?;
            Some((i, self.seed.stream(&format!("belt/{name}")).range(*lo, *hi)))
        });
        let mut scene = Scene {
            seed: self.seed,
            poses: placed.iter().map(|p| p.pose).collect(),
            starts_on: placed.iter().map(|p| p.on).collect(),
            belts: belts.collect(),
            tints,
            called: self.instances.iter().map(|i| i.name.clone()).collect(),
            parts: self.parts,
            lines: self.lines,
            variables: self.variables,
            instruction: String::new(),
            structure: Structure { rig: self.spec.rig(), instances: self.instances },
        };
        let called: Vec<String> = scene
            .structure
            .instances
            .iter()
            .map(|i| {
                let template = self.spec.object(&i.name).and_then(|o| o.called.as_ref());
                template
                    .map_or_else(|| usual_name(&scene.structure.instances, i), |t| fill(t, &scene))
            })
            .collect();
        scene.called = called;
        scene.instruction = fill(&self.spec.instruction, &scene);
        Ok(scene)
    }

    fn tints(&self) -> Result<Vec<Tint>, SampleError> {
        let mut out: Vec<Option<Tint>> = vec![None; self.instances.len()];
        // Each pass settles those whose references are settled; cycles are refused by validation.
        for _ in 0..=out.len() {
            for i in 0..out.len() {
                if out[i].is_none() {
                    out[i] = self.tint(i, &out)?;
                }
            }
        }
        Ok(out.into_iter().map(|t| t.unwrap_or(Tint::Own)).collect())
    }

    fn tint(&self, i: usize, known: &[Option<Tint>]) -> Result<Option<Tint>, SampleError> {
        let name = &self.instances[i].name;
        let paint = self.spec.object(name).map(|o| &o.paint);
        Ok(match paint {
            None | Some(Paint::Own) => Some(Tint::Own),
            Some(Paint::SameAs(other)) => match self.index(other) {
                Some(j) => known[j],
                None => Some(Tint::Own),
            },
            Some(Paint::OneOf { colours, unlike }) => {
                let others: Vec<_> = unlike.iter().filter_map(|n| self.index(n)).collect();
                if others.iter().any(|j| known[*j].is_none()) {
                    return Ok(None);
                }
                let taken: Vec<Colour> = others
                    .iter()
                    .filter_map(|j| match known[*j] {
                        Some(Tint::Named(c)) => Some(c),
                        _ => None,
                    })
                    .collect();
                let mut order = colours.clone();
                self.seed.stream(&format!("colour/{name}")).shuffle(&mut order);
                let free = order.into_iter().find(|c| !taken.contains(c));
                Some(Tint::Named(free.ok_or_else(|| SampleError::NoColourLeft {
                    task: self.spec.id.to_string(),
                    seed: self.seed,
                    object: name.clone(),
                })?))
            }
        })
    }
}

/// What sentences call an object that its task has no words for.
fn usual_name(all: &[Instance], own: &Instance) -> String {
    let noun = own.asset.noun();
    let alike = all.iter().filter(|o| o.asset.noun() == noun).count();
    template::usual_name(&own.name, noun, alike)
}

/// What readers are told of a body, the same whatever is drawn for it.
pub(crate) fn reader_name(scene: &Scene, path: &str) -> String {
    let (object, part) = path.split_once('/').map_or((path, None), |(o, p)| (o, Some(p)));
    let all = &scene.structure.instances;
    match scene.instance(object) {
        Some(i) => template::phrase(&usual_name(all, &all[i]), part),
        None => path.to_owned(),
    }
}

/// Fills a template from a scene.
pub(crate) fn fill(text: &str, scene: &Scene) -> String {
    template::render(text, &|name, property| {
        if property.is_none()
            && let Some(v) = scene.variables.get(name)
        {
            return Some(v.to_string());
        }
        let i = scene.instance(name)?;
        match property {
            None => Some(scene.called[i].clone()),
            Some("noun") => Some(scene.structure.instances[i].asset.noun().to_owned()),
            Some("colour") => Some(match scene.tints[i] {
                Tint::Named(c) => c.name().to_owned(),
                Tint::Own => String::new(),
            }),
            Some(_) => None,
        }
    })
}
