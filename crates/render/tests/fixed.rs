//! Kept pictures of fixed cameras against pictures drawn afresh.

#[path = "../examples/tabletop/mod.rs"]
mod tabletop;

use longarm_render::*;
use tabletop::{Tabletop, tabletop};

/// Moves everything that moves a little, some of it far.
fn stir(table: &mut Tabletop, round: usize) {
    for (k, &i) in table.moving.iter().enumerate() {
        let instance = &mut table.scene.instances[i];
        let far = if k % 5 == round % 5 { 10.0 } else { 1.0 };
        instance.position[0] += far * 0.004 * libm::sinf((round * 3 + k) as f32);
        instance.position[1] += far * 0.004 * libm::cosf((round * 5 + k) as f32);
    }
}

fn same(renderer: &mut Renderer, table: &Tabletop, channels: Channels, what: &str) {
    let (mut kept, mut fresh) = (Frame::new(), Frame::new());
    for (slot, camera) in table.cameras.iter().enumerate() {
        renderer.render_fixed(slot, &table.scene, camera, channels, &mut kept);
        renderer.render(&table.scene, camera, channels, &mut fresh);
        let differ = kept.rgb.iter().zip(&fresh.rgb).filter(|(a, b)| a != b).count();
        assert!(kept == fresh, "{what}, camera {slot}: {differ} bytes of colour differ");
    }
}

#[test]
fn kept_pictures_are_drawn_to_the_bit() {
    let spot =
        KeyLight::Spot { position: [0.3, -0.2, 1.4], direction: [-0.2, 0.1, -1.0], cutoff: 0.8 };
    let lights = [Lighting::default(), Lighting { key: spot, ..Lighting::default() }];
    for (antialias, lighting) in [(false, lights[0]), (true, lights[0]), (false, lights[1])] {
        let mut table = tabletop(97, 80);
        // Something static that is seen through, and something that moves.
        let still = (0..table.scene.instances.len()).find(|i| !table.moving.contains(i)).unwrap();
        let glass = table.moving[0];
        table.scene.instances[glass].rgba = Some([0.5, 0.7, 0.9, 0.6]);
        let mut renderer = Renderer::new(Settings { antialias, ..Settings::default() }, lighting);
        for round in 0..6 {
            renderer.update_shadows(&table.scene);
            for channels in [Channels::ALL, Channels::COLOR, Channels::COLOR] {
                same(&mut renderer, &table, channels, &format!("{antialias} {round}"));
            }
            stir(&mut table, round);
        }
        // What does not move may change all the same.
        type Change = fn(&mut Tabletop, usize);
        let changes: [(&str, Change); 6] = [
            ("colour", |t, i| t.scene.instances[i].rgba = Some([0.9, 0.1, 0.1, 1.0])),
            ("place", |t, i| t.scene.instances[i].position[0] += 0.05),
            ("material", |t, i| {
                let id = t.scene.instances[i].material;
                t.scene.material_mut(id).specular += 0.3;
            }),
            ("shape", |t, i| {
                let id = t.scene.instances[i].mesh;
                t.scene.update_mesh(id, |m| m.positions.iter_mut().for_each(|p| p[2] *= 0.9));
            }),
            ("opacity", |t, i| t.scene.instances[i].rgba = Some([0.9, 0.1, 0.1, 0.4])),
            ("absence", |t, i| t.scene.instances[i].visible = false),
        ];
        for (what, change) in changes {
            change(&mut table, still);
            renderer.update_shadows(&table.scene);
            same(&mut renderer, &table, Channels::COLOR, what);
            stir(&mut table, 1);
            renderer.update_shadows(&table.scene);
            same(&mut renderer, &table, Channels::COLOR, what);
        }
        table.scene.background.zenith = [0.0; 3];
        renderer.lighting.sky = [0.2; 3];
        same(&mut renderer, &table, Channels::COLOR, "light");
        table.cameras[0].position[0] += 0.01;
        same(&mut renderer, &table, Channels::COLOR, "camera");
    }
}
