//! What to do about a server that misses a key.

use longarm_types::FormatPictures;

use super::{
    layout::Layout,
    spec::{PresetName, RemoteSpec},
};

/// Where a server failed because an observation has no such key: the preset that sends it.
pub(super) fn missing_key(text: &str, spec: &RemoteSpec, own: &Layout) -> Option<String> {
    let line = text.lines().rev().find_map(|l| l.trim().strip_prefix("KeyError: "))?;
    let key = line.trim().trim_matches(['\'', '"']);
    if key.is_empty() || sends(own, key) {
        return None;
    }
    let has = |name: &&str| {
        let Some(preset) = PresetName::parse(name) else { return false };
        let mut other = spec.clone();
        other.preset = preset;
        sends(&Layout::of(&other), key)
    };
    let dialect = spec.dialect;
    let presets: Vec<&str> = dialect.presets().iter().copied().filter(has).collect();
    Some(match presets[..] {
        [] => format!("no preset of {} sends that key", dialect.name()),
        _ => format!("preset={} sends that key", presets.join(" or preset=")),
    })
}

fn sends(layout: &Layout, key: &str) -> bool {
    let format = &layout.format;
    let picture = match &format.pictures {
        FormatPictures::All(before, after) => {
            format.group.is_none() && key.starts_with(before) && key.ends_with(after)
        }
        FormatPictures::Keyed(keys) => keys.iter().any(|(k, _)| k == key),
        FormatPictures::ByPlace { .. } => false,
    };
    picture
        || format.group == Some(key)
        || layout.prompt == key
        || format.vectors.iter().any(|v| v.names(key))
}
