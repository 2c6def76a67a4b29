//! A small writer of MJCF: assets are named and written once, bodies nest, numbers are exact.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use longarm_types::Pose;

use crate::mesh::TriMesh;

/// Shape of a geom, MuJoCo's half sizes.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Half sizes.
    Box([f64; 3]),
    /// Radius.
    Sphere(f64),
    /// Radius and half length along z.
    Cylinder(f64, f64),
    /// Radius and half length of the straight part along z.
    Capsule(f64, f64),
    /// Semi-axes.
    Ellipsoid([f64; 3]),
    /// Name of a mesh given to [`Mjcf::mesh`].
    Mesh(String),
}

/// How a geom looks.
#[derive(Clone, Debug, PartialEq)]
pub enum Surface {
    /// Plain colour.
    Rgba([f32; 4]),
    /// Name of a material given to [`Mjcf::material`].
    Material(String),
}

impl Surface {
    /// Opaque colour.
    pub fn rgb(rgb: [f32; 3]) -> Self {
        Self::Rgba([rgb[0], rgb[1], rgb[2], 1.0])
    }
}

/// One geom. Either seen (`visual`) or felt (`solid`), so that pictures and contacts stay apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Geom {
    shape: Shape,
    pose: Pose,
    name: Option<String>,
    surface: Option<Surface>,
    solid: bool,
    mass: f64,
    friction: Option<[f64; 3]>,
    extra: String,
}

impl Geom {
    fn new(shape: Shape, solid: bool) -> Self {
        Self {
            shape,
            pose: Pose::IDENTITY,
            name: None,
            surface: None,
            solid,
            mass: 0.0,
            friction: None,
            extra: String::new(),
        }
    }

    /// A geom that is drawn and touches nothing.
    pub fn visual(shape: Shape, surface: Surface) -> Self {
        Self { surface: Some(surface), ..Self::new(shape, false) }
    }

    /// A geom that collides and is not drawn.
    pub fn solid(shape: Shape) -> Self {
        Self::new(shape, true)
    }

    /// Pose in the body's frame.
    pub fn at(mut self, pose: Pose) -> Self {
        self.pose = pose;
        self
    }

    /// Position in the body's frame.
    pub fn pos(self, x: f64, y: f64, z: f64) -> Self {
        self.at(Pose::at(x, y, z))
    }

    /// Full name. Visual geoms named `{object}/tint…` take the colour sampled for the object.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Mass of this geom; the inertia follows from its shape.
    pub fn mass(mut self, kg: f64) -> Self {
        self.mass = kg;
        self
    }

    /// Sliding, torsional, rolling friction.
    pub fn friction(mut self, friction: [f64; 3]) -> Self {
        self.friction = Some(friction);
        self
    }

    /// Any other attributes, as MJCF text.
    pub fn with(mut self, attributes: &str) -> Self {
        self.extra.push(' ');
        self.extra.push_str(attributes);
        self
    }
}

/// A joint of the body that is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Full name.
    pub name: String,
    /// `hinge` or `slide`.
    pub hinge: bool,
    /// Axis in the body's frame.
    pub axis: [f64; 3],
    /// A point on the axis.
    pub pos: [f64; 3],
    /// Limits.
    pub range: [f64; 2],
    /// Viscous damping.
    pub damping: f64,
    /// Added rotor inertia.
    pub armature: f64,
    /// Dry friction.
    pub frictionloss: f64,
}

/// A model being written.
#[derive(Clone, Debug, Default)]
pub struct Mjcf {
    assets: BTreeMap<String, String>,
    world: String,
    depth: usize,
    sections: BTreeMap<&'static str, String>,
    files: BTreeMap<String, Vec<u8>>,
    friction: Option<[f64; 3]>,
    shift: longarm_types::DVec3,
    /// How geoms written now are turned, before they are shifted.
    turn: longarm_types::DQuat,
}

fn join<const N: usize>(v: &[f64; N]) -> String {
    let mut s = String::with_capacity(N * 10);
    for (i, x) in v.iter().enumerate() {
        if i > 0 {
            s.push(' ');
        }
        let _ = write!(s, "{x}");
    }
    s
}

fn pose_attributes(p: &Pose) -> String {
    let mut s = String::new();
    if p.pos != longarm_types::DVec3::ZERO {
        let _ = write!(s, " pos=\"{}\"", join(&p.pos.to_array()));
    }
    if p.rot != longarm_types::DQuat::IDENTITY {
        let _ = write!(s, " quat=\"{}\"", join(&p.wxyz()));
    }
    s
}

