//! What the builders share: tool poses, walls of round containers, drawing helpers.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use longarm_types::{Bounds, DMat3, DQuat, DVec3, Pose};

use crate::mesh::TriMesh;
use crate::{Access, AssetInfo, Geom, Grasp, GraspKind, Mjcf, Region, RegionKind, Shape, Surface};

/// Lowest height of the pads' centre above the table: the pads reach about a centimetre further.
pub(super) const PAD_CLEARANCE: f64 = 0.014;
/// How far below the top of a tall object the pads' centre may be without the palm touching it.
pub(super) const PAD_DEPTH: f64 = 0.022;
/// Solid parts that must not touch the table stay this far above it, so that objects stand on the
/// few flat feet meant for it.
pub(super) const FOOT_GAP: f64 = 0.0006;
/// Friction of objects that would otherwise roll for ever; goes with `condim="6"`.
pub(super) const ROLLING: [f64; 3] = [0.8, 0.01, 0.002];

/// A tool pose from where it is, where it points and how it closes.
pub(crate) fn tool(pos: [f64; 3], approach: DVec3, close: DVec3) -> Pose {
    let z = approach.normalize();
    let y = (close - z * close.dot(z)).normalize();
    let rot = DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)).normalize();
    Pose::new(pos.into(), rot)
}

/// A direction in the horizontal plane.
pub(super) fn heading(angle: f64) -> DVec3 {
    DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)
}

fn from_above(kind: GraspKind, pos: [f64; 3], angle: f64, opening: f64) -> Grasp {
    Grasp { kind, tool: tool(pos, DVec3::NEG_Z, heading(angle)), opening, part: None }
}

/// A pinch from above whose fingers close along `angle` (0 = the x axis).
pub(crate) fn pinch(pos: [f64; 3], angle: f64, opening: f64) -> Grasp {
    from_above(GraspKind::Pinch, pos, angle, opening)
}

/// Pinches from above of something round, every eighth turn: fingers close along each direction.
pub(super) fn pinches_around(z: f64, width: f64) -> Vec<Grasp> {
    (0..4).map(|k| pinch([0.0, 0.0, z], f64::from(k) * FRAC_PI_4, roomy(width))).collect()
}

/// Holds of a round rim from above, every eighth turn, one finger inside.
pub(super) fn rim_around(radius: f64, z: f64, opening: f64) -> Vec<Grasp> {
    (0..8)
        .map(|k| {
            let a = f64::from(k) * FRAC_PI_4;
            let at = heading(a) * radius;
            from_above(GraspKind::Rim, [at.x, at.y, z], a, opening)
        })
        .collect()
}

/// Hold of a straight rim from above.
pub(super) fn rim(pos: [f64; 3], angle: f64, opening: f64) -> Grasp {
    from_above(GraspKind::Rim, pos, angle, opening)
}

/// Suction from above.
pub(crate) fn suction(pos: [f64; 3]) -> Grasp {
    from_above(GraspKind::Suction, pos, 0.5 * PI, 0.0)
}

/// Opening to approach something of this width.
pub(crate) fn roomy(width: f64) -> f64 {
    (width + 0.022).min(0.078)
}

/// Where to pinch an object of this height from above.
pub(crate) fn pinch_height(height: f64) -> f64 {
    (height / 2.0).max(height - PAD_DEPTH).max(PAD_CLEARANCE)
}

/// A region of the asset itself.
pub(super) fn region(name: &str, kind: RegionKind, centre: [f64; 3], half: [f64; 3]) -> Region {
    Region {
        name: name.into(),
        part: None,
        kind,
        pose: Pose::new(centre.into(), DQuat::IDENTITY),
        half,
        access: Access::Above,
    }
}

/// Regions with a roof of the asset over them are reached from the front.
pub(super) fn under_roof(info: &mut AssetInfo) {
    let top = info.bounds.centre[2] + info.bounds.half[2];
    for r in &mut info.regions {
        if r.pose.pos.z + r.half[2] + 0.002 < top {
            r.access = Access::Front;
        }
    }
}

/// One storey of a round container's wall: a ring of boxes.
pub(super) struct Wall {
    /// Inner radius below and above.
    pub radius: [f64; 2],
    /// Height of its lower and upper edge.
    pub z: [f64; 2],
    /// Thickness, outwards.
    pub thickness: f64,
    /// Number of boxes.
    pub count: u32,
}

impl Wall {
    /// Adds the boxes, `mass` in all. The first is centred on the x axis.
    pub(super) fn build(&self, mass: f64, out: &mut Mjcf) {
        let [r0, r1] = self.radius;
        let [z0, z1] = self.z;
        let lean = libm::atan2(r1 - r0, z1 - z0);
        let half = [
            self.thickness / 2.0,
            (r0.max(r1) + self.thickness) * libm::tan(PI / f64::from(self.count)),
            libm::hypot(r1 - r0, z1 - z0) / 2.0,
        ];
        for k in 0..self.count {
            let turn = DQuat::from_rotation_z(TAU * f64::from(k) / f64::from(self.count));
            let rot = turn * DQuat::from_rotation_y(lean);
            let foot = turn * DVec3::new((r0 + r1) / 2.0, 0.0, (z0 + z1) / 2.0);
            let pose = Pose::new(foot + rot * DVec3::X * half[0], rot.normalize());
            out.geom(Geom::solid(Shape::Box(half)).at(pose).mass(mass / f64::from(self.count)));
        }
    }
}

