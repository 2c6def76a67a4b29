//! Pictures of a world from files: groups, a mirror, sites.

use longarm_sim::{SourceCameras, SourceWorld};

use crate::osc::{model, robot};

/// A black block that may be a mirror, a red wall behind it, a green solid that is not seen, a lamp.
fn scene(reflectance: f32) -> SourceWorld {
    let mut model = model();
    let own = format!(
        "<asset><material name=\"glass\" rgba=\"0 0 0 1\" reflectance=\"{reflectance}\" specular=\"0\"/></asset>\
         <worldbody><light name=\"sun\" directional=\"true\" pos=\"0 0 3\" dir=\"0 1 -0.2\" castshadow=\"false\"/>\
         <camera name=\"eye\" pos=\"0 -1.2 0.8\" xyaxes=\"1 0 0 0 0.55 0.83\"/>\
         <geom type=\"box\" size=\"0.4 0.4 0.02\" pos=\"0 0 0\" group=\"1\" material=\"glass\"/>\
         <geom type=\"box\" size=\"1 0.02 0.5\" pos=\"0 0.8 0.5\" group=\"1\" rgba=\"1 0 0 1\"/>\
         <geom type=\"box\" size=\"0.2 0.2 0.2\" pos=\"0 -0.3 0.2\" group=\"0\" rgba=\"0 1 0 1\"/>\
         <site name=\"lamp\" type=\"cylinder\" size=\"0.1 0.01\" pos=\"0.2 0 0.05\" rgba=\"0 0 1 1\"/>"
    );
    model.xml = model.xml.replacen("<worldbody>", &own, 1);
    SourceWorld::new(&model, &robot()).unwrap()
}

/// Pixels in which one channel is far above the others.
fn count(rgb: &[u8], channel: usize) -> usize {
    let clear = |p: &&[u8]| (0..3).all(|k| k == channel || p[channel] > p[k].saturating_add(40));
    rgb.chunks_exact(3).filter(clear).count()
}

#[test]
fn groups_mirrors_and_sites_are_drawn_as_asked() {
    let mut reds = Vec::new();
    for reflectance in [0.0, 0.6] {
        let world = scene(reflectance);
        let eye = world.camera("eye").unwrap();
        let mut cameras = SourceCameras::new(&world, 96, 96);
        let rgb = cameras.draw(&world, eye).to_vec();
        assert_eq!(count(&rgb, 1), 0, "solids of group 0 are not seen");
        assert_eq!(count(&rgb, 2), 0, "sites are hidden at first");
        reds.push(count(&rgb, 0));
        assert_eq!(cameras.draw(&world, eye), rgb, "the same again");
        let lamp = world.site("lamp").unwrap();
        cameras.show_site(lamp, true);
        assert!(count(cameras.draw(&world, eye), 2) > 20, "a lamp that is on");
        cameras.show_site(lamp, false);
        assert_eq!(cameras.draw(&world, eye), rgb);
    }
    assert!(reds[0] > 500, "the wall: {}", reds[0]);
    assert!(reds[1] > reds[0] + 200, "and its image: {} of {}", reds[1], reds[0]);
}
