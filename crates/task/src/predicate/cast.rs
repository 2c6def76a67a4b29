//! Who is in a scene, and what a name means there.

use std::collections::BTreeMap;
use std::sync::Arc;

use longarm_assets::matter::{Laid, Matter};
use longarm_assets::{Asset, AssetInfo, Bodies, Region, RegionKind};
use longarm_types::{Bounds, DVec3, Pose, hint};

use crate::scene::part_pose;
use crate::{
    Alias, BodyId, LimbId, Meanings, RegionSpec, Scene, Snapshot, SoftForm, SoftKind, SoftState,
    SpecError, TaskSpec,
};

/// The names of a task, resolved for one scene.
#[derive(Clone, Debug)]
pub struct Bound {
    pub(super) task: String,
    pub(super) cast: Vec<Member>,
    regions: Vec<RegionSpec>,
    pub(super) groups: BTreeMap<String, Vec<String>>,
    names: Vec<String>,
    aliases: BTreeMap<String, Alias>,
    /// What the aliases stand for.
    meanings: Meanings,
    /// Names of the rig's limbs.
    limbs: Vec<String>,
    /// Height above which nothing counts as placed.
    pub(super) ceiling: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Member {
    pub name: String,
    pub noun: String,
    pub info: AssetInfo,
    /// `None` when it is not in this scene.
    pub body: Option<BodyId>,
    pub start: Pose,
    pub starts_on: BodyId,
}

/// What a name refers to.
#[derive(Clone, Copy)]
pub(super) enum Referent<'a> {
    Object(&'a Member),
    Part(&'a Member, usize),
    Region(&'a Member, &'a Region),
    Table(&'a RegionSpec),
}

impl Bound {
    /// Resolves the names of a task in a scene sampled from it.
    pub fn new(spec: &TaskSpec, scene: &Scene) -> Result<Self, SpecError> {
        let spec = &*spec.instance(scene.seed);
        let mut bound = Self::empty(spec);
        let cast = scene.structure.instances.iter().map(|i| (i.name.as_str(), &i.asset));
        let bodies = Bodies::of(cast);
        for o in &spec.objects {
            let i = scene.instance(&o.name);
            let asset = match i {
                Some(i) => &scene.structure.instances[i].asset,
                None => o.assets.first().ok_or_else(|| bound.no_asset(&o.name))?,
            };
            let start = i.map_or(Pose::IDENTITY, |i| scene.poses[i]);
            let on = i.map_or(0, |i| scene.starts_on[i]);
            bound.add(&o.name, asset, i.map(|i| bodies.object(i)), start, on);
        }
        bound.meanings = spec.meanings(&scene.variables);
        bound.name(&bodies);
        Ok(bound)
    }

    /// Every object there, each being its `choice`-th asset and every alias meaning its `choice`-th
    /// alternative: what validation binds against.
    pub(crate) fn for_choice(spec: &TaskSpec, choice: usize) -> Result<Self, SpecError> {
        let mut bound = Self::empty(spec);
        let mut cast = Vec::new();
        for o in &spec.objects {
            let asset = o.assets.get(choice).or(o.assets.last());
            cast.push((o.name.as_str(), asset.ok_or_else(|| bound.no_asset(&o.name))?));
        }
        let bodies = Bodies::of(cast.iter().copied());
        for (i, (name, asset)) in cast.into_iter().enumerate() {
            bound.add(name, asset, Some(bodies.object(i)), Pose::IDENTITY, 0);
        }
        bound.meanings = Meanings::of(&spec.aliases, |_| Some(choice));
        bound.name(&bodies);
        Ok(bound)
    }

    fn empty(spec: &TaskSpec) -> Self {
        let rig = spec.rig();
        Self {
            task: spec.id.to_string(),
            cast: Vec::new(),
            regions: spec.regions.clone(),
            groups: spec.groups.clone(),
            names: Vec::new(),
            aliases: spec.aliases.clone(),
            meanings: Meanings::default(),
            limbs: rig.limb_names(),
            ceiling: rig.workspace.centre[2] + rig.workspace.half[2],
        }
    }

    fn no_asset(&self, name: &str) -> SpecError {
        SpecError::NoAsset { task: self.task.clone(), name: name.to_owned() }
    }

    fn name(&mut self, bodies: &Bodies) {
        self.names = bodies.as_slice().iter().map(|b| b.name.clone()).collect();
    }

    fn add(
        &mut self,
        name: &str,
        asset: &Asset,
        body: Option<BodyId>,
        start: Pose,
        starts_on: BodyId,
    ) {
        let (noun, info) = (asset.noun().to_owned(), asset.info().clone());
        self.cast.push(Member { name: name.to_owned(), noun, info, body, start, starts_on });
    }

    /// The bodies of an object, or the one body of a part.
    pub(super) fn bodies_of(&self, body: BodyId) -> (BodyId, BodyId) {
        let whole = self.cast.iter().find(|m| m.body == Some(body));
        (body, whole.map_or(body, |m| body + m.info.parts.len()))
    }

    /// Names of the bodies, by id, as in `longarm_assets::compose`.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many bodies there are, the world included.
    pub fn bodies(&self) -> usize {
        self.names.len()
    }

    /// The body of an object or part; `None` if it is not in this scene or not a body.
    pub fn body(&self, path: &str) -> Option<BodyId> {
        let path = &*self.meanings.path(path);
        self.names.iter().position(|n| n == path)
    }

    /// What the aliases of the task stand for here.
    pub fn meanings(&self) -> &Meanings {
        &self.meanings
    }

    /// Every way to read what mentions these names: one per combination of what the aliases among them may
    /// stand for.
    pub(crate) fn readings(&self, mentioned: &[String]) -> Vec<Self> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, alias) in self.aliases.iter().filter(|(name, _)| mentioned.contains(name)) {
            counts.insert(&alias.variable, alias.of.len());
        }
        let mut choices: Vec<BTreeMap<&str, usize>> = vec![BTreeMap::new()];
        for (variable, n) in counts {
            let mut more = Vec::new();
            for choice in &choices {
                for k in 0..n {
                    let mut choice = choice.clone();
                    choice.insert(variable, k);
                    more.push(choice);
                }
            }
            choices = more;
        }
        let read = |c: &BTreeMap<&str, usize>| Self {
            meanings: Meanings::of(&self.aliases, |a| c.get(a.variable.as_str()).copied()),
            ..self.clone()
        };
        choices.iter().map(read).collect()
    }

    /// What an object can do.
    pub fn info(&self, object: &str) -> Option<&AssetInfo> {
        self.cast.iter().find(|m| m.name == object).map(|m| &m.info)
    }

    /// The members of a group that are in this scene, or the object itself.
    pub fn members(&self, name: &str) -> Vec<String> {
        match self.groups.get(name) {
            Some(g) => g.iter().filter(|m| self.body(m).is_some()).cloned().collect(),
            None => vec![self.meanings.path(name).into_owned()],
        }
    }

    /// The body that owns the object, part or object's region at this path.
    pub fn owner(&self, path: &str) -> Option<BodyId> {
        match self.resolve(path).ok()? {
            Referent::Object(m) => m.body,
            Referent::Part(m, p) => m.body.map(|b| b + 1 + p),
            Referent::Region(m, r) => region_body(m, r),
            Referent::Table(_) => Some(0),
        }
    }

    /// The moment before the first step, as the scene was drawn: everything at rest, hand far away.
    pub fn start(&self, scene: &Scene) -> Snapshot {
        let mut s = Snapshot::empty(self.bodies(), &self.limbs);
        for hand in &mut s.hands {
            hand.pose = Pose::at(0.0, 0.0, 2.0);
        }
        for (i, (inst, pose)) in scene.structure.instances.iter().zip(&scene.poses).enumerate() {
            let Some(id) = self.body(&inst.name) else { continue };
            s.bodies[id].pose = *pose;
            for (p, part) in inst.asset.info().parts.iter().enumerate() {
                let value = scene.part_value(i, &part.name);
                s.bodies[id + 1 + p].pose = *pose * part_pose(part, value);
                s.joints[id + 1 + p] = value;
            }
            s.soft.extend(laid_flat(id, inst.asset.info(), pose));
            let on = scene.starts_on[i];
            s.rests_on.set(id, on, true);
            s.touching.set(id, on, true);
            s.touching.set(on, id, true);
        }
        s
    }

    /// How many limbs the rig has.
    pub fn limbs(&self) -> usize {
        self.limbs.len()
    }

    /// The limb of this name.
    pub fn limb(&self, name: &str) -> Result<LimbId, SpecError> {
        self.limbs.iter().position(|l| l == name).ok_or_else(|| SpecError::Unknown {
            task: self.task.clone(),
            kind: "limb",
            name: name.to_owned(),
            hint: hint(name, self.limbs.iter().map(String::as_str)),
        })
    }

    pub(super) fn resolve(&self, path: &str) -> Result<Referent<'_>, SpecError> {
        let meant = self.meanings.path(path);
        let path = &*meant;
        if let Some(m) = self.cast.iter().find(|m| m.name == path) {
            return Ok(Referent::Object(m));
        }
        if let Some(r) = self.regions.iter().find(|r| r.name == path) {
            return Ok(Referent::Table(r));
        }
        let unknown = |kind, hint| SpecError::Unknown {
            task: self.task.clone(),
            kind,
            name: path.to_owned(),
            hint,
        };
        let Some((object, rest)) = path.split_once('/') else {
            let known = self.cast.iter().map(|m| m.name.as_str());
            let known = known.chain(self.regions.iter().map(|r| r.name.as_str()));
            let known = known.chain(self.groups.keys().map(String::as_str));
            return Err(unknown("object or region", hint(path, known)));
        };
        let Some(m) = self.cast.iter().find(|m| m.name == object) else {
            return Err(unknown("object", hint(object, self.cast.iter().map(|m| m.name.as_str()))));
        };
        if let Some(p) = m.info.parts.iter().position(|p| p.name == rest) {
            return Ok(Referent::Part(m, p));
        }
        if let Some(r) = m.info.region(rest) {
            return Ok(Referent::Region(m, r));
        }
        let known = m.info.parts.iter().map(|p| p.name.as_str());
        let known = known.chain(m.info.regions.iter().map(|r| r.name.as_str()));
        Err(unknown("part or region", hint(rest, known)))
    }

