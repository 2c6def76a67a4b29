//! What a fixed camera sees of everything that does not move, kept from frame to frame.
//!
//! Exact: a pixel depends on the surface seen there and on the texels of the shadow map around it.
//! It is painted again where something that moves is seen, or where the shadow of something that
//! moves may fall; everywhere else the kept one is what would come out.

use crate::camera::Camera;
use crate::frame::{Channels, Frame};
use crate::lighting::Lighting;
use crate::raster::{Plane, Rect};
use crate::renderer::Settings;
use crate::resolve::{Lengths, Stage};
use crate::scene::{Background, Instance, Material, Scene};
use crate::shadow::{Probed, ShadowMap};

/// What to do with a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PixelKind {
    /// Shade its centre.
    Single,
    /// Shade its samples one by one.
    Mixed,
    /// Leave it as it is.
    Keep,
}

/// What decides for each pixel whether a shadow can change it.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Of pixels that are shaded once.
    pub single: Vec<Probed>,
    /// Of those that are shaded sample by sample: pixel and samples, in order.
    pub mixed: Vec<(u32, [Probed; 4])>,
}

impl Notes {
    pub fn reset(&mut self, pixels: usize) {
        self.single.clear();
        self.single.resize(pixels, Probed::NEVER);
        self.mixed.clear();
    }
}

/// What all pixels of a picture hang on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub camera: Camera,
    pub channels: Channels,
    pub settings: Settings,
    pub lighting: Lighting,
    pub background: Background,
    /// Of the shadow map.
    pub generation: u64,
}

/// What decides the look of an instance that does not move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Look {
    instance: Instance,
    material: Material,
    revision: u64,
}

/// The kept picture of one camera.
#[derive(Debug, Default)]
pub(crate) struct Still {
    key: Option<Key>,
    looks: Vec<Look>,
    /// Begins with what does not move.
    pub stage: Stage,
    lengths: Lengths,
    /// Visibility of what does not move; of everything.
    kept: Vec<Plane>,
    pub planes: Vec<Plane>,
    /// Columns of each row in which these differ: first, and one after the last.
    dirty: Vec<(usize, usize)>,
    /// Colours under the shadows of what does not move, and normals.
    pub frame: Frame,
    pub notes: Notes,
}

impl Still {
    /// Puts back what was kept, to draw what moves over it. False if it is of no use.
    pub fn restore(&mut self, key: &Key, scene: &Scene) -> bool {
        if self.key.as_ref() != Some(key) || self.looks_changed(scene) {
            self.key = None;
            return false;
        }
        self.stage.truncate(&self.lengths);
        for (y, dirty) in self.dirty.iter_mut().enumerate() {
            let (from, to) = std::mem::replace(dirty, CLEAN);
            if from < to {
                for (plane, kept) in self.planes.iter_mut().zip(&self.kept) {
                    let span = y * kept.stride + from..y * kept.stride + to;
                    plane.w[span.clone()].copy_from_slice(&kept.w[span.clone()]);
                    plane.ids[span.clone()].copy_from_slice(&kept.ids[span]);
                }
            }
        }
        true
    }

    /// Keeps what has been drawn into `stage` and `planes`; colours and normals are still to be
    /// painted.
    pub fn keep(&mut self, key: Key, scene: &Scene) {
        let Camera { width, height, .. } = key.camera;
        let painted = Channels { depth: false, segment: false, ..key.channels };
        self.frame.prepare(width, height, painted);
        self.notes.reset(width * height);
        self.key = Some(key);
        self.looks.clear();
        self.looks.extend(looks(scene));
        self.lengths = self.stage.lengths();
        self.kept.clone_from(&self.planes);
        self.dirty.clear();
        self.dirty.resize(height, CLEAN);
    }

    fn looks_changed(&self, scene: &Scene) -> bool {
        !same_looks(&self.looks, scene)
    }

    /// Notes that something was drawn within `r`.
    pub fn touch(&mut self, r: Rect) {
        if r.is_empty() {
            return;
        }
        for (from, to) in &mut self.dirty[r.y0 as usize..=r.y1 as usize] {
            *from = (*from).min(r.x0 as usize);
            *to = (*to).max(r.x1 as usize + 1);
        }
    }

    /// Marks the pixels of a row that are as kept; says whether there are others.
    pub fn mark(&self, y: usize, map: &ShadowMap, kinds: &mut [PixelKind]) -> bool {
        let width = kinds.len();
        let shadows = map.generation() > 0;
        let mut any = false;
        for (kind, &note) in kinds.iter_mut().zip(&self.notes.single[y * width..]) {
            let again = shadows && map.disturbed(note);
            *kind = if again { PixelKind::Single } else { PixelKind::Keep };
            any |= again;
        }
        let mixed = &self.notes.mixed;
        let row = (y * width) as u32;
        let first = mixed.partition_point(|(pixel, _)| *pixel < row);
        for (pixel, samples) in &mixed[first..] {
            let Some(kind) = kinds.get_mut((pixel - row) as usize) else { break };
            if samples.iter().any(|&s| map.disturbed(s)) {
                *kind = PixelKind::Single;
                any = true;
            }
        }
        let (from, to) = self.dirty[y];
        let first = self.lengths.pieces as u32;
        for plane in &self.planes {
            let row = y * plane.stride;
            let columns = from..to.max(from);
            let ids = plane.ids[row..row + width].get(columns.clone()).unwrap_or_default();
            for (kind, &id) in kinds[columns.start.min(width)..].iter_mut().zip(ids) {
                // No triangle at all wraps around to 0.
                let moves = id.wrapping_add(1) > first;
                *kind = if moves { PixelKind::Single } else { *kind };
                any |= moves;
            }
        }
        any
    }
}

/// Nothing of a row.
const CLEAN: (usize, usize) = (usize::MAX, 0);

fn statics(scene: &Scene) -> impl Iterator<Item = &Instance> {
    scene.instances.iter().filter(|i| i.is_static && i.visible && scene.color(i)[3] >= 1.0)
}

/// Whether what does not move looks as it did.
pub(crate) fn same_looks(looks: &[Look], scene: &Scene) -> bool {
    let mut kept = looks.iter();
    let same = statics(scene).all(|i| {
        kept.next().is_some_and(|l| {
            l.instance == *i
                && l.revision == revision(scene, i)
                && l.material == *scene.material(i.material)
        })
    });
    same && kept.next().is_none()
}

fn revision(scene: &Scene, i: &Instance) -> u64 {
    scene.meshes[i.mesh.0 as usize].revision
}

pub(crate) fn looks(scene: &Scene) -> impl Iterator<Item = Look> {
    statics(scene).map(|i| Look {
        instance: i.clone(),
        material: scene.material(i.material).clone(),
        revision: revision(scene, i),
    })
}
