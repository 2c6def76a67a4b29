//! What can be named in a scene: objects, places, parts, and where they are.

use std::collections::BTreeSet;

use longarm_assets::{Access, Affordance, AssetInfo, PartMotion, Region};
use longarm_task::place::{PartStart, Place};
use longarm_task::{Scene, TaskSpec};
use longarm_types::DVec3;

/// What can be named in a scene.
pub struct Names<'a> {
    task: &'a TaskSpec,
    pub(super) scene: &'a Scene,
}

/// What a target means.
pub(super) enum Spot {
    /// An object as a whole.
    Object(usize),
    /// A place of an object.
    Of(usize, Region),
    /// A place on the table.
    Table(DVec3),
}

/// A name as the task language writes it.
pub(super) fn quoted(name: &str) -> String {
    let plain = name.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c));
    if plain { name.to_owned() } else { format!("'{name}'") }
}

impl<'a> Names<'a> {
    /// Name what is in a scene of a task.
    pub fn new(task: &'a TaskSpec, scene: &'a Scene) -> Self {
        Self { task, scene }
    }

    pub(super) fn info(&self, instance: usize) -> &'a AssetInfo {
        self.scene.structure.instances[instance].asset.info()
    }

    pub(super) fn name(&self, instance: usize) -> &'a str {
        &self.scene.structure.instances[instance].name
    }

    pub(super) fn instances(&self) -> std::ops::Range<usize> {
        0..self.scene.structure.instances.len()
    }

    pub(super) fn movable(&self) -> Vec<&'a str> {
        let graspable = |i: &usize| self.info(*i).affords(Affordance::Graspable);
        self.instances().filter(graspable).map(|i| self.name(i)).collect()
    }

    /// Return the places in and on objects, and those of the table.
    pub(super) fn places(&self) -> Vec<String> {
        let goes = |r: &&Region| matches!(r.access, Access::Above | Access::Front);
        let of = |i: usize| {
            let regions = self.info(i).regions.iter().filter(goes);
            regions.map(move |r| format!("{}/{}", self.name(i), r.name))
        };
        let table = self.task.regions.iter().map(|r| r.name.clone());
        self.instances().flat_map(of).chain(table).collect()
    }

    pub(super) fn parts(&self) -> Vec<String> {
        let of = |i: usize| {
            let parts = self.info(i).parts.iter().filter(|p| p.opens());
            parts.map(move |p| format!("{}/{}", self.name(i), p.name))
        };
        self.instances().flat_map(of).collect()
    }

    /// Return what a model is told that it may name.
    pub fn listed(&self) -> String {
        let noun = |name: &str| {
            let i = self.scene.instance(name);
            i.map(|i| format!("{name} ({})", self.scene.called[i])).unwrap_or_default()
        };
        let objects: Vec<String> = self.movable().into_iter().map(noun).collect();
        let open = self.open();
        let state = |p: &String| if open.contains(p) { "open" } else { "closed" };
        let parts: Vec<String> =
            self.parts().iter().map(|p| format!("{p} ({} now)", state(p))).collect();
        let line = |what: &str, all: Vec<String>| match all.is_empty() {
            true => format!("{what}: none\n"),
            false => format!("{what}: {}\n", all.join(", ")),
        };
        line("Objects that can be taken", objects)
            + &line("Places", self.places())
            + &line("Parts that open and close", parts)
    }

    /// Return the parts that are open as the scene begins.
    pub(super) fn open(&self) -> BTreeSet<String> {
        let starts = &self.task.init.parts;
        let opens = |(_, s): &&(String, PartStart)| matches!(s, PartStart::Open);
        starts.iter().filter(opens).map(|(p, _)| p.clone()).collect()
    }

    /// Return what a target of `Place` or `Pour` means.
    pub(super) fn spot(&self, target: &str) -> Option<Spot> {
        if let Some(i) = self.scene.instance(target) {
            return Some(Spot::Object(i));
        }
        if let Some((object, region)) = target.split_once('/') {
            let i = self.scene.instance(object)?;
            return Some(Spot::Of(i, self.info(i).region(region)?.clone()));
        }
        let rect = self.task.regions.iter().find(|r| r.name == target)?.rects.first()?;
        let (x0, y0, x1, y1) = (rect.0, rect.1, rect.2, rect.3);
        Some(Spot::Table(DVec3::new((x0 + x1) / 2.0, (y0 + y1) / 2.0, 0.0)))
    }

    /// Return where something is, the scene as it begins.
    pub(super) fn point(&self, spot: &Spot) -> DVec3 {
        match spot {
            Spot::Object(i) => self.info(*i).bounds.centre_in(&self.scene.poses[*i]),
            Spot::Of(i, region) => self.scene.poses[*i].point(region.pose.pos),
            Spot::Table(p) => *p,
        }
    }

    /// Return the drawer or door before a place.
    pub(super) fn door(&self, instance: usize, region: &Region) -> Option<String> {
        let info = self.info(instance);
        let path = |part: &str| format!("{}/{part}", self.name(instance));
        let drawer = region.part.as_deref().map(path);
        drawer.or_else(|| {
            let turns = |p: &&longarm_assets::Part| matches!(p.motion, PartMotion::Hinge { .. });
            let mut doors = info.parts.iter().filter(|p| p.opens()).filter(turns);
            (region.access == Access::Front).then(|| doors.next().map(|p| path(&p.name))).flatten()
        })
    }

    /// Return the closed part that an object begins behind.
    pub(super) fn behind(&self, object: &str) -> Option<String> {
        let placed = self.task.init.places.iter().find(|p| p.object == object)?;
        let Place::At(place) = &placed.place else { return None };
        match self.spot(place)? {
            Spot::Of(i, region) => self.door(i, &region),
            _ => None,
        }
    }
}
