//! A subset of MJCF that describes one object: what is not on the list is refused.
//!
//! Nothing of the user's text reaches MuJoCo. What is read here are checked numbers, meshes and
//! pictures; the engine's own writer puts them into the model, so plug-ins, includes of other
//! files, sizes without bound and names that clash cannot.

mod bodies;
mod numbers;

use std::collections::BTreeMap;

use longarm_types::Pose;
use roxmltree::{Document, Node, ParsingOptions};

use super::folder::{Source, beside};
use super::limits::{MOST_DEPTH, MOST_ELEMENTS, MOST_FILES, MOST_XML};
use super::shape::Tree;
use super::{OutsideError, limits};
use crate::mesh::TriMesh;

use self::bodies::Placed;
use self::numbers::numbers;

type Result<T, E = OutsideError> = std::result::Result<T, E>;
type Attributes = BTreeMap<String, String>;

/// Elements, and their attributes.
const ALLOWED: &[(&str, &[&str])] = &[
    ("mujoco", &["model"]),
    ("include", &["file"]),
    ("compiler", &["angle", "meshdir", "texturedir", "assetdir", "autolimits", "eulerseq"]),
    ("default", &["class"]),
    ("asset", &[]),
    ("mesh", &["name", "file", "scale", "class"]),
    ("texture", &["name", "type", "file"]),
    ("material", &["name", "class", "rgba", "texture", "specular", "shininess"]),
    ("worldbody", &[]),
    ("body", &["name", "pos", "quat", "axisangle", "euler", "childclass"]),
    ("geom", GEOM),
    ("joint", JOINT),
    ("freejoint", &["name"]),
    (
        "site",
        &["name", "class", "pos", "quat", "euler", "axisangle", "size", "type", "rgba", "group"],
    ),
];

const GEOM: &[&str] = &[
    "name",
    "class",
    "type",
    "size",
    "pos",
    "quat",
    "axisangle",
    "euler",
    "fromto",
    "rgba",
    "material",
    "mesh",
    "mass",
    "density",
    "friction",
    "condim",
    "contype",
    "conaffinity",
    "group",
    "solref",
    "solimp",
];

const JOINT: &[&str] = &[
    "name",
    "class",
    "type",
    "axis",
    "pos",
    "range",
    "limited",
    "damping",
    "armature",
    "frictionloss",
];

/// What to do about an element that is not allowed.
fn remedy(element: &str) -> &'static str {
    match element {
        "plugin" | "extension" => "plug-ins are never loaded; remove it",
        "replicate" => "write the copies out",
        "flexcomp" | "flex" | "composite" | "skin" => {
            "soft bodies are not read from files; remove it"
        }
        "hfield" => "height fields are not read; use a mesh or boxes",
        "inertial" => {
            "remove it: inertia follows from the geoms, and the object's file gives the mass"
        }
        "option" | "visual" | "statistic" | "size" | "keyframe" | "custom" | "sensor" => {
            "it belongs to a whole model, not to an object; remove it"
        }
        "actuator" | "tendon" | "equality" | "contact" => {
            "an object is not driven; remove it, parts move when a hand moves them"
        }
        "light" | "camera" => "lights and cameras belong to the rig; remove it",
        "model" | "attach" | "frame" => "write the bodies out",
        _ => "remove it",
    }
}

pub(super) struct Reader<'a> {
    source: &'a dyn Source,
    degrees: bool,
    meshdir: String,
    texturedir: String,
    euler: String,
    classes: BTreeMap<String, BTreeMap<String, Attributes>>,
    meshes: BTreeMap<String, MeshEntry>,
    textures: BTreeMap<String, String>,
    materials: BTreeMap<String, Attributes>,
    elements: usize,
    files: usize,
    pub tree: Tree,
}

struct MeshEntry {
    path: String,
    scale: [f64; 3],
    read: Option<TriMesh>,
}

/// Where an element is.
struct XmlSource<'d> {
    file: &'d str,
    doc: &'d Document<'d>,
}

impl XmlSource<'_> {
    fn error(&self, node: Node<'_, '_>, say: impl Into<String>) -> OutsideError {
        let at = self.doc.text_pos_at(node.range().start);
        OutsideError::at(self.file, at.row as usize, at.col as usize, say)
    }
}