    pub(super) fn wrong(&self, name: &str, wanted: &'static str, place: &'static str) -> SpecError {
        SpecError::WrongKind { task: self.task.clone(), name: name.to_owned(), wanted, place }
    }

    /// Refuses what does not move.
    pub(crate) fn movable(&self, name: &str, place: &'static str) -> Result<(), SpecError> {
        for name in self.groups.get(name).map_or(&[name.to_owned()][..], Vec::as_slice) {
            if let Referent::Object(m) = self.resolve(name)?
                && m.info.fixed
            {
                return Err(self.wrong(name, "something that can be moved", place));
            }
        }
        Ok(())
    }
}

/// Particles, and cloth that begins spread out.
fn laid_flat(body: BodyId, info: &AssetInfo, pose: &Pose) -> Option<SoftState> {
    let fabric = match info.matter.as_deref() {
        Some(Matter::Fabric(fabric)) if fabric.laid == Laid::Flat => fabric,
        Some(Matter::Bulk(bulk)) => {
            let rest: Vec<DVec3> = bulk.places.iter().map(|p| DVec3::from(*p)).collect();
            let points = rest.iter().map(|p| pose.point(*p)).collect();
            let kind = SoftKind::Particles { material: vec![0; rest.len()] };
            let form = Arc::new(SoftForm { rest, radius: bulk.spacing / 2.0, kind });
            return Some(SoftState { body, form, points, speed: 0.0 });
        }
        _ => return None,
    };
    let rest: Vec<DVec3> = fabric.cut.corners.iter().map(|c| DVec3::from(*c)).collect();
    let points = rest.iter().map(|p| pose.point(*p) + DVec3::Z * fabric.radius).collect();
    let kind = SoftKind::Sheet { triangles: fabric.cut.triangles.clone() };
    let form = Arc::new(SoftForm { rest, radius: fabric.radius, kind });
    Some(SoftState { body, form, points, speed: 0.0 })
}

