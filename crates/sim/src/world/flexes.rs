//! Flexes within a world: rope and foam, which MuJoCo simulates as nodes that slide along x, y and z.

use std::ops::Range;
use std::sync::Arc;

use longarm_assets::matter::Matter;
use longarm_assets::{BodyRole, Structure, Tint};
use longarm_task::{BodyId, Scene, SoftForm, SoftKind, SoftState};
use longarm_types::{DMat3, DQuat, DVec3, Pose, Twist};
use mujoco_rs::prelude::*;

use super::World;
use super::handles::id;
use super::settle::SETTLED_SPEED;
use crate::SimError;

/// How far above the table a flex is laid down, so that it does not begin in contact.
const LIFT: f64 = 5e-4;
/// Beyond this share of its length no edge stretches but in a world that has blown up.
const TORN: f64 = 1.6;

/// A flex that is an object of the scene.
#[derive(Clone, Debug)]
pub(super) struct FlexBody {
    /// The tracked body that it is.
    pub(super) body: BodyId,
    instance: usize,
    /// Its number among the model's flexes.
    flex: usize,
    vertices: Range<usize>,
    nodes: Vec<Node>,
    form: Arc<SoftForm>,
    /// Its colour as compiled.
    own: [f32; 4],
    /// Furthest that any two points in a row are apart at rest.
    edge: f64,
}

/// A body whose three slides carry a flex.
#[derive(Clone, Copy, Debug)]
struct Node {
    qpos: usize,
    dof: usize,
    /// Where it is at rest, in the frame of the asset.
    rest: DVec3,
}

/// Find the flexes of a structure's instances.
pub(super) fn find_flexes(
    model: &MjModel,
    structure: &Structure,
    bodies: &[longarm_assets::Body],
) -> Result<Vec<FlexBody>, SimError> {
    let mut out = Vec::new();
    for (body, role) in bodies.iter().map(|b| b.role).enumerate() {
        let BodyRole::Object(instance) = role else { continue };
        let object = &structure.instances[instance];
        let kind = match object.asset.info().matter.as_deref() {
            Some(Matter::Strand(_)) => SoftKind::Line,
            Some(Matter::Foam(_)) => SoftKind::Block,
            _ => continue,
        };
        let flex = id(model, MjtObjBase::mjOBJ_FLEX, "flex", &object.name)?;
        let first = model.flex_vertadr()[flex] as usize;
        let vertices = first..first + model.flex_vertnum()[flex] as usize;
        let nodes: Vec<Node> = node_bodies(model, flex).iter().map(|&b| node(model, b)).collect();
        let rest = rest_points(model, flex, &vertices, &nodes);
        let radius = model.flex_radius()[flex];
        out.push(FlexBody {
            body,
            instance,
            flex,
            edge: rest.windows(2).map(|p| p[0].distance(p[1])).fold(0.0, f64::max),
            form: Arc::new(SoftForm { rest, radius, kind }),
            vertices,
            nodes,
            own: model.flex_rgba()[flex],
        });
    }
    Ok(out)
}

/// The bodies that carry a flex: its vertices, or where it is interpolated its nodes.
pub(super) fn node_bodies(model: &MjModel, flex: usize) -> &[i32] {
    let (first, count, of) = match model.flex_interp()[flex] {
        0 => (model.flex_vertadr(), model.flex_vertnum(), model.flex_vertbodyid()),
        _ => (model.flex_nodeadr(), model.flex_nodenum(), model.flex_nodebodyid()),
    };
    &of[first[flex] as usize..][..count[flex] as usize]
}

fn node(model: &MjModel, body: i32) -> Node {
    let body = body as usize;
    let joint = model.body_jntadr()[body] as usize;
    Node {
        qpos: model.jnt_qposadr()[joint] as usize,
        dof: model.jnt_dofadr()[joint] as usize,
        rest: model.body_pos()[body].into(),
    }
}

