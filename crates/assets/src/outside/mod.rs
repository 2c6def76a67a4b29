//! Objects of the user's own: an MJCF or mesh file with a small TOML beside it.
//!
//! Files are read once, from inside their folder, within [limits]. What they hold is carried by the
//! task itself, so a task with an object of one's own is complete, and its hash covers the files.

mod describe;
mod error;
mod folder;
pub mod limits;
mod packed;
mod picture;
mod shape;
mod xml;

use std::collections::BTreeMap;

use longarm_types::{Digest, Pose};
use serde::{Deserialize, Serialize};

pub use describe::ObjectFile;
pub use error::OutsideError;
pub use folder::{Folder, Source};

pub(crate) use self::folder::beside;

use self::folder::Carried;
use self::packed::Packed;
use self::shape::{Form, GeomRead, Look, Tree};
use crate::mesh::{TriMesh, read_mesh};
use crate::{Asset, AssetInfo, Geom, Joint, Mjcf, Model, Shape, Surface};

/// An object of the user's own, with the files it was made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Packed", into = "Packed")]
pub struct Custom {
    main: String,
    files: BTreeMap<String, Vec<u8>>,
    hash: Digest,
    noun: String,
    info: AssetInfo,
    tree: Tree,
    tint: Vec<String>,
    scale: f64,
    friction: Option<f64>,
}

/// Load the object described by a file: a `.toml` with its model beside it, or a mesh or MJCF file
/// alone.
pub fn load(folder: Folder, file: &str) -> Result<Asset, OutsideError> {
    let custom = Custom::read(&folder, file)?;
    Ok(custom.carrying(folder.into_files())?.into())
}

/// The object described by a file among these.
pub fn from_files(main: &str, files: BTreeMap<String, Vec<u8>>) -> Result<Asset, OutsideError> {
    let custom = Custom::read(&Carried(&files), main)?;
    Ok(custom.carrying(files)?.into())
}

impl Custom {
    fn carrying(self, files: BTreeMap<String, Vec<u8>>) -> Result<Self, OutsideError> {
        let total: usize = files.values().map(Vec::len).sum();
        if total > limits::MOST_BYTES {
            let say =
                format!("its files have {total} bytes; at most {} are read", limits::MOST_BYTES);
            return Err(OutsideError::new(&self.main, say));
        }
        let mut all = Vec::new();
        for (name, bytes) in &files {
            all.extend((name.len() as u64).to_le_bytes());
            all.extend(name.as_bytes());
            all.extend((bytes.len() as u64).to_le_bytes());
            all.extend(bytes);
        }
        Ok(Self { hash: Digest::of(&all), files, ..self })
    }

    /// Hash of the files it was made from.
    pub fn hash(&self) -> Digest {
        self.hash
    }

    /// The files it was made from, with their hashes.
    pub fn files(&self) -> impl Iterator<Item = (&str, Digest)> {
        self.files.iter().map(|(name, bytes)| (name.as_str(), Digest::of(bytes)))
    }

    fn read(source: &dyn Source, main: &str) -> Result<Self, OutsideError> {
        let ending = main.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let stem = main.rsplit('/').next().unwrap_or(main);
        let stem = stem.rsplit_once('.').map_or(stem, |(s, _)| s);
        let form: ObjectFile = match ending.as_str() {
            "toml" => {
                let bytes = source.read(main, limits::MOST_XML)?;
                let text = String::from_utf8(bytes)
                    .map_err(|_| OutsideError::new(main, "is not UTF-8"))?;
                toml::from_str(&text).map_err(|e: toml::de::Error| {
                    let before = &text[..e.span().map_or(0, |s| s.start).min(text.len())];
                    let line = 1 + before.matches('\n').count();
                    let column = 1 + before.rsplit('\n').next().unwrap_or_default().chars().count();
                    OutsideError::at(main, line, column, e.message())
                })?
            }
            "xml" | "mjcf" => alone(stem, Some(stem_file(main)), None),
            "stl" | "obj" => alone(stem, None, Some(stem_file(main))),
            _ => {
                return Err(OutsideError::new(
                    main,
                    "is not an object: use a .toml file, or an .xml, .stl or .obj file",
                ));
            }
        };
        let fail = |say: String| OutsideError::new(main, say);
        let mut tree = match (&form.model, &form.mesh) {
            (Some(model), None) => xml::Reader::read(source, &beside(main, "", model))?,
            (None, Some(mesh)) => mesh_alone(source, &beside(main, "", mesh), &form)?,
            _ => {
                return Err(fail(
                    "needs `model` (an MJCF file) or `mesh` (an .stl or .obj file)".into(),
                ));
            }
        };
        let (lo, _) = shape_span(&tree);
        let lift = if lo.abs() > 1e-9 { -lo } else { 0.0 };
        tree.lift(lift);
        for name in &form.tint {
            if !tree.all().any(|(_, g)| g.name.as_ref() == Some(name) && g.seen) {
                return Err(fail(format!("tint: no visible geom is called {name:?}")));
            }
        }
        if !limits_noun(&form.noun) {
            return Err(fail(format!("noun = {:?}: a word or a few", form.noun)));
        }
        let (mass, scale) = form.weigh(&tree).map_err(fail)?;
        let info = form.info(&tree, mass, lift).map_err(fail)?;
        Ok(Self {
            main: main.to_owned(),
            files: BTreeMap::new(),
            hash: Digest::of(b""),
            noun: form.noun,
            info,
            tree,
            tint: form.tint,
            scale,
            friction: form.friction,
        })
    }
}