impl Mjcf {
    /// Adds a mesh once; the same name must mean the same mesh.
    pub fn mesh(&mut self, name: &str, make: impl FnOnce() -> TriMesh) -> Shape {
        let key = format!("mesh {name}");
        if !self.assets.contains_key(&key) {
            self.files.insert(format!("{name}.msh"), make().to_msh());
            let s = format!(
                "<mesh name=\"{name}\" file=\"{name}.msh\" content_type=\"model/vnd.mujoco.msh\" inertia=\"shell\"/>"
            );
            self.assets.insert(key, s);
        }
        Shape::Mesh(name.to_owned())
    }

    /// Adds a material once. `attributes` is MJCF text such as `specular="0.2" texture="oak"`.
    pub fn material(&mut self, name: &str, rgba: [f32; 4], attributes: &str) -> Surface {
        let [r, g, b, a] = rgba;
        self.assets.entry(format!("material {name}")).or_insert_with(|| {
            format!("<material name=\"{name}\" rgba=\"{r} {g} {b} {a}\" {attributes}/>")
        });
        Surface::Material(name.to_owned())
    }

    /// Adds an RGB texture once, painted by `paint(u, v)` with u right and v down in 0..1.
    pub fn texture(
        &mut self,
        name: &str,
        width: u32,
        height: u32,
        paint: impl Fn(f64, f64) -> [u8; 3],
    ) {
        let key = format!("texture {name}");
        if self.assets.contains_key(&key) {
            return;
        }
        self.assets.insert(
            key,
            format!(
                "<texture name=\"{name}\" type=\"2d\" file=\"{name}.png\" content_type=\"image/png\"/>"
            ),
        );
        let mut rgb = Vec::with_capacity((width * height * 3) as usize);
        for y in 0..height {
            for x in 0..width {
                let u = (f64::from(x) + 0.5) / f64::from(width);
                let v = (f64::from(y) + 0.5) / f64::from(height);
                rgb.extend(paint(u, v));
            }
        }
        self.files.insert(format!("{name}.png"), crate::png::encode(width, height, &rgb));
    }

    /// Adds an RGB picture as a texture once, rows from the top.
    pub fn picture(&mut self, name: &str, width: u32, height: u32, rgb: &[u8]) {
        self.texture(name, width, height, |u, v| {
            let x = ((u * f64::from(width)) as usize).min(width as usize - 1);
            let y = ((v * f64::from(height)) as usize).min(height as usize - 1);
            let at = 3 * (y * width as usize + x);
            [rgb[at], rgb[at + 1], rgb[at + 2]]
        });
    }

    fn indent(&mut self) {
        self.world.push('\n');
        for _ in 0..=self.depth {
            self.world.push_str("  ");
        }
    }

    /// Opens a body; close it with [`Mjcf::close`].
    pub fn open(&mut self, name: &str, pose: &Pose) {
        self.open_with(name, pose, "");
    }

    /// Opens a body with more attributes.
    pub fn open_with(&mut self, name: &str, pose: &Pose, attributes: &str) {
        self.indent();
        let pose = pose_attributes(pose);
        let _ = write!(self.world, "<body name=\"{name}\"{pose} {attributes}>");
        self.depth += 1;
    }

