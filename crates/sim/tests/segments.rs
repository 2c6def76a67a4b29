//! Who is who in pictures.

use longarm_assets::{RigName, Structure};
use longarm_render::Channels;
use longarm_sim::{CameraRig, ImageSettings, World};
use longarm_task::Scene;
use longarm_types::{Seed, Segment};

#[test]
fn pictures_tell_limbs_apart() {
    let scene = Scene::plain(Structure { rig: RigName::TWO_PANDAS.rig(), instances: vec![] });
    let mut world = World::new(&scene.structure).unwrap();
    world.reset(&scene).unwrap();
    let channels = Channels { segment: true, ..Channels::COLOR };
    let images = ImageSettings { channels, view: true, ..ImageSettings::default() };
    let mut cameras = CameraRig::new(&world, images).unwrap();
    cameras.draw(&world, &mut Seed(0).stream("pixels"));
    let (_, view) = cameras.frames().last().unwrap();
    let count = |s: Segment| view.segment.iter().filter(|id| Segment::of(**id) == s).count();
    let all = [Segment::Limb(0), Segment::Limb(1), Segment::Body(0), Segment::Background];
    let seen = all.map(count);
    assert!(seen[..3].iter().all(|n| *n > 2000), "{seen:?}");
    assert_eq!(seen.iter().sum::<usize>(), view.segment.len(), "{seen:?}");
}
