//! LIBERO's objects in the physics: they rest where they are put and hold what is put in them.

use longarm_assets::{Instance, RigName, Structure, Tint, libero};
use longarm_sim::{CameraRig, ImageSettings, World};
use longarm_task::{PartState, Scene, part_pose};
use longarm_types::{DQuat, DVec3, Pose, Seed, rotation_between};

struct Set {
    scene: Scene,
    world: World,
}

/// Objects on the kitchen table, settled. Parts are given as instance, name and joint value.
fn set(objects: &[(&str, Pose)], parts: &[(usize, &str, f64)]) -> Set {
    let instances: Vec<_> = objects
        .iter()
        .enumerate()
        .map(|(i, (category, _))| Instance {
            name: format!("{category}_{i}"),
            asset: libero::asset(category).expect("a category"),
        })
        .collect();
    let n = instances.len();
    let scene = Scene {
        seed: Seed(0),
        structure: Structure { rig: RigName::LIBERO_KITCHEN.rig(), instances },
        poses: objects.iter().map(|t| t.1).collect(),
        tints: vec![Tint::Own; n],
        starts_on: vec![0; n],
        called: objects.iter().map(|t| t.0.into()).collect(),
        parts: parts
            .iter()
            .map(|&(instance, part, value)| PartState { instance, part: part.into(), value })
            .collect(),
        lines: vec![],
        belts: vec![],
        variables: Default::default(),
        instruction: String::new(),
    };
    let mut world = World::new(&scene.structure).expect("compiles");
    world.reset(&scene).unwrap_or_else(|e| panic!("{e}"));
    Set { scene, world }
}

impl Set {
    /// Pose of the body with this name.
    fn pose(&self, name: &str) -> Pose {
        let i = self.world.bodies().iter().position(|b| b.name == name).expect("body");
        self.world.snapshot().bodies[i].pose
    }

    fn joint(&self, name: &str) -> f64 {
        let i = self.world.bodies().iter().position(|b| b.name == name).expect("body");
        self.world.snapshot().joints[i]
    }

    fn wait(&mut self, steps: usize) {
        for _ in 0..steps {
            let idle = self.world.control().idle();
            self.world.step(idle.values()).expect("steps");
        }
    }

    /// Moves the tool towards a pose at a share of full speed, until there or out of steps.
    fn go(&mut self, to: &Pose, speed: f64, grip: f32, steps: usize) {
        for _ in 0..steps {
            let from = self.world.snapshot().hands[0].commanded;
            let d = ((to.pos - from.pos) / 0.05).clamp_length_max(speed);
            let r = (rotation_between(from.rot, to.rot) / 0.5).clamp_length_max(speed);
            let [a, b, c, e, f, g] = [d.x, d.y, d.z, r.x, r.y, r.z].map(|v| v as f32);
            self.world.step(&[a, b, c, e, f, g, grip]).expect("steps");
            let (far, turned) = from.error_to(to);
            if far < 1e-4 && turned < 1e-3 {
                return;
            }
        }
    }

    /// Takes hold with a tool pose or its half-turned twin, whichever needs less turning.
    fn take(&mut self, tool: Pose) -> Pose {
        let half = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(std::f64::consts::PI));
        let from = self.world.snapshot().hands[0].pose;
        let twin = tool * half;
        let tool = if from.error_to(&tool).1 <= from.error_to(&twin).1 { tool } else { twin };
        self.go(&(tool * Pose::at(0.0, 0.0, -0.10)), 0.5, -1.0, 120);
        self.go(&tool, 0.25, -1.0, 60);
        for grip in [[-1.0; 3].as_slice(), &[1.0; 14]].concat() {
            self.world.step(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, grip]).expect("steps");
        }
        tool
    }

    /// Waits two seconds and tells the farthest that anything moved or turned meanwhile.
    fn drift(&mut self) -> (String, f64, f64) {
        let names: Vec<String> =
            self.scene.structure.instances.iter().map(|i| i.name.clone()).collect();
        let before: Vec<Pose> = names.iter().map(|n| self.pose(n)).collect();
        self.wait(40);
        names
            .into_iter()
            .zip(before)
            .map(|(n, p)| {
                let (moved, turned) = p.error_to(&self.pose(&n));
                (n, moved, turned)
            })
            .max_by(|a, b| (a.1 + 0.05 * a.2).total_cmp(&(b.1 + 0.05 * b.2)))
            .expect("something")
    }

    fn still(&mut self) {
        let (name, moved, turned) = self.drift();
        assert!(moved < 5e-4 && turned < 0.01, "{name} moved {moved} m and turned {turned} rad");
    }
}