/// Where the points of a flex are at rest, in the frame of its asset.
fn rest_points(
    model: &MjModel,
    flex: usize,
    vertices: &Range<usize>,
    nodes: &[Node],
) -> Vec<DVec3> {
    if model.flex_interp()[flex] == 0 {
        return nodes.iter().map(|n| n.rest).collect();
    }
    // Vertices are given as shares of the box around the nodes.
    let low = nodes.iter().map(|n| n.rest).fold(DVec3::INFINITY, DVec3::min);
    let high = nodes.iter().map(|n| n.rest).fold(DVec3::NEG_INFINITY, DVec3::max);
    let shares = &model.flex_vert0()[vertices.clone()];
    shares.iter().map(|s| low + DVec3::from(*s) * (high - low)).collect()
}

impl FlexBody {
    /// Return the body in MuJoCo whose sleep tells whether it sleeps.
    pub(super) fn sleeper(&self, model: &MjModel) -> usize {
        node_bodies(model, self.flex).first().map_or(0, |&b| b as usize)
    }

    /// Return the frame of its asset that fits its points best; every asset stands on its origin.
    fn frame(&self, points: &[DVec3]) -> Pose {
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        match self.form.kind {
            SoftKind::Block => {
                let rest = &self.form.rest;
                let centre = rest.iter().sum::<DVec3>() / rest.len() as f64;
                // A block's points lie evenly about its middle, so each sum points along an axis.
                let axis = |k: usize| -> DVec3 {
                    rest.iter().zip(points).map(|(r, p)| (*p - middle) * (*r - centre)[k]).sum()
                };
                let x = axis(0).normalize_or(DVec3::X);
                let z = x.cross(axis(1)).normalize_or(DVec3::Z);
                let rot = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize();
                Pose::new(middle - rot * centre, rot)
            }
            _ => {
                let lowest = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
                let way = points[points.len() - 1] - points[0];
                let heading = libm::atan2(way.y, way.x);
                let at = middle.with_z(lowest - self.form.radius);
                Pose::at(at.x, at.y, at.z).yawed(heading)
            }
        }
    }

    /// Return the mean velocity of its nodes, about its middle, and the root of the mean square of their speeds.
    fn motion(&self, qpos: &[f64], qvel: &[f64]) -> (Twist, f64) {
        let n = self.nodes.len() as f64;
        let at = |k: usize, v: &[f64]| DVec3::new(v[k], v[k + 1], v[k + 2]);
        let place = |node: &Node| node.rest + at(node.qpos, qpos);
        let middle = self.nodes.iter().map(place).sum::<DVec3>() / n;
        let (mut linear, mut spin, mut arms, mut square) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
        for node in &self.nodes {
            let (v, arm) = (at(node.dof, qvel), place(node) - middle);
            linear += v / n;
            spin += arm.cross(v);
            arms += arm.length_squared();
            square += v.length_squared() / n;
        }
        // As if its mass were spread evenly in all directions.
        let angular = if arms > 0.0 { 1.5 * spin / arms } else { DVec3::ZERO };
        (Twist { linear, angular }, square.sqrt())
    }
}

impl World {
    /// Lay flexes down as a scene has them.
    pub(super) fn place_flexes(&mut self, scene: &Scene) {
        for flex in &self.flexes {
            let frame = scene.poses[flex.instance];
            let line = scene.line(flex.instance);
            for (k, node) in flex.nodes.iter().enumerate() {
                let local = match line.and_then(|l| l.get(k)) {
                    Some([x, y]) => DVec3::new(*x, *y, node.rest.z),
                    None => node.rest,
                };
                let slide = frame.point(local) + DVec3::Z * LIFT - node.rest;
                self.data.qpos_mut()[node.qpos..][..3].copy_from_slice(&slide.to_array());
            }
            let rgba = match scene.tints[flex.instance] {
                Tint::Own => flex.own,
                Tint::Named(c) => {
                    let [r, g, b] = c.rgb();
                    [r, g, b, flex.own[3]]
                }
            };
            // SAFETY: colours may change at any time.
            #[allow(unsafe_code)]
            let model = unsafe { self.data.model_mut() };
            model.flex_rgba_mut()[flex.flex] = rgba;
        }
    }