pub(super) fn region_body(m: &Member, r: &Region) -> Option<BodyId> {
    let part = match &r.part {
        None => 0,
        Some(name) => 1 + m.info.parts.iter().position(|p| p.name == *name)?,
    };
    Some(m.body? + part)
}

pub(super) fn half_z(r: &Region) -> f64 {
    Bounds { centre: [0.0; 3], half: r.half }.half_in(&r.pose).z
}

/// The middle of a region's floor, in the frame it moves with.
pub(crate) fn floor(r: &Region) -> DVec3 {
    let down = if r.kind == RegionKind::Volume { half_z(r) } else { 0.0 };
    r.pose.pos - DVec3::Z * down
}

/// An object's own region of a kind, not one that moves with a part.
pub(super) fn own_region(info: &AssetInfo, kind: RegionKind) -> Option<&Region> {
    info.regions.iter().find(|r| r.part.is_none() && r.kind == kind)
}

/// Where others stand on an object, in its frame.
pub(crate) fn surface_point(info: &AssetInfo) -> DVec3 {
    let own = |k| own_region(info, k);
    match own(RegionKind::Surface).or_else(|| own(RegionKind::Volume)) {
        Some(r) => floor(r),
        None => DVec3::from(info.bounds.centre) + DVec3::Z * info.bounds.half[2],
    }
}