fn at(x: f64, y: f64) -> Pose {
    Pose::at(x, y, 0.0)
}

#[test]
fn every_category_stands_still_where_it_is_put() {
    for group in libero::CATEGORIES.chunks(6) {
        let place = |i: usize| at(-0.16 + 0.42 * (i % 2) as f64, -0.42 + 0.40 * (i / 2) as f64);
        let objects: Vec<_> = group.iter().enumerate().map(|(i, c)| (*c, place(i))).collect();
        let mut s = set(&objects, &[]);
        for (i, (category, put)) in objects.iter().enumerate() {
            let now = s.pose(&format!("{category}_{i}"));
            let (moved, turned) = put.error_to(&now);
            assert!(moved < 0.002 && turned < 0.03, "{category} went {moved} m, {turned} rad");
        }
        s.still();
    }
}

#[test]
fn vessels_hold_what_is_put_in_them() {
    let up = |x: f64, y: f64, z: f64| Pose::at(x, y, z);
    let flat = Pose::new(
        DVec3::new(-0.10, -0.22, 0.236),
        DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2),
    );
    let mut s = set(
        &[
            ("akita_black_bowl", at(0.0, 0.0)),
            ("onion", up(0.0, 0.0, 0.008)),
            ("akita_black_bowl", at(0.15, 0.0)),
            ("akita_black_bowl", up(0.15, 0.0, 0.026)),
            ("plate", at(0.0, 0.2)),
            ("akita_black_bowl", up(0.0, 0.2, 0.008)),
            ("basket", at(0.2, 0.3)),
            ("milk", up(0.2, 0.3, 0.006)),
            ("chefmate_8_frypan", at(0.2, -0.3)),
            ("egg", up(0.2, -0.3, 0.008)),
            ("wine_rack", Pose::at(-0.10, -0.30, 0.0)),
            ("wine_bottle", flat),
        ],
        &[],
    );
    s.still();
    let near = |a: &str, b: &str, within: f64, above: f64| {
        let d = s.pose(a).pos - s.pose(b).pos;
        assert!(d.truncate().length() < within, "{a} is {d} from {b}");
        assert!((0.0..above).contains(&d.z), "{a} is {d} from {b}");
    };
    near("onion_1", "akita_black_bowl_0", 0.02, 0.03);
    near("akita_black_bowl_3", "akita_black_bowl_2", 0.03, 0.04);
    near("akita_black_bowl_5", "plate_4", 0.03, 0.02);
    near("milk_7", "basket_6", 0.03, 0.02);
    near("egg_9", "chefmate_8_frypan_8", 0.05, 0.02);
    let bottle = s.pose("wine_bottle_11");
    assert!(bottle.dir(DVec3::Z).z.abs() < 0.1, "the bottle lies");
    assert!((bottle.pos.x + 0.10).abs() < 0.01, "in the groove: {:?}", bottle.pos);
    assert!((0.222..0.245).contains(&bottle.pos.z), "{:?}", bottle.pos);
}