fn limits_noun(noun: &str) -> bool {
    let ok = |c: char| c.is_alphanumeric() || " -'".contains(c);
    !noun.trim().is_empty() && noun.chars().count() <= 60 && noun.chars().all(ok)
}

fn stem_file(main: &str) -> String {
    main.rsplit('/').next().unwrap_or(main).to_owned()
}

fn shape_span(tree: &Tree) -> (f64, f64) {
    tree.all()
        .map(|(pose, g)| g.form.bounds(&pose))
        .fold((f64::MAX, f64::MIN), |(lo, hi), (a, b)| (lo.min(a.z), hi.max(b.z)))
}

/// The description of a model that has none.
fn alone(stem: &str, model: Option<String>, mesh: Option<String>) -> ObjectFile {
    let noun: String = stem.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    ObjectFile {
        noun: noun.trim().to_owned(),
        model,
        mesh,
        scale: None,
        colour: None,
        mass: None,
        density: None,
        friction: None,
        fixed: false,
        symmetry: 1,
        round: false,
        aligns: false,
        any_face: false,
        tint: Vec::new(),
        grasps: Vec::new(),
        regions: BTreeMap::new(),
        parts: BTreeMap::new(),
    }
}

fn mesh_alone(source: &dyn Source, path: &str, form: &ObjectFile) -> Result<Tree, OutsideError> {
    let bytes = source.read(path, limits::MOST_MESH_BYTES)?;
    let fail = |say: String| OutsideError::new(path, say);
    let scale = form.scale.unwrap_or(1.0);
    if !(scale.is_finite() && scale != 0.0) {
        return Err(fail(format!("scale = {scale}: it must be a number but zero")));
    }
    let mesh = read_mesh(path, &bytes, [scale; 3]).map_err(fail)?;
    let [r, g, b] = form.colour.unwrap_or([0.72, 0.60, 0.45]).map(|v| v.clamp(0.0, 1.0));
    let faces = mesh.triangles.len();
    let geom = GeomRead {
        name: Some("mesh".into()),
        pose: Pose::IDENTITY,
        form: Form::Mesh("mesh".into(), mesh),
        solid: true,
        seen: true,
        mass: None,
        density: 500.0,
        friction: None,
        condim: 4,
        look: Look { rgba: [r, g, b, 1.0], specular: 0.3, shininess: 0.3, texture: None },
    };
    Ok(Tree { geoms: vec![geom], faces, ..Tree::default() })
}