    /// Closes the innermost body.
    pub fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.indent();
        self.world.push_str("</body>");
    }

    /// Makes the open body free to move; its joint is `{name}/free`.
    pub fn free(&mut self, name: &str) {
        self.indent();
        let _ = write!(self.world, "<freejoint name=\"{name}/free\"/>");
    }

    /// Explicit inertia of the open body.
    pub fn inertial(&mut self, mass: f64, com: &Pose, diagonal: [f64; 3]) {
        self.indent();
        let pos = join(&com.pos.to_array());
        let quat = join(&com.wxyz());
        let d = join(&diagonal);
        let _ = write!(
            self.world,
            "<inertial mass=\"{mass}\" pos=\"{pos}\" quat=\"{quat}\" diaginertia=\"{d}\"/>"
        );
    }

    /// Adds a joint to the open body.
    pub fn joint(&mut self, j: &Joint) {
        self.indent();
        let _ = write!(
            self.world,
            "<joint name=\"{}\" type=\"{}\" axis=\"{}\" pos=\"{}\" range=\"{}\" limited=\"true\" damping=\"{}\" armature=\"{}\" frictionloss=\"{}\"/>",
            j.name,
            if j.hinge { "hinge" } else { "slide" },
            join(&j.axis),
            join(&j.pos),
            join(&j.range),
            j.damping,
            j.armature,
            j.frictionloss,
        );
    }

    /// Friction of solids that state none, from here on; `None` is that of the class.
    pub fn default_friction(&mut self, friction: Option<[f64; 3]>) {
        self.friction = friction;
    }

    /// Moves the geoms written by `f` within the open body.
    pub fn shifted(&mut self, by: longarm_types::DVec3, f: impl FnOnce(&mut Self)) {
        let before = self.shift;
        self.shift += by;
        f(self);
        self.shift = before;
    }

    /// Turns and moves the geoms written by `f` within the open body.
    pub fn placed(&mut self, at: Pose, f: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.turn, at.rot);
        self.shifted(at.pos, f);
        self.turn = before;
    }

    /// Adds a geom to the open body (or the world).
    pub fn geom(&mut self, mut g: Geom) {
        if self.turn != longarm_types::DQuat::IDENTITY {
            g.pose = Pose::new(longarm_types::DVec3::ZERO, self.turn) * g.pose;
        }
        g.pose.pos += self.shift;
        self.indent();
        let w = &mut self.world;
        w.push_str(if g.solid { "<geom class=\"solid\"" } else { "<geom class=\"visual\"" });
        if let Some(n) = &g.name {
            let _ = write!(w, " name=\"{n}\"");
        }
        let _ = match &g.shape {
            Shape::Box(h) => write!(w, " type=\"box\" size=\"{}\"", join(h)),
            Shape::Sphere(r) => write!(w, " type=\"sphere\" size=\"{r}\""),
            Shape::Cylinder(r, h) => write!(w, " type=\"cylinder\" size=\"{r} {h}\""),
            Shape::Capsule(r, h) => write!(w, " type=\"capsule\" size=\"{r} {h}\""),
            Shape::Ellipsoid(h) => write!(w, " type=\"ellipsoid\" size=\"{}\"", join(h)),
            Shape::Mesh(m) => write!(w, " type=\"mesh\" mesh=\"{m}\""),
        };
        w.push_str(&pose_attributes(&g.pose));
        let _ = match &g.surface {
            Some(Surface::Rgba([r, g, b, a])) => write!(w, " rgba=\"{r} {g} {b} {a}\""),
            Some(Surface::Material(m)) => write!(w, " material=\"{m}\""),
            None => Ok(()),
        };
        if g.solid {
            let _ = write!(w, " mass=\"{}\"", g.mass);
        }
        if let Some(f) = g.friction.as_ref().or(self.friction.as_ref().filter(|_| g.solid)) {
            let _ = write!(w, " friction=\"{}\"", join(f));
        }
        w.push_str(&g.extra);
        w.push_str("/>");
    }

    /// Adds a site to the open body.
    pub fn site(&mut self, name: &str, pose: &Pose) {
        self.indent();
        let pose = pose_attributes(pose);
        let _ = write!(self.world, "<site name=\"{name}\"{pose} size=\"0.005\" group=\"4\"/>");
    }

    /// Adds a camera to the open body.
    pub fn camera(&mut self, name: &str, pose: &Pose, fovy_degrees: f64) {
        self.indent();
        let pose = pose_attributes(pose);
        let _ = write!(self.world, "<camera name=\"{name}\"{pose} fovy=\"{fovy_degrees}\"/>");
    }

    /// Raw XML at the present place in the world body.
    pub fn raw(&mut self, xml: &str) {
        self.indent();
        self.world.push_str(xml);
    }

    /// Adds XML to a top-level section: `actuator`, `tendon`, `equality`, `contact`, `sensor`, `deformable`.
    pub fn section(&mut self, name: &'static str, xml: &str) {
        let s = self.sections.entry(name).or_default();
        s.push_str("\n    ");
        s.push_str(xml);
    }

    /// The whole model as XML, and the files it names.
    pub fn finish(self, head: &str) -> (String, BTreeMap<String, Vec<u8>>) {
        let mut xml = format!("<mujoco model=\"longarm\">{head}\n  <asset>");
        // Textures before the materials that use them.
        for kind in ["texture ", "material ", "mesh "] {
            for (_, a) in self.assets.iter().filter(|(k, _)| k.starts_with(kind)) {
                xml.push_str("\n    ");
                xml.push_str(a);
            }
        }
        xml.push_str("\n  </asset>\n  <worldbody>");
        xml.push_str(&self.world);
        xml.push_str("\n  </worldbody>");
        for (name, body) in &self.sections {
            let _ = write!(xml, "\n  <{name}>{body}\n  </{name}>");
        }
        xml.push_str("\n</mujoco>\n");
        (xml, self.files)
    }
}
