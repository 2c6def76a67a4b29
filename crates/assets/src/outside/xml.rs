//! A subset of MJCF that describes one object: what is not on the list is refused.
//!
//! Nothing of the user's text reaches MuJoCo. What is read here are checked numbers, meshes and
//! pictures; the engine's own writer puts them into the model, so plug-ins, includes of other
//! files, sizes without bound and names that clash cannot.

use std::collections::BTreeMap;
use std::str::FromStr;

use longarm_types::{DQuat, DVec3, Pose};
use roxmltree::{Document, Node, ParsingOptions};

use super::folder::{Source, beside};
use super::limits::{MOST_DEPTH, MOST_ELEMENTS, MOST_FILES, MOST_GEOMS, MOST_PARTS, MOST_XML};
use super::shape::{Form, GeomRead, JointRead, Look, PartRead, Tree};
use super::{OutsideError, limits};
use crate::mesh::{TriMesh, read_mesh};

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
struct Spot<'d> {
    file: &'d str,
    doc: &'d Document<'d>,
}

impl Spot<'_> {
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
        let spot = Spot { file, doc: &doc };
        let root = doc.root_element();
        if !["mujoco", "mujocoinclude"].contains(&root.tag_name().name()) {
            return Err(spot.error(root, "is no MJCF: the outermost element must be <mujoco>"));
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
        spot: &Spot<'_>,
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

    fn top(&mut self, node: Node<'_, '_>, spot: &Spot<'_>, depth: usize, pass: Pass) -> Result<()> {
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

    fn compiler(&mut self, node: Node<'_, '_>, spot: &Spot<'_>) -> Result<()> {
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
        spot: &Spot<'_>,
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
        spot: &Spot<'_>,
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

    fn assets(&mut self, node: Node<'_, '_>, spot: &Spot<'_>, depth: usize) -> Result<()> {
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

    fn bodies(
        &mut self,
        node: Node<'_, '_>,
        spot: &Spot<'_>,
        at: &Placed,
        part: Option<usize>,
        depth: usize,
    ) -> Result<()> {
        for child in self.children(node, spot, depth)? {
            match child.tag_name().name() {
                "geom" => {
                    let geom = self.geom(child, spot, at)?;
                    let list = match part {
                        Some(p) => &mut self.tree.parts[p].geoms,
                        None => &mut self.tree.geoms,
                    };
                    list.push(geom);
                    if list.len() > MOST_GEOMS {
                        return Err(spot.error(child, format!("more than {MOST_GEOMS} geoms")));
                    }
                }
                "body" => self.body(child, spot, at, part, depth)?,
                // The engine adds the free joint itself; sites are marks.
                "freejoint" | "site" => {}
                "joint" if node.tag_name().name() == "body" => {}
                "include" => {
                    return Err(spot.error(child, "include whole sections, outside of <worldbody>"));
                }
                other => return Err(spot.error(child, format!("<{other}> does not belong here"))),
            }
        }
        Ok(())
    }

    fn body(
        &mut self,
        node: Node<'_, '_>,
        spot: &Spot<'_>,
        at: &Placed,
        part: Option<usize>,
        depth: usize,
    ) -> Result<()> {
        let a: Attributes =
            node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())).collect();
        let pose = self.pose(&a).map_err(|e| spot.error(node, e))?;
        let class = a.get("childclass").cloned().unwrap_or(at.class.clone());
        if class != "main" && !self.classes.contains_key(&class) {
            return Err(spot.error(node, format!("no default class {class:?}")));
        }
        let mut joints = Vec::new();
        for j in node.children().filter(|c| c.is_element() && c.tag_name().name() == "joint") {
            let ja = self.attributes(j, spot, &class)?;
            if ja.get("type").map(String::as_str) != Some("free") {
                joints.push(self.joint(&ja).map_err(|e| spot.error(j, e))?);
            }
        }
        let inside = Placed { pose: at.pose * pose, class };
        match (joints.len(), part) {
            (0, _) => self.bodies(node, spot, &inside, part, depth + 1),
            (1, None) => {
                let Some(name) = a.get("name").cloned() else {
                    return Err(spot.error(node, "a body with a joint is a part and needs a name"));
                };
                if !limits::is_name(&name) || self.tree.parts.iter().any(|p| p.name == name) {
                    let say =
                        format!("{name:?} is no name for a part: letters, digits and _, each once");
                    return Err(spot.error(node, say));
                }
                let joint = joints.remove(0);
                self.tree.parts.push(PartRead {
                    name,
                    pose: inside.pose,
                    joint,
                    geoms: Vec::new(),
                });
                if self.tree.parts.len() > MOST_PARTS {
                    return Err(spot.error(node, format!("more than {MOST_PARTS} parts")));
                }
                let part = self.tree.parts.len() - 1;
                let own = Placed { pose: Pose::IDENTITY, class: inside.class };
                self.bodies(node, spot, &own, Some(part), depth + 1)
            }
            (1, Some(_)) => {
                Err(spot.error(node, "a part cannot have parts of its own; remove the joint"))
            }
            _ => Err(spot.error(node, "a part has one joint; remove the others")),
        }
    }

    fn angle(&self, v: f64) -> f64 {
        if self.degrees { v.to_radians() } else { v }
    }

    fn pose(&self, a: &Attributes) -> Result<Pose, String> {
        let pos = numbers::<3>(a, "pos")?.unwrap_or_default();
        let mut rot = DQuat::IDENTITY;
        let given: Vec<&str> =
            ["quat", "axisangle", "euler"].into_iter().filter(|k| a.contains_key(*k)).collect();
        if given.len() > 1 {
            return Err(format!("{} say the same; keep one", given.join(" and ")));
        }
        if let Some([w, x, y, z]) = numbers::<4>(a, "quat")? {
            rot = DQuat::from_xyzw(x, y, z, w);
            if rot.length() < 1e-6 {
                return Err("quat is zero".into());
            }
        }
        if let Some([x, y, z, angle]) = numbers::<4>(a, "axisangle")? {
            let axis = DVec3::new(x, y, z);
            if axis.length() < 1e-9 {
                return Err("the axis of axisangle is zero".into());
            }
            rot = DQuat::from_axis_angle(axis.normalize(), self.angle(angle));
        }
        if let Some(angles) = numbers::<3>(a, "euler")? {
            for (axis, v) in self.euler.chars().zip(angles) {
                let v = self.angle(v);
                let turn = match axis.to_ascii_lowercase() {
                    'x' => DQuat::from_rotation_x(v),
                    'y' => DQuat::from_rotation_y(v),
                    _ => DQuat::from_rotation_z(v),
                };
                // Lower case turns about axes that turn with the body.
                rot = if axis.is_ascii_lowercase() { rot * turn } else { turn * rot };
            }
        }
        Ok(Pose::new(pos.into(), rot.normalize()))
    }

    fn joint(&self, a: &Attributes) -> Result<JointRead, String> {
        let hinge = match a.get("type").map(String::as_str) {
            None | Some("hinge") => true,
            Some("slide") => false,
            Some(other) => {
                return Err(format!("joint type {other:?} is not read; use hinge or slide"));
            }
        };
        let range = numbers::<2>(a, "range")?.ok_or("a part's joint needs a range")?;
        let range = if hinge { range.map(|v| self.angle(v)) } else { range };
        if range[0] >= range[1] || range.iter().any(|v| v.abs() > 10.0) {
            return Err("range goes from less to more, within ±10".into());
        }
        let axis = numbers::<3>(a, "axis")?.unwrap_or([0.0, 0.0, 1.0]);
        let length = DVec3::from(axis).length();
        if length < 1e-6 {
            return Err("axis is zero".into());
        }
        let positive = |key: &str, usual: f64| -> Result<f64, String> {
            let v = numbers::<1>(a, key)?.map_or(usual, |[v]| v);
            if (0.0..=1000.0).contains(&v) {
                Ok(v)
            } else {
                Err(format!("{key} is from 0 to 1000"))
            }
        };
        Ok(JointRead {
            hinge,
            axis: (DVec3::from(axis) / length).to_array(),
            pos: numbers::<3>(a, "pos")?.unwrap_or_default(),
            range,
            damping: positive("damping", 0.5)?,
            armature: positive("armature", 0.001)?,
            frictionloss: positive("frictionloss", 0.0)?,
        })
    }

    fn geom(&mut self, node: Node<'_, '_>, spot: &Spot<'_>, at: &Placed) -> Result<GeomRead> {
        let a = self.attributes(node, spot, &at.class)?;
        let wrong = |e: String| spot.error(node, e);
        let mut pose = self.pose(&a).map_err(wrong)?;
        let kind = a.get("type").map(String::as_str);
        let kind =
            kind.unwrap_or(if a.contains_key("mesh") { "mesh" } else { "sphere" }).to_owned();
        let mut size = sizes(&a).map_err(wrong)?;
        if let Some(ends) = numbers::<6>(&a, "fromto").map_err(wrong)? {
            let (from, to) = (DVec3::from_slice(&ends[..3]), DVec3::from_slice(&ends[3..]));
            let along = to - from;
            if along.length() < 1e-6 || !["capsule", "cylinder"].contains(&kind.as_str()) {
                return Err(wrong(
                    "fromto needs two different points of a capsule or cylinder".into(),
                ));
            }
            pose =
                Pose::new((from + to) / 2.0, DQuat::from_rotation_arc(DVec3::Z, along.normalize()));
            size.truncate(1);
            size.push(along.length() / 2.0);
        }
        let form = match (kind.as_str(), &size[..]) {
            ("box", &[x, y, z]) => Form::Box([x, y, z]),
            ("sphere", &[r, ..]) => Form::Sphere(r),
            ("cylinder", &[r, h, ..]) => Form::Cylinder(r, h),
            ("capsule", &[r, h, ..]) => Form::Capsule(r, h),
            ("ellipsoid", &[x, y, z]) => Form::Ellipsoid([x, y, z]),
            ("mesh", _) => {
                let name = a.get("mesh").ok_or_else(|| wrong("type mesh needs a mesh".into()))?;
                Form::Mesh(
                    name.clone(),
                    self.mesh(name).map_err(|e| match e {
                        MeshError::Unknown(say) => spot.error(node, say),
                        MeshError::File(e) => e,
                    })?,
                )
            }
            ("plane" | "hfield" | "sdf", _) => {
                return Err(wrong(format!("geom type {kind:?} is not read; use a box or a mesh")));
            }
            (k @ ("box" | "sphere" | "cylinder" | "capsule" | "ellipsoid"), _) => {
                return Err(wrong(format!("a {k} of size {size:?}: numbers are missing")));
            }
            (other, _) => return Err(wrong(format!("no geom type {other:?}"))),
        };
        let whole = |key: &str, usual: i64| -> Result<i64> {
            a.get(key).map_or(Ok(usual), |v| {
                v.trim().parse().map_err(|_| wrong(format!("{key}={v:?} is not a whole number")))
            })
        };
        let (contype, conaffinity) = (whole("contype", 1)?, whole("conaffinity", 1)?);
        let group = whole("group", 0)?;
        let condim = whole("condim", 4)?;
        if ![1, 3, 4, 6].contains(&condim) {
            return Err(wrong(format!("condim={condim}: it is 1, 3, 4 or 6")));
        }
        let mass = numbers::<1>(&a, "mass").map_err(wrong)?.map(|[m]| m);
        let density = numbers::<1>(&a, "density").map_err(wrong)?.map_or(1000.0, |[d]| d);
        if mass.is_some_and(|m| !(0.0..=100.0).contains(&m)) || !(0.0..=30_000.0).contains(&density)
        {
            return Err(wrong("mass is from 0 to 100 kg, density from 0 to 30000 kg/m³".into()));
        }
        let friction = loose(&a, "friction", &[1.0, 0.005, 0.0001]).map_err(wrong)?;
        if friction.iter().any(|v| !(0.0..=10.0).contains(v)) {
            return Err(wrong("friction is from 0 to 10".into()));
        }
        let solid = contype != 0 || conaffinity != 0;
        Ok(GeomRead {
            name: a.get("name").cloned(),
            pose: at.pose * pose,
            form,
            solid,
            seen: group < 3 || !solid,
            mass,
            density,
            friction: a.contains_key("friction").then_some([friction[0], friction[1], friction[2]]),
            condim,
            look: self.look(&a).map_err(|e| match e {
                MeshError::Unknown(say) => spot.error(node, say),
                MeshError::File(e) => e,
            })?,
        })
    }

    fn mesh(&mut self, name: &str) -> Result<TriMesh, MeshError> {
        let source = self.source;
        let Some(entry) = self.meshes.get_mut(name) else {
            return Err(MeshError::Unknown(format!("no mesh {name:?} in <asset>")));
        };
        if entry.read.is_none() {
            let bytes =
                source.read(&entry.path, limits::MOST_MESH_BYTES).map_err(MeshError::File)?;
            let mesh = read_mesh(&entry.path, &bytes, entry.scale)
                .map_err(|e| MeshError::File(OutsideError::new(&entry.path, e)))?;
            self.tree.faces += mesh.triangles.len();
            if self.tree.faces > limits::MOST_FACES {
                let say = format!("more than {} triangles in all; simplify", limits::MOST_FACES);
                return Err(MeshError::File(OutsideError::new(&entry.path, say)));
            }
            entry.read = Some(mesh);
        }
        entry.read.clone().ok_or_else(|| MeshError::Unknown(format!("no mesh {name:?}")))
    }

    fn look(&mut self, a: &Attributes) -> Result<Look, MeshError> {
        let unknown = MeshError::Unknown;
        let material = match a.get("material") {
            None => None,
            Some(name) => {
                let m = self.materials.get(name);
                Some(m.ok_or_else(|| unknown(format!("no material {name:?} in <asset>")))?.clone())
            }
        };
        let of = |key: &str| -> Result<Option<[f64; 4]>, MeshError> {
            if let Some(c) = numbers::<4>(a, key).map_err(unknown)? {
                return Ok(Some(c));
            }
            material.as_ref().map_or(Ok(None), |m| numbers::<4>(m, key)).map_err(unknown)
        };
        let rgba = of("rgba")?.unwrap_or([0.6, 0.6, 0.65, 1.0]).map(|v| v.clamp(0.0, 1.0) as f32);
        let share = |key: &str| -> Result<f64, MeshError> {
            let v =
                material.as_ref().map_or(Ok(None), |m| numbers::<1>(m, key)).map_err(unknown)?;
            Ok(v.map_or(0.3, |[v]| v.clamp(0.0, 1.0)))
        };
        let (specular, shininess) = (share("specular")?, share("shininess")?);
        let texture = match material.as_ref().and_then(|m| m.get("texture")) {
            None => None,
            Some(name) => {
                let path = self.textures.get(name).cloned();
                let path =
                    path.ok_or_else(|| unknown(format!("no texture {name:?} in <asset>")))?;
                if !self.tree.pictures.contains_key(&path) {
                    let picture =
                        super::picture::read(self.source, &path).map_err(MeshError::File)?;
                    self.tree.pictures.insert(path.clone(), picture);
                }
                Some(path)
            }
        };
        Ok(Look { rgba, specular, shininess, texture })
    }
}

enum MeshError {
    Unknown(String),
    File(OutsideError),
}

#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Assets,
    Bodies,
}

