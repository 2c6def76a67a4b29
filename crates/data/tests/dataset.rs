//! Packs, manifests, clips and arrays.

use longarm_data::manifest::Manifest;
use longarm_data::video::{Clip, ClipEncoder, ClipJoiner, Mp4Writer, VideoOptions};
use longarm_data::{Column, Pack, npy};
use std::fs;
use std::path::{Path, PathBuf};

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dataset").join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn pack() -> Pack {
    let mut pack = Pack::default();
    pack.push("a", Column::F32 { width: 2, values: vec![1.5, -2.5, 3.0, 4.0] });
    pack.push("b", Column::Bool(vec![true, false]));
    pack.push("c", Column::I16 { width: 1, values: vec![-1, 300] });
    pack.push("d", Column::I64(vec![i64::MIN, 7]));
    pack
}

#[test]
fn packs_come_back_or_say_that_they_are_damaged() {
    let path = directory("pack").join("episode.pack");
    pack().write(&path).unwrap();
    assert_eq!(Pack::read(&path).unwrap(), pack());
    let bytes = fs::read(&path).unwrap();
    for cut in 0..bytes.len() {
        fs::write(&path, &bytes[..cut]).unwrap();
        let said = Pack::read(&path).unwrap_err().to_string();
        assert!(said.contains("episode.pack is damaged"), "{said}");
    }
}

#[test]
fn manifests_name_what_is_wrong() {
    let dir = directory("manifest");
    let mut manifest = Manifest::default();
    for name in ["cut", "changed", "gone", "fine"] {
        fs::write(dir.join(name), format!("contents of {name}")).unwrap();
        manifest.add(&dir, name).unwrap();
    }
    fs::write(dir.join("cut"), "contents").unwrap();
    fs::write(dir.join("changed"), "contents of cHanged").unwrap();
    fs::remove_file(dir.join("gone")).unwrap();
    let path = dir.join("files.json");
    manifest.write(&path).unwrap();
    let damage = Manifest::read(&path).unwrap().unwrap().damage(&dir);
    let names: Vec<&str> = damage.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(names, ["changed", "cut", "gone"]);
    assert!(damage[1].1.contains("8 bytes instead of 15"), "{damage:?}");
}

fn picture(n: usize) -> Vec<u8> {
    (0..32 * 32 * 3).map(|i| ((i / 3 % 32) * 7 + n * 11) as u8).collect()
}

fn clip(frames: std::ops::Range<usize>, options: VideoOptions) -> Clip {
    let mut encoder = ClipEncoder::new("test", 32, 32, options).unwrap();
    frames.for_each(|n| encoder.push(&picture(n)).unwrap());
    encoder.finish()
}

/// One clip alone is what the file writer makes of its frames; several are one after the other.
#[test]
fn clips_join_without_being_touched() {
    let dir = directory("clips");
    let options = VideoOptions::dataset(20);
    let mut straight = Mp4Writer::create(dir.join("straight.mp4"), 32, 32, options).unwrap();
    (0..7).for_each(|n| straight.push(&picture(n)).unwrap());
    straight.finish().unwrap();

    let first = clip(0..7, options);
    let mut packed = Pack::default();
    first.clone().store("camera", &mut packed);
    assert_eq!(Clip::take("camera", &mut packed).unwrap(), first);
    let mut alone = ClipJoiner::create(&dir.join("alone.mp4")).unwrap();
    alone.push(&first).unwrap();
    alone.finish().unwrap();
    let read = |name: &str| fs::read(dir.join(name)).unwrap();
    assert_eq!(read("straight.mp4"), read("alone.mp4"));

    let mut both = ClipJoiner::create(&dir.join("both.mp4")).unwrap();
    both.push(&first).unwrap();
    both.push(&clip(3..6, options)).unwrap();
    let other = clip(0..2, VideoOptions::dataset(10));
    assert!(!first.joins(&other) && first.kind() != other.kind());
    assert!(both.push(&other).is_err());
    both.finish().unwrap();
    assert!(read("both.mp4").len() > read("alone.mp4").len());
}

#[test]
fn arrays_have_numpys_header() {
    let path = directory("npy").join("a.npy");
    let column = Column::F32 { width: 6, values: (0..12).map(|v| v as f32).collect() };
    npy::write(&path, &column, &[2, 3]).unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len() % 64, 48);
    let header = String::from_utf8_lossy(&bytes[10..128]);
    assert!(
        header.contains("'descr': '<f4'") && header.contains("'shape': (2, 2, 3,)"),
        "{header}"
    );
    assert!(npy::write(&path, &column, &[4]).is_err());
}