    /// Make room for flexes in a new snapshot.
    pub(super) fn reset_flexes(&mut self) {
        for flex in &self.flexes {
            self.snapshot.soft.push(SoftState {
                body: flex.body,
                form: flex.form.clone(),
                points: flex.form.rest.clone(),
                speed: 0.0,
            });
        }
    }

    /// Put flexes into the snapshot.
    pub(super) fn read_flexes(&mut self) {
        let d = &self.data;
        for flex in &self.flexes {
            let soft = &mut self.snapshot.soft;
            let Some(state) = soft.iter_mut().find(|s| s.body == flex.body) else { continue };
            let points = &d.flexvert_xpos()[flex.vertices.clone()];
            for (to, from) in state.points.iter_mut().zip(points) {
                *to = DVec3::from(*from);
            }
            let (twist, speed) = flex.motion(d.qpos(), d.qvel());
            state.speed = speed;
            let body = &mut self.snapshot.bodies[flex.body];
            (body.pose, body.twist) = (flex.frame(&state.points), twist);
        }
    }

    /// The fastest medium or flex and its speed.
    pub(super) fn fastest_soft(&self) -> Option<(f64, &str)> {
        let speed = |f: &FlexBody| f.motion(self.data.qpos(), self.data.qvel()).1;
        let speeds = self.flexes.iter().map(|f| (speed(f), self.bodies[f.body].name.as_str()));
        speeds.chain(self.fastest_medium()).max_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Say whether what is soft has come to rest.
    pub(super) fn soft_rests(&self) -> bool {
        let speed = |f: &FlexBody| f.motion(self.data.qpos(), self.data.qvel()).1;
        self.flexes.iter().all(|f| speed(f) < SETTLED_SPEED) && self.media_rest()
    }

    /// Say which flex is torn, if one is.
    pub(super) fn check_flexes(&self) -> Result<(), SimError> {
        let torn = |flex: &&FlexBody| {
            let points = &self.data.flexvert_xpos()[flex.vertices.clone()];
            let far = |p: &[[f64; 3]]| DVec3::from(p[0]).distance(DVec3::from(p[1]));
            // A comparison that a number which is none fails.
            !points.windows(2).all(|p| far(p) < TORN * flex.edge)
        };
        match self.flexes.iter().find(torn) {
            Some(flex) => Err(SimError::MediumDiverged {
                time: self.data.time(),
                name: self.bodies[flex.body].name.clone(),
            }),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use longarm_assets::objects::Cord;
    use longarm_assets::{Asset, Instance, RigName};

    use super::*;

    fn world() -> (World, Scene) {
        let asset = Asset::from(Cord { length: 0.3, curl: [0.0; 2] });
        let instances = vec![Instance { name: "rope".into(), asset }];
        let structure = Structure { rig: RigName::STUDIO_PANDA.rig(), instances };
        let mut world = World::new(&structure).unwrap();
        let scene = Scene::plain(structure);
        world.reset(&scene).unwrap();
        (world, scene)
    }

    #[test]
    fn a_rope_that_blows_up_ends_the_episode_as_an_error_that_names_it() {
        let (mut world, scene) = world();
        let idle = world.control().idle();
        let hash = world.state_hash();
        let node = world.flexes[0].nodes[7];
        // Not a number, and faster than anything moves.
        for speed in [f64::NAN, 1e4] {
            world.data.qvel_mut()[node.dof] = speed;
            let wrong = world.step(idle.values()).unwrap_err().to_string();
            assert!(wrong.contains("rope"), "{wrong}");
            world.reset(&scene).unwrap();
            assert_eq!(world.state_hash(), hash, "a reset mends it");
            world.step(idle.values()).unwrap();
            world.reset(&scene).unwrap();
        }
    }

    #[test]
    fn a_rope_rests_and_sleeps_where_it_was_laid() {
        let (mut world, _) = world();
        let before = world.snapshot().soft[0].points.clone();
        let idle = world.control().idle();
        for _ in 0..40 {
            world.step(idle.values()).unwrap();
        }
        for (p, q) in before.iter().zip(&world.snapshot().soft[0].points) {
            assert!(p.distance(*q) < 1e-4, "{p} {q}");
        }
        assert!(world.snapshot().touching.get(1, 0), "asleep it still touches the table");
    }
}