impl<'a> Reader<'a> {
    pub fn read(source: &'a dyn Source, file: &str) -> Result<Tree> {
        let mut r = Self {
            source,
            degrees: true,
            meshdir: String::new(),
            texturedir: String::new(),
            euler: "xyz".into(),
            classes: BTreeMap::new(),
            meshes: BTreeMap::new(),
            textures: BTreeMap::new(),
            materials: BTreeMap::new(),
            elements: 0,
            files: 0,
            tree: Tree::default(),
        };
        // First what others refer to, wherever it stands; then the bodies.
        r.file(file, 0, Pass::Assets)?;
        (r.elements, r.files) = (0, 0);
        r.file(file, 0, Pass::Bodies)?;
        if r.tree.geoms.is_empty() && r.tree.parts.iter().all(|p| p.geoms.is_empty()) {
            return Err(OutsideError::new(file, "has no geom in its worldbody"));
        }
        Ok(r.tree)
    }

    fn file(&mut self, file: &str, depth: usize, pass: Pass) -> Result<()> {
        self.files += 1;
        if self.files > MOST_FILES {
            return Err(OutsideError::new(
                file,
                format!("more than {MOST_FILES} files are included"),
            ));
        }
        let bytes = self.source.read(file, MOST_XML)?;
        let text = String::from_utf8(bytes).map_err(|_| OutsideError::new(file, "is not UTF-8"))?;
        let options =
            ParsingOptions { nodes_limit: 4 * MOST_ELEMENTS as u32, ..ParsingOptions::default() };
        let doc = Document::parse_with_options(&text, options).map_err(|e| {
            let at = e.pos();
            OutsideError::at(file, at.row as usize, at.col as usize, format!("is not XML: {e}"))
        })?;
        let spot = XmlSource { file, doc: &doc };
        let root = doc.root_element();
        if !["mujoco", "mujocoinclude"].contains(&root.tag_name().name()) {
            return Err(spot.error(root, "is not MJCF: the outermost element must be <mujoco>"));
        }
        for child in self.children(root, &spot, depth)? {
            self.top(child, &spot, depth, pass)?;
        }
        Ok(())
    }

    /// Child elements, each on the list.
    fn children<'n, 'i>(
        &mut self,
        node: Node<'n, 'i>,
        spot: &XmlSource<'_>,
        depth: usize,
    ) -> Result<Vec<Node<'n, 'i>>> {
        if depth > MOST_DEPTH {
            return Err(spot.error(node, format!("elements nest deeper than {MOST_DEPTH}")));
        }
        let mut out = Vec::new();
        for child in node.children().filter(Node::is_element) {
            self.elements += 1;
            if self.elements > MOST_ELEMENTS {
                return Err(spot.error(child, format!("more than {MOST_ELEMENTS} elements")));
            }
            let name = child.tag_name().name();
            let Some((_, attributes)) = ALLOWED.iter().find(|(n, _)| *n == name) else {
                return Err(spot.error(child, format!("<{name}> is not read: {}", remedy(name))));
            };
            for a in child.attributes() {
                if !attributes.contains(&a.name()) {
                    let say = format!(
                        "<{name} {}=…> is not read; remove the attribute{}",
                        a.name(),
                        if attributes.is_empty() {
                            String::new()
                        } else {
                            format!(" (there are {})", attributes.join(", "))
                        }
                    );
                    return Err(spot.error(child, say));
                }
            }
            out.push(child);
        }
        Ok(out)
    }

    fn top(
        &mut self,
        node: Node<'_, '_>,
        spot: &XmlSource<'_>,
        depth: usize,
        pass: Pass,
    ) -> Result<()> {
        match (node.tag_name().name(), pass) {
            ("include", _) => {
                let file = required(node, spot, "file")?;
                let path = beside(spot.file, "", file);
                self.file(&path, depth + 1, pass)
            }
            ("compiler", Pass::Assets) => self.compiler(node, spot),
            ("default", Pass::Assets) => self.default(node, spot, "main", depth),
            ("asset", Pass::Assets) => self.assets(node, spot, depth),
            ("worldbody", Pass::Bodies) => {
                let at = Placed { pose: Pose::IDENTITY, class: "main".into() };
                self.bodies(node, spot, &at, None, depth + 1)
            }
            ("compiler" | "default" | "asset" | "worldbody", _) => Ok(()),
            (other, _) => Err(spot.error(node, format!("<{other}> does not belong here"))),
        }
    }

    fn compiler(&mut self, node: Node<'_, '_>, spot: &XmlSource<'_>) -> Result<()> {
        let dir = |name: &str| node.attribute(name).map(str::to_owned);
        match node.attribute("angle") {
            None | Some("degree") => {}
            Some("radian") => self.degrees = false,
            Some(_) => return Err(spot.error(node, "angle is degree or radian")),
        }
        if let Some(seq) = node.attribute("eulerseq") {
            if seq.len() != 3 || !seq.chars().all(|c| "xyzXYZ".contains(c)) {
                return Err(spot.error(node, "eulerseq is three of the letters xyzXYZ"));
            }
            self.euler = seq.to_owned();
        }
        if let Some(d) = dir("assetdir") {
            (self.meshdir, self.texturedir) = (d.clone(), d);
        }
        self.meshdir = dir("meshdir").unwrap_or(std::mem::take(&mut self.meshdir));
        self.texturedir = dir("texturedir").unwrap_or(std::mem::take(&mut self.texturedir));
        Ok(())
    }