/// A flat round solid floor from z = 0 to `top`: three crossed boxes of which only the square one
/// touches the ground, so that it stands on four points.
pub(super) fn floor(radius: f64, top: f64, mass: f64, out: &mut Mjcf) {
    for (k, angle) in [FRAC_PI_4, PI / 12.0, 5.0 * PI / 12.0].into_iter().enumerate() {
        let low = if k == 0 { 0.0 } else { FOOT_GAP };
        let half = [radius * libm::cos(angle), radius * libm::sin(angle), (top - low) / 2.0];
        out.geom(Geom::solid(Shape::Box(half)).pos(0.0, 0.0, (top + low) / 2.0).mass(mass / 3.0));
    }
}

/// An upright solid cylinder from z = 0 to `height` that stands on a square foot: boxes rest on
/// boxes without the jitter a round edge has.
pub(super) fn upright(radius: f64, height: f64, mass: f64, out: &mut Mjcf) {
    let foot = 0.004f64.min(height / 3.0);
    let side = radius * libm::cos(FRAC_PI_4);
    out.geom(
        Geom::solid(Shape::Box([side, side, foot / 2.0]))
            .pos(0.0, 0.0, foot / 2.0)
            .mass(0.1 * mass),
    );
    let half = (height - FOOT_GAP) / 2.0;
    out.geom(
        Geom::solid(Shape::Cylinder(radius, half))
            .pos(0.0, 0.0, FOOT_GAP + half)
            .mass(0.9 * mass)
            .friction(ROLLING)
            .with("condim=\"6\""),
    );
}

/// A solid ball of `radius` standing on a small flat, as fruit does.
pub(super) fn ball(radius: f64, mass: f64, out: &mut Mjcf) {
    let foot = radius * 0.22;
    out.geom(Geom::solid(Shape::Box([foot, foot, 0.002])).pos(0.0, 0.0, 0.002).mass(0.05 * mass));
    out.geom(
        Geom::solid(Shape::Sphere(radius))
            .pos(0.0, 0.0, radius + FOOT_GAP)
            .mass(0.95 * mass)
            .friction(ROLLING)
            .with("condim=\"6\""),
    );
}

/// Opens the body of a movable object.
pub(super) fn open_free(name: &str, out: &mut Mjcf) {
    out.open(name, &Pose::IDENTITY);
    out.free(name);
}

/// Draws a mesh.
pub(super) fn show(mesh: &str, surface: Surface, out: &mut Mjcf, make: impl FnOnce() -> TriMesh) {
    let shape = out.mesh(mesh, make);
    out.geom(Geom::visual(shape, surface));
}

/// Draws a mesh that takes the object's colour; `index` counts the tinted geoms of the object.
pub(super) fn show_tinted(
    name: &str,
    index: usize,
    mesh: &str,
    rgb: [f32; 3],
    out: &mut Mjcf,
    make: impl FnOnce() -> TriMesh,
) {
    let shape = out.mesh(mesh, make);
    out.geom(Geom::visual(shape, Surface::rgb(rgb)).named(format!("{name}/tint{index}")));
}

/// A box mesh standing at a place, edges rounded.
pub(super) fn slab(centre: [f64; 3], half: [f64; 3], radius: f64) -> TriMesh {
    let [x, y, z] = centre;
    TriMesh::rounded_box(half, radius, 2).without_uvs().moved(x, y, z)
}

/// A prism whose outline lies in the x–z plane (counter-clockwise seen from −y), centred on y = 0.
pub(super) fn side_prism(outline: &[[f64; 2]], width: f64, bevel: f64) -> TriMesh {
    let rot = DQuat::from_rotation_x(PI / 2.0);
    TriMesh::extrude(outline, width, bevel)
        .without_uvs()
        .transformed(&Pose::new(DVec3::new(0.0, width / 2.0, 0.0), rot))
}

/// A flat board: centre and half size.
pub(super) type Panel = ([f64; 3], [f64; 3]);

/// Solid boards sharing a mass.
pub(super) fn board_solids(panels: &[Panel], mass: f64, out: &mut Mjcf) {
    for ([x, y, z], half) in panels {
        let share = mass / panels.len() as f64;
        out.geom(Geom::solid(Shape::Box(*half)).pos(*x, *y, *z).mass(share));
    }
}

/// Boards as one mesh, edges rounded.
pub(super) fn board_mesh(panels: &[Panel], radius: f64) -> TriMesh {
    TriMesh::merged(panels.iter().map(|(c, h)| slab(*c, *h, radius)))
}

/// Keeps two bodies from colliding, such as a drawer with its bay.
pub(super) fn exclude(a: &str, b: &str, out: &mut Mjcf) {
    out.section("contact", &format!("<exclude body1=\"{a}\" body2=\"{b}\"/>"));
}

/// What an object round about its vertical can do: pinched around at a height where it is `wide`, or
/// sucked from above at `top`.
pub(crate) fn round_standing(
    size: [f64; 2],
    mass: f64,
    (pinch, wide): (f64, f64),
    top: f64,
) -> AssetInfo {
    let [radius, height] = size;
    let mut grasps = pinches_around(pinch, wide);
    grasps.push(suction([0.0, 0.0, top]));
    AssetInfo {
        symmetry: 0,
        grasps,
        ..AssetInfo::movable(Bounds::standing(radius, radius, height), mass)
    }
}
