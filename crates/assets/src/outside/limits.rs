//! How large outside files may be.

/// Bytes of an MJCF or TOML file.
pub const MOST_XML: usize = 4 << 20;
/// Bytes of a mesh file.
pub const MOST_MESH_BYTES: usize = 32 << 20;
/// Bytes of a picture file.
pub const MOST_PICTURE_BYTES: usize = 16 << 20;
/// Bytes of all files of an object.
pub const MOST_BYTES: usize = 64 << 20;
/// Pixels of a picture along a side.
pub const MOST_PIXELS: u32 = 2048;
/// Elements of an MJCF file with what it includes.
pub const MOST_ELEMENTS: usize = 4000;
/// How deep elements nest.
pub const MOST_DEPTH: usize = 24;
/// Files an MJCF file comes to.
pub const MOST_FILES: usize = 16;
/// Geoms of a body.
pub const MOST_GEOMS: usize = 256;
/// Parts of an object.
pub const MOST_PARTS: usize = 16;
/// Meshes of an object.
pub const MOST_MESHES: usize = 64;
/// Textures of an object.
pub const MOST_TEXTURES: usize = 16;
/// Triangles of all meshes of an object.
pub const MOST_FACES: usize = 200_000;

/// Whether a word can be part of a name in the model.
pub fn is_name(word: &str) -> bool {
    let ok = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !word.is_empty() && word.len() <= 60 && word.chars().all(ok)
}
