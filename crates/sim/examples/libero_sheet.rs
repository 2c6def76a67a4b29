//! Pictures of LIBERO's categories and work places, to look at.
//!
//! `libero_sheet DIR [CATEGORY…]` writes `DIR/objects.png` (each category from near, without the
//! arm), and without categories `DIR/rooms.png` (each rig's cameras with a few objects on its table).

use std::error::Error;
use std::path::Path;

use longarm_assets::{CameraMount, Instance, Rig, RigName, Structure, Tint, libero};
use longarm_data::image::{ContactSheet, Image};
use longarm_sim::{CameraRig, ImageSettings, World};
use longarm_task::PartState;
use longarm_task::Scene;
use longarm_types::{DMat3, DQuat, DVec3, Pose, Seed};

/// Category, where it stands, which way it looks.
type Put = (&'static str, [f64; 3], f64);
/// Title, rig, objects, and parts that are open: object, part, joint value.
type Place<'a> = (&'a str, RigName, &'a [Put], &'a [(usize, &'a str, f64)]);

fn scene(rig: Rig, objects: &[Put], open: &[(usize, &str, f64)]) -> Result<Scene, Box<dyn Error>> {
    let mut instances = Vec::new();
    for (i, (category, ..)) in objects.iter().enumerate() {
        let asset = libero::asset(category).ok_or_else(|| format!("no category {category}"))?;
        instances.push(Instance { name: format!("{category}_{i}"), asset });
    }
    let part = |&(instance, part, value): &(usize, &str, f64)| PartState {
        instance,
        part: part.into(),
        value,
    };
    Ok(Scene {
        seed: Seed(0),
        structure: Structure { rig, instances },
        poses: objects.iter().map(|(_, [x, y, z], a)| Pose::at(*x, *y, *z).yawed(*a)).collect(),
        tints: vec![Tint::Own; objects.len()],
        starts_on: vec![0; objects.len()],
        called: objects.iter().map(|t| t.0.into()).collect(),
        parts: open.iter().map(part).collect(),
        lines: vec![],
        belts: vec![],
        variables: Default::default(),
        instruction: String::new(),
    })
}

fn pictures(scene: &Scene, size: Option<(usize, usize)>) -> Result<Vec<Image>, Box<dyn Error>> {
    let mut world = World::new(&scene.structure)?;
    world.reset(scene)?;
    let settings = ImageSettings { size, smooth: true, view: true, ..ImageSettings::default() };
    let mut cameras = CameraRig::new(&world, settings)?;
    cameras.draw(&world, &mut Seed(0).stream("noise"));
    Ok(cameras
        .frames()
        .map(|(_, f)| Image::new(f.width, f.height, f.rgb.clone()))
        .collect::<Result<_, _>>()?)
}

fn look_at(eye: DVec3, target: DVec3) -> Pose {
    let z = (eye - target).normalize();
    let x = DVec3::Z.cross(z).normalize();
    Pose::new(eye, DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z)).normalize())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let dir = args.next().ok_or("which folder?")?;
    let dir = Path::new(&dir);
    std::fs::create_dir_all(dir)?;
    let wanted: Vec<String> = args.collect();
    let mut sheet = ContactSheet::new().columns(7);
    for &category in libero::CATEGORIES {
        if !wanted.is_empty() && !wanted.iter().any(|w| w == category) {
            continue;
        }
        let asset = libero::asset(category).ok_or("category")?;
        let info = asset.info();
        let reach = DVec3::from(info.bounds.half).length();
        let mut rig = RigName::LIBERO_KITCHEN.rig();
        let at = DVec3::new(0.1, 0.0, 0.0);
        let target = at + DVec3::from(info.bounds.centre);
        // Fixtures show their fronts (−y); the rest is seen as agentview sees it, from +x.
        let from =
            if info.fixed { DVec3::new(0.55, -1.0, 0.75) } else { DVec3::new(1.0, -0.35, 0.8) };
        let eye = target + from.normalize() * (3.1 * reach);
        for c in &mut rig.cameras {
            if let CameraMount::World(pose) = &mut c.mount {
                *pose = look_at(eye, target);
            }
        }
        let mut first: Vec<_> =
            info.parts.iter().take(1).map(|p| (0, p.name.as_str(), p.start(true)[0])).collect();
        if category == "white_cabinet" {
            first.clear();
        }
        let s = scene(rig, &[(category, at.to_array(), 0.0)], &first)?;
        match pictures(&s, Some((224, 224))) {
            Ok(p) => sheet.push(category, p[0].clone()),
            Err(e) => eprintln!("{category}: {e}"),
        }
    }
    sheet.render()?.write_png(dir.join("objects.png"))?;
    if !wanted.is_empty() {
        return Ok(());
    }
    let pi = std::f64::consts::PI;
    let kitchen: &[Put] = &[
        ("wooden_cabinet", [0.0, -0.30, 0.0], pi),
        ("flat_stove", [-0.20, 0.20, 0.0], 0.0),
        ("akita_black_bowl", [0.10, 0.02, 0.0], 0.0),
        ("akita_black_bowl", [-0.15, 0.04, 0.0], 0.0),
        ("plate", [0.08, 0.20, 0.0], 0.0),
        ("moka_pot", [0.12, 0.34, 0.0], 0.0),
    ];
    let kitchen4: &[Put] = &[
        ("white_cabinet", [0.0, 0.30, 0.0], 0.0),
        ("wine_rack", [-0.10, -0.30, 0.0], pi),
        ("akita_black_bowl", [0.03, -0.07, 0.0], 0.0),
        ("wine_bottle", [-0.15, 0.05, 0.0], 0.0),
    ];
    let kitchen6: &[Put] = &[
        ("microwave", [0.0, 0.35, 0.0], 0.0),
        ("porcelain_mug", [-0.10, -0.25, 0.0], 0.0),
        ("white_yellow_mug", [0.0, 0.0, 0.0], 0.0),
    ];
    let living: &[Put] = &[
        ("basket", [0.0, 0.26, 0.0], 0.0),
        ("alphabet_soup", [0.05, -0.10, 0.0], 0.0),
        ("cream_cheese", [-0.15, 0.06, 0.0], 0.0),
        ("tomato_sauce", [0.10, -0.20, 0.0], 0.0),
        ("ketchup", [-0.20, -0.15, 0.0], 0.0),
        ("milk", [0.10, 0.05, 0.0], 0.0),
        ("orange_juice", [0.0, -0.30, 0.0], 0.0),
        ("butter", [0.15, -0.02, 0.0], 0.0),
    ];
    let study: &[Put] = &[
        ("desk_caddy", [-0.20, -0.14, 0.0], pi),
        ("black_book", [0.0, 0.15, 0.0], -1.2),
        ("white_yellow_mug", [0.10, 0.0, 0.0], 0.0),
        ("yellow_book", [0.05, -0.2, 0.0], 0.4),
    ];
    let floor: &[Put] = &[("basket", [0.0, 0.2, 0.0], 0.0), ("milk", [0.05, -0.1, 0.0], 0.0)];
    let rooms: [Place; 7] = [
        ("kitchen 1/3", RigName::LIBERO_KITCHEN, kitchen, &[(0, "top", 0.15), (1, "knob", 1.0)]),
        ("kitchen 4", RigName::LIBERO_KITCHEN, kitchen4, &[(0, "bottom", 0.15)]),
        ("kitchen 6", RigName::LIBERO_KITCHEN, kitchen6, &[(0, "door", 1.7)]),
        ("living room", RigName::LIBERO_LIVING_ROOM, living, &[]),
        ("study", RigName::LIBERO_STUDY, study, &[]),
        ("coffee table", RigName::LIBERO_COFFEE, living, &[]),
        ("floor", RigName::LIBERO_FLOOR, floor, &[]),
    ];
    let mut sheet = ContactSheet::new().columns(3);
    for (title, rig, objects, open) in rooms {
        let s = scene(rig.rig(), objects, open)?;
        for (name, picture) in
            ["agentview", "wrist", "view"].into_iter().zip(pictures(&s, Some((320, 320)))?)
        {
            sheet.push(format!("{title}: {name}"), picture);
        }
    }
    sheet.render()?.write_png(dir.join("rooms.png"))?;
    Ok(())
}
