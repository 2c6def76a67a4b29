//! Bodies, joints and geoms.

use longarm_types::{DQuat, DVec3, Pose};
use roxmltree::Node;

use super::numbers::{loose, numbers, sizes};
use super::{Attributes, Reader, Result, XmlSource};
use crate::mesh::{TriMesh, read_mesh};
use crate::outside::limits::{self, MOST_GEOMS, MOST_PARTS};
use crate::outside::shape::{Form, GeomRead, JointRead, Look, PartRead};
use crate::outside::{OutsideError, picture};

impl Reader<'_> {
    pub(super) fn bodies(
        &mut self,
        node: Node<'_, '_>,
        spot: &XmlSource<'_>,
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
        spot: &XmlSource<'_>,
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
                    let say = format!(
                        "{name:?} is not a name for a part: letters, digits and _, each once"
                    );
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

    fn geom(&mut self, node: Node<'_, '_>, spot: &XmlSource<'_>, at: &Placed) -> Result<GeomRead> {
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
                    let picture = picture::read(self.source, &path).map_err(MeshError::File)?;
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

/// Where a body is, and the class of what is in it.
pub(super) struct Placed {
    pub pose: Pose,
    pub class: String,
}
