//! Textures, materials and the background.

use longarm_render::{Material, MaterialId, Scene, Texture};
use mujoco_rs::prelude::*;

use super::ModelLook;

/// MuJoCo's default highlight is that of polished plastic; this share of it suits matte objects.
const SPECULAR_SHARE: f32 = 0.35;

/// The share of the highlights that is drawn.
fn specular_share(look: ModelLook) -> f32 {
    match look {
        ModelLook::Engine => SPECULAR_SHARE,
        ModelLook::OpenGl => 1.0,
    }
}

/// A byte of a picture in sRGB as a share of light.
fn linear(byte: u8) -> u8 {
    let c = f64::from(byte) / 255.0;
    let l = if c <= 0.04045 { c / 12.92 } else { libm::pow((c + 0.055) / 1.055, 2.4) };
    (l * 255.0 + 0.5) as u8
}

/// The colour texture of a material.
pub(super) fn texture_of(model: &MjModel, material: i32) -> Option<usize> {
    let material = usize::try_from(material).ok()?;
    let id = model.mat_texid()[material][MjtTextureRole::mjTEXROLE_RGB as usize];
    usize::try_from(id).ok()
}

pub(super) fn add_textures(
    model: &MjModel,
    scene: &mut Scene,
    look: ModelLook,
) -> Vec<Option<longarm_render::TextureId>> {
    (0..model.tex_type().len())
        .map(|i| {
            if model.tex_type()[i] == MjtTexture::mjTEXTURE_SKYBOX {
                return None;
            }
            let (width, height) = (model.tex_width()[i] as usize, model.tex_height()[i] as usize);
            let mut rgb = pixels(model, i)?;
            let srgb = model.tex_colorspace()[i] == MjtColorSpace::mjCOLORSPACE_SRGB;
            if srgb && look == ModelLook::OpenGl {
                let table: Vec<u8> = (0..=255).map(linear).collect();
                rgb.iter_mut().for_each(|b| *b = table[usize::from(*b)]);
            }
            let flat = model.tex_type()[i] == MjtTexture::mjTEXTURE_2D;
            let texture = if look == ModelLook::OpenGl {
                let six = !flat && height == width;
                let rgb = if six { rgb.repeat(6) } else { rgb };
                let (faces, high) = if flat { (1, height) } else { (6, width) };
                Texture::resampled(width, high, faces, &rgb)
            } else if flat {
                Texture::flat(width, height, &rgb)
            } else if height == width {
                Texture::cube(width, &rgb.repeat(6))
            } else {
                Texture::cube(width, &rgb)
            };
            Some(scene.add_texture(texture))
        })
        .collect()
}

/// A texture's pixels as RGB; `None` for encodings that only other renderers read.
fn pixels(model: &MjModel, i: usize) -> Option<Vec<u8>> {
    let channels = model.tex_nchannel()[i] as usize;
    let first = usize::try_from(model.tex_adr()[i]).ok()?;
    let count = model.tex_width()[i] as usize * model.tex_height()[i] as usize;
    if !(3..=4).contains(&channels) {
        return None;
    }
    let data = &model.tex_data()[first..first + count * channels];
    Some(data.chunks_exact(channels).flat_map(|p| [p[0], p[1], p[2]]).collect())
}

pub(super) fn add_materials(
    model: &MjModel,
    scene: &mut Scene,
    textures: &[Option<longarm_render::TextureId>],
    look: ModelLook,
) -> Vec<MaterialId> {
    let mut all: Vec<MaterialId> = (0..model.mat_rgba().len())
        .map(|i| {
            let texture = texture_of(model, i as i32).and_then(|t| textures[t]);
            let mut material = Material { texture, ..Material::default() };
            copy_material(model, i, &mut material, look);
            scene.add_material(material)
        })
        .collect();
    let plain =
        Material { specular: 0.5 * specular_share(look), shininess: 0.5, ..Material::default() };
    all.push(scene.add_material(plain));
    all
}

pub(super) fn copy_material(model: &MjModel, i: usize, material: &mut Material, look: ModelLook) {
    material.rgba = model.mat_rgba()[i];
    // MuJoCo takes 0 for "do not repeat".
    material.tex_repeat = model.mat_texrepeat()[i].map(|r| if r > 0.0 { r } else { 1.0 });
    material.tex_uniform = model.mat_texuniform()[i];
    material.specular = specular_share(look) * model.mat_specular()[i];
    material.shininess = model.mat_shininess()[i];
    material.emission = model.mat_emission()[i];
    material.reflectance = model.mat_reflectance()[i];
}

/// A gradient in place of the model's skybox, if it has one: mean of its upper face, and of the
/// middle of its sides.
pub(super) fn background(model: &MjModel) -> Option<longarm_render::Background> {
    let i = model.tex_type().iter().position(|&t| t == MjtTexture::mjTEXTURE_SKYBOX)?;
    let rgb = pixels(model, i)?;
    let n = model.tex_width()[i] as usize;
    let mean = |bytes: &[u8]| {
        let mut sum = [0u64; 3];
        for p in bytes.chunks_exact(3) {
            for k in 0..3 {
                sum[k] += p[k] as u64;
            }
        }
        sum.map(|s| s as f32 / (255.0 * (bytes.len() / 3).max(1) as f32))
    };
    let face = |f: usize| &rgb[(3 * n * n * f).min(rgb.len() - 3 * n * n)..][..3 * n * n];
    let middle = 3 * n * (n / 2)..3 * n * (n / 2) + 3 * n;
    let sides = [0, 1, 4, 5].map(|f| mean(&face(f)[middle.clone()]));
    let horizon =
        std::array::from_fn(|k| 0.25 * (sides[0][k] + sides[1][k] + sides[2][k] + sides[3][k]));
    Some(longarm_render::Background { zenith: mean(face(2)), horizon })
}