impl ObjectFile {
    /// The object's mass, and what the weights of its geoms are multiplied with.
    fn weigh(&self, tree: &Tree) -> Result<(f64, f64), String> {
        if self.mass.is_some() && self.density.is_some() {
            return Err("mass and density say the same; keep one".into());
        }
        let own: f64 = tree.all().map(|(_, g)| g.weight()).sum();
        let volume: f64 = tree.all().filter(|(_, g)| g.solid).map(|(_, g)| g.form.volume()).sum();
        if volume <= 0.0 {
            return Err(
                "nothing of it is solid: every geom has contype=\"0\" conaffinity=\"0\"".into()
            );
        }
        let mass = self.mass.or(self.density.map(|d| d * volume)).unwrap_or(own);
        if self.fixed {
            return Ok((0.0, if own > 0.0 { 1.0 } else { 0.0 }));
        }
        if !(0.001..=50.0).contains(&mass) {
            return Err(format!("the object weighs {mass:.4} kg; give a mass from 0.001 to 50 kg"));
        }
        if own <= 0.0 {
            return Err("its geoms weigh nothing; remove mass=\"0\" from the solid ones".into());
        }
        if let Some(f) = self.friction.filter(|f| !(0.0..=10.0).contains(f)) {
            return Err(format!("friction = {f}: it is from 0 to 10"));
        }
        Ok((mass, mass / own))
    }
}

impl Custom {
    fn shape(&self, form: &Form, out: &mut Mjcf) -> Shape {
        match form {
            Form::Box(h) => Shape::Box(*h),
            Form::Sphere(r) => Shape::Sphere(*r),
            Form::Cylinder(r, h) => Shape::Cylinder(*r, *h),
            Form::Capsule(r, h) => Shape::Capsule(*r, *h),
            Form::Ellipsoid(h) => Shape::Ellipsoid(*h),
            Form::Mesh(name, mesh) => out.mesh(&self.id(name), || TriMesh::clone(mesh)),
        }
    }

    /// A name in the model that no other object's files can have.
    fn id(&self, name: &str) -> String {
        let word: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let tag = Digest::of(name.as_bytes()).short();
        format!("own_{}_{word}_{tag}", self.hash.short())
    }

    fn surface(&self, look: &Look, out: &mut Mjcf) -> Surface {
        let Some(path) = &look.texture else { return Surface::Rgba(look.rgba) };
        let id = self.id(path);
        if let Some(p) = self.tree.pictures.get(path) {
            out.picture(&id, p.width, p.height, &p.rgb);
        }
        let (s, h) = (look.specular, look.shininess);
        let attributes = format!("texture=\"{id}\" specular=\"{s}\" shininess=\"{h}\"");
        out.material(&id, look.rgba, &attributes)
    }

    fn geoms(&self, geoms: &[GeomRead], name: &str, tints: &mut usize, out: &mut Mjcf) {
        for g in geoms {
            let shape = self.shape(&g.form, out);
            if g.solid {
                let mut geom = Geom::solid(shape.clone()).at(g.pose).mass(g.weight() * self.scale);
                if let Some(f) = self.friction.map(|f| [f, 0.005, 0.0001]).or(g.friction) {
                    geom = geom.friction(f);
                }
                if g.condim != 4 {
                    geom = geom.with(&format!("condim=\"{}\"", g.condim));
                }
                out.geom(geom);
            }
            if g.seen {
                let tinted = g.name.as_ref().is_some_and(|n| self.tint.contains(n));
                if tinted {
                    let [r, green, b, _] = g.look.rgba;
                    let geom = Geom::visual(shape, Surface::rgb([r, green, b])).at(g.pose);
                    out.geom(geom.named(format!("{name}/tint{tints}")));
                    *tints += 1;
                } else {
                    let surface = self.surface(&g.look, out);
                    out.geom(Geom::visual(shape, surface).at(g.pose));
                }
            }
        }
    }
}

impl Model for Custom {
    fn noun(&self) -> &str {
        &self.noun
    }

    fn info(&self) -> AssetInfo {
        self.info.clone()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        let mut tints = 0;
        out.open(name, &Pose::IDENTITY);
        if !self.info.fixed {
            out.free(name);
        }
        self.geoms(&self.tree.geoms, name, &mut tints, out);
        for p in &self.tree.parts {
            let body = format!("{name}/{}", p.name);
            out.open(&body, &p.pose);
            out.joint(&Joint {
                name: format!("{body}_joint"),
                hinge: p.joint.hinge,
                axis: p.joint.axis,
                pos: p.joint.pos,
                range: p.joint.range,
                damping: p.joint.damping,
                armature: p.joint.armature,
                frictionloss: p.joint.frictionloss,
            });
            self.geoms(&p.geoms, name, &mut tints, out);
            out.close();
            out.section("contact", &format!("<exclude body1=\"{name}\" body2=\"{body}\"/>"));
        }
        out.close();
    }
}