    fn default(
        &mut self,
        node: Node<'_, '_>,
        spot: &XmlSource<'_>,
        parent: &str,
        depth: usize,
    ) -> Result<()> {
        let class = node.attribute("class").unwrap_or(parent).to_owned();
        let inherited = self.classes.get(parent).cloned().unwrap_or_default();
        self.classes.entry(class.clone()).or_insert(inherited);
        for child in self.children(node, spot, depth + 1)? {
            match child.tag_name().name() {
                "default" => {
                    if child.attribute("class").is_none() {
                        return Err(spot.error(child, "a <default> inside another needs a class"));
                    }
                    self.default(child, spot, &class, depth + 1)?;
                }
                element @ ("geom" | "joint" | "mesh" | "material" | "site") => {
                    let own = self.classes.entry(class.clone()).or_default();
                    let own = own.entry(element.to_owned()).or_default();
                    for a in child.attributes() {
                        own.insert(a.name().to_owned(), a.value().to_owned());
                    }
                }
                other => return Err(spot.error(child, format!("<{other}> has no defaults here"))),
            }
        }
        Ok(())
    }

    /// An element's attributes over those of its class.
    fn attributes(
        &self,
        node: Node<'_, '_>,
        spot: &XmlSource<'_>,
        inherited: &str,
    ) -> Result<Attributes> {
        let element = node.tag_name().name();
        let class = node.attribute("class").unwrap_or(inherited);
        let mut out = match self.classes.get(class) {
            Some(c) => c.get(element).cloned().unwrap_or_default(),
            None if class == "main" => Attributes::new(),
            None => return Err(spot.error(node, format!("no default class {class:?}"))),
        };
        for a in node.attributes() {
            out.insert(a.name().to_owned(), a.value().to_owned());
        }
        Ok(out)
    }

    fn assets(&mut self, node: Node<'_, '_>, spot: &XmlSource<'_>, depth: usize) -> Result<()> {
        for child in self.children(node, spot, depth + 1)? {
            let a = self.attributes(child, spot, "main")?;
            match child.tag_name().name() {
                "include" => {
                    let path = beside(spot.file, "", required(child, spot, "file")?);
                    self.file(&path, depth + 2, Pass::Assets)?;
                }
                "mesh" => {
                    let file =
                        a.get("file").ok_or_else(|| spot.error(child, "a mesh needs a file"))?;
                    let stem = file.rsplit('/').next().unwrap_or(file);
                    let stem = stem.rsplit_once('.').map_or(stem, |(s, _)| s);
                    let name = a.get("name").map_or(stem, String::as_str).to_owned();
                    let scale = numbers(&a, "scale").map_err(|e| spot.error(child, e))?;
                    let scale = scale.unwrap_or([1.0; 3]);
                    if scale.contains(&0.0) {
                        return Err(spot.error(child, "scale must not be zero"));
                    }
                    let path = beside(spot.file, &self.meshdir, file);
                    self.meshes.insert(name, MeshEntry { path, scale, read: None });
                    if self.meshes.len() > limits::MOST_MESHES {
                        let say = format!("more than {} meshes", limits::MOST_MESHES);
                        return Err(spot.error(child, say));
                    }
                }
                "texture" => {
                    let file = a.get("file").ok_or_else(|| {
                        spot.error(child, "a texture needs a file (built-in textures are not read)")
                    })?;
                    if !file.to_ascii_lowercase().ends_with(".png") {
                        return Err(spot.error(child, "textures are read from .png files"));
                    }
                    let name = a.get("name").unwrap_or(file).clone();
                    let path = beside(spot.file, &self.texturedir, file);
                    self.textures.insert(name, path);
                    if self.textures.len() > limits::MOST_TEXTURES {
                        let say = format!("more than {} textures", limits::MOST_TEXTURES);
                        return Err(spot.error(child, say));
                    }
                }
                "material" => {
                    let name = required(child, spot, "name")?.to_owned();
                    self.materials.insert(name, a);
                }
                other => {
                    return Err(spot.error(child, format!("<{other}> does not belong in <asset>")));
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Assets,
    Bodies,
}

fn required<'n>(node: Node<'n, '_>, spot: &XmlSource<'_>, name: &str) -> Result<&'n str> {
    node.attribute(name)
        .ok_or_else(|| spot.error(node, format!("<{}> needs {name}=…", node.tag_name().name())))
}