struct Placed {
    pose: Pose,
    class: String,
}

fn required<'n>(node: Node<'n, '_>, spot: &Spot<'_>, name: &str) -> Result<&'n str> {
    node.attribute(name)
        .ok_or_else(|| spot.error(node, format!("<{}> needs {name}=…", node.tag_name().name())))
}

fn number(word: &str, key: &str) -> Result<f64, String> {
    let v = f64::from_str(word).map_err(|_| format!("{key}: {word:?} is not a number"))?;
    if v.is_finite() && v.abs() <= 1e6 {
        Ok(v)
    } else {
        Err(format!("{key}: {word} is out of range"))
    }
}

fn numbers<const N: usize>(a: &Attributes, key: &str) -> Result<Option<[f64; N]>, String> {
    let Some(text) = a.get(key) else { return Ok(None) };
    let mut out = [0.0; N];
    let mut words = text.split_whitespace();
    for v in &mut out {
        let word = words.next().ok_or_else(|| format!("{key}=\"{text}\" needs {N} numbers"))?;
        *v = number(word, key)?;
    }
    if words.next().is_some() {
        return Err(format!("{key}=\"{text}\" has more than {N} numbers"));
    }
    Ok(Some(out))
}

/// As many numbers as are there, the rest as usual.
fn loose(a: &Attributes, key: &str, usual: &[f64]) -> Result<Vec<f64>, String> {
    let mut out = usual.to_vec();
    let Some(text) = a.get(key) else { return Ok(out) };
    for (i, word) in text.split_whitespace().enumerate() {
        match out.get_mut(i) {
            Some(v) => *v = number(word, key)?,
            None => return Err(format!("{key}=\"{text}\" has more than {} numbers", usual.len())),
        }
    }
    Ok(out)
}

fn sizes(a: &Attributes) -> Result<Vec<f64>, String> {
    let Some(text) = a.get("size") else { return Ok(Vec::new()) };
    let out: Vec<f64> =
        text.split_whitespace().take(4).map(|w| number(w, "size")).collect::<Result<_, _>>()?;
    if out.len() > 3 || out.iter().any(|v| !(1e-5..=5.0).contains(v)) {
        return Err(format!("size=\"{text}\": up to three numbers from 0.00001 to 5 metres"));
    }
    Ok(out)
}