#[test]
fn drawers_carry_objects_and_stay_where_they_are() {
    for cabinet in ["wooden_cabinet", "white_cabinet"] {
        let mut s = set(
            &[
                (cabinet, at(0.0, 0.3)),
                ("akita_black_bowl", Pose::at(0.03, 0.3 + 0.0113 - 0.15, 0.160)),
                ("butter", Pose::at(-0.05, 0.3 + 0.0113, 0.020)),
                ("onion", Pose::at(0.0, 0.33, 0.224)),
            ],
            &[(0, "top", 0.15), (0, "bottom", 0.0)],
        );
        s.still();
        let part = |p: &str| s.joint(&format!("{cabinet}_0/{p}"));
        assert!((part("top") - 0.15).abs() < 1e-3 && part("bottom").abs() < 1e-6);
        let info = s.scene.structure.instances[0].asset.info();
        for (object, drawer) in [("akita_black_bowl_1", "top"), ("butter_2", "bottom")] {
            let region = info.region(&format!("{drawer}_region")).expect("region");
            let frame = s.pose(&format!("{cabinet}_0/{drawer}")) * region.pose;
            let d = frame.local(s.pose(object).pos).abs() - DVec3::from(region.half);
            assert!(d.x < 0.0 && d.y < 0.0 && d.z < 0.01, "{object} sticks out of {drawer} by {d}");
        }
    }
}

#[test]
fn every_movable_is_lifted_by_its_first_grasp() {
    for category in libero::CATEGORIES {
        let info = libero::asset(category).expect("a category").info().clone();
        if info.fixed {
            continue;
        }
        let put = at(-0.12, 0.0);
        let mut s = set(&[(*category, put)], &[]);
        let tool = s.take(put * info.grasps[0].tool);
        s.go(&Pose::new(tool.pos + 0.2 * DVec3::Z, tool.rot), 0.4, 1.0, 60);
        let z = s.pose(&format!("{category}_0")).pos.z;
        assert!(z > 0.15, "{category} is only {z} m up");
    }
}

#[test]
fn every_part_opens_by_its_first_handle() {
    let back = std::f64::consts::PI;
    // Where LIBERO's kitchens have them.
    let places = [
        ("wooden_cabinet", at(0.0, -0.3).yawed(back)),
        ("white_cabinet", at(0.0, 0.3)),
        ("microwave", at(0.0, 0.35)),
        ("microwave", at(0.0, -0.25).yawed(back)),
        ("flat_stove", at(-0.2, 0.2)),
        ("flat_stove", at(-0.2, -0.2)),
    ];
    for (category, put) in places {
        let info = libero::asset(category).expect("a category").info().clone();
        for part in &info.parts {
            let grasp = info.grasps.iter().find(|g| g.part.as_ref() == Some(&part.name));
            let grasp = grasp.expect("a handle");
            let along = |q: f64| put * part_pose(part, q) * grasp.tool;
            let mut s = set(&[(category, put)], &[]);
            let tool = s.take(along(0.0));
            let flip = along(0.0).inverse() * tool;
            // A door's bar turns in the fingers: the hand turns against the door, into its reach.
            let share = if part.name == "door" { -0.5 } else { 1.0 };
            let [lo, hi] = part.start(true);
            for k in 1..=60 {
                let full = along((lo + hi) / 2.0 * f64::from(k) / 60.0) * flip;
                s.go(&Pose::new(full.pos, tool.rot.slerp(full.rot, share)), 0.5, 1.0, 1);
            }
            let q = s.joint(&format!("{category}_0/{}", part.name));
            assert!(q >= part.open[0], "{category} {}: only {q}", part.name);
        }
    }
}

#[test]
fn the_burner_glows_while_the_stove_is_on() {
    let orange = |knob: f64| {
        let s = set(&[("flat_stove", at(-0.1, 0.0))], &[(0, "knob", knob)]);
        let settings = ImageSettings { size: Some((128, 128)), ..ImageSettings::default() };
        let mut cameras = CameraRig::new(&s.world, settings).expect("cameras");
        cameras.draw(&s.world, &mut Seed(0).stream("noise"));
        let frame = cameras.frames().next().expect("agentview").1;
        frame.rgb.chunks(3).filter(|p| p[0] > 200 && p[2] < 90 && p[0] > p[1] + 40).count()
    };
    // The knob's own pointer is a pixel or two.
    assert!(orange(0.0) < 5);
    assert!(orange(0.4) < 5, "not yet on");
    assert!(orange(0.6) > 40, "{}", orange(0.6));
}
