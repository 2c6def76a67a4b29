//! The image in a mirror: a plane, or the upper side of a box.

use longarm_render::{Background, Camera, Channels, Frame, Renderer, VertexLight};
use mujoco_rs::prelude::*;

use crate::bridge::ModelScene;

/// The one mirror that MuJoCo draws: the first plane or box whose material reflects. What lies below it
/// is left out whole, by where its middle is.
pub(super) struct Mirror {
    geom: usize,
    /// Share of the light that comes back.
    share: f32,
    image: Frame,
    /// Pixels in which it is seen, and with how many of their four samples.
    pixels: Vec<(usize, u32)>,
}

impl Mirror {
    pub(super) fn find(model: &MjModel) -> Option<Self> {
        let share = |geom: usize| {
            let material = usize::try_from(model.geom_matid()[geom]).ok()?;
            let flat = matches!(
                model.geom_type()[geom],
                MjtGeomBase::mjGEOM_PLANE | MjtGeomBase::mjGEOM_BOX
            );
            let seen = model.geom_group()[geom] > 0 && model.geom_rgba()[geom][3] >= 1.0;
            Some(model.mat_reflectance()[material]).filter(|r| flat && seen && *r > 0.0)
        };
        let (geom, share) =
            (0..model.geom_type().len()).find_map(|geom| Some((geom, share(geom)?)))?;
        Some(Self { geom, share, image: Frame::default(), pixels: Vec::new() })
    }

    /// Add what the mirror shows to a picture that was just drawn, by a fixed camera's slot or without.
    pub(super) fn draw(
        &mut self,
        data: &MjData<Box<MjModel>>,
        scene: &mut ModelScene,
        renderer: &mut Renderer,
        (slot, camera): (Option<usize>, &Camera),
        frame: &mut Frame,
    ) {
        let model = data.model();
        let m = data.geom_xmat()[self.geom].map(|v| v as f32);
        let up = [m[2], m[5], m[8]];
        let lift = match model.geom_type()[self.geom] {
            MjtGeomBase::mjGEOM_BOX => model.geom_size()[self.geom][2] as f32,
            _ => 0.0,
        };
        let centre = data.geom_xpos()[self.geom].map(|v| v as f32);
        let at: [f32; 3] = std::array::from_fn(|k| centre[k] + lift * up[k]);
        let above = |p: [f32; 3]| (0..3).map(|k| (p[k] - at[k]) * up[k]).sum::<f32>();
        if above(camera.position) <= 0.0 {
            return;
        }
        renderer.facing(slot, scene.scene(), self.geom as i32, up, &mut self.pixels);
        let (width, columns) = (frame.width, self.pixels.iter().map(|(i, _)| i % frame.width));
        let rows = self.pixels.iter().map(|(i, _)| i / width);
        let (Some(left), Some(right)) = (columns.clone().min(), columns.max()) else { return };
        let (Some(top), Some(bottom)) = (rows.clone().min(), rows.max()) else { return };
        let flip = |v: [f32; 3]| {
            let d: f32 = (0..3).map(|k| v[k] * up[k]).sum();
            std::array::from_fn(|k| v[k] - 2.0 * d * up[k])
        };
        // A mirrored camera would be left-handed: it looks the other way along x, and so are rows read.
        let mut behind = *camera;
        let away: [f32; 3] = std::array::from_fn(|k| camera.position[k] - at[k]);
        let away: [f32; 3] = flip(away);
        behind.position = std::array::from_fn(|k| at[k] + away[k]);
        for k in 0..3 {
            let axis: [f32; 3] = flip(std::array::from_fn(|j| camera.rotation[j][k]));
            for j in 0..3 {
                behind.rotation[j][k] = if k == 0 { -axis[j] } else { axis[j] };
            }
        }
        // Of the picture behind the mirror only what shows in it.
        let from = width - 1 - right;
        (behind.width, behind.height) = (right - left + 1, bottom - top + 1);
        behind.cx = camera.width as f32 - camera.cx - from as f32;
        behind.cy = camera.cy - top as f32;
        for i in &mut scene.scene_mut().instances {
            i.visible &= above(i.position) > 0.0 && i.segment != self.geom as i32;
            if let Some(rgba) = &mut i.rgba {
                rgba[..3].iter_mut().for_each(|c| *c *= self.share);
            }
        }
        let lighting = renderer.lighting;
        if let Some(lights) = &mut renderer.lighting.at_vertices
            && let Some([ambient, diffuse, specular]) = lights.headlight.take()
            && let Some(free) = lights.lights.iter_mut().find(|l| l.is_none())
        {
            // Light along the real line of sight.
            *free = Some(VertexLight {
                position: None,
                direction: std::array::from_fn(|j| -camera.rotation[j][2]),
                cutoff: std::f32::consts::PI,
                exponent: 0.0,
                attenuation: [1.0, 0.0, 0.0],
                ambient,
                diffuse,
                specular,
            });
        }
        // MuJoCo draws no sky in mirrors.
        let black = Background { zenith: [0.0; 3], horizon: [0.0; 3] };
        let sky = std::mem::replace(&mut scene.scene_mut().background, black);
        renderer.render(scene.scene(), &behind, Channels::COLOR, &mut self.image);
        scene.scene_mut().background = sky;
        renderer.lighting = lighting;
        for &(i, samples) in &self.pixels {
            let (x, y) = (i % width, i / width);
            let from = 3 * ((y - top) * behind.width + right - x);
            for k in 0..3 {
                let light = u32::from(self.image.rgb[from + k]) * samples / 4;
                frame.rgb[3 * i + k] = frame.rgb[3 * i + k].saturating_add(light as u8);
            }
        }
    }
}
