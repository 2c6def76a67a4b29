//! Reads the written files back with a reader and a decoder that share nothing with the writer.

mod reader;

use longarm_data::Error;
use longarm_data::video::{Mp4Writer, VideoOptions};
use openh264::decoder::Decoder;
use openh264::formats::YUVSource;
use proptest::prelude::*;
use reader::*;
use std::fs;
use std::path::{Path, PathBuf};

/// An empty directory of the test's own.
fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("video").join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn files(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A gradient under a disc that moves 3 pixels a frame.
fn moving(width: usize, height: usize, n: usize) -> Vec<u8> {
    let (cx, cy, r) = (20.0 + 3.0 * n as f64, height as f64 * 0.5, height as f64 * 0.25);
    let mut rgb = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let inside = (x as f64 - cx).hypot(y as f64 - cy) < r;
            rgb.extend(if inside {
                [220, 40, 30]
            } else {
                [(x * 200 / width + 30) as u8, (y * 200 / height + 30) as u8, 120]
            });
        }
    }
    rgb
}

/// The costliest content there is.
fn white_noise(width: usize, height: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 24) as u8
    };
    (0..width * height * 3).map(next).collect()
}

fn write(
    path: &Path,
    (width, height): (usize, usize),
    frames: usize,
    options: VideoOptions,
    picture: impl Fn(usize) -> Vec<u8>,
) -> Vec<u8> {
    let mut video = Mp4Writer::create(path, width, height, options).unwrap();
    for n in 0..frames {
        video.push(&picture(n)).unwrap();
    }
    assert_eq!(video.finish().unwrap().frames as usize, frames);
    fs::read(path).unwrap()
}

#[test]
fn structure() {
    let directory = directory("structure");
    for (faststart, order) in [(true, ["ftyp", "moov", "mdat"]), (false, ["ftyp", "mdat", "moov"])]
    {
        let options = VideoOptions { gop: 10, faststart, ..VideoOptions::viewing(20) };
        let path = directory.join("v.mp4");
        let file = write(&path, (64, 48), 45, options, |n| moving(64, 48, n));
        let kinds: Vec<&str> = boxes(&file).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, order);

        let parsed = parse(&file);
        assert_eq!(parsed.size, (64, 48));
        assert_eq!(parsed.samples.len(), 45);
        assert_eq!(parsed.durations.len(), 45);
        // Every frame lasts a twentieth of a second exactly, and the headers agree on the sum.
        assert!(parsed.durations.iter().all(|d| d * 20 == parsed.timescale));
        for (header, at) in [("moov/mvhd", 16), ("moov/trak/tkhd", 20), ("moov/trak/mdia/mdhd", 16)]
        {
            assert_eq!(
                u32_at(find(&file, header), at),
                parsed.durations.iter().sum::<usize>(),
                "{header}"
            );
        }
        assert_eq!(parsed.sync, [1, 11, 21, 31, 41]);
        for (i, sample) in parsed.samples.iter().enumerate() {
            let kinds: Vec<u8> = nals(sample).iter().map(|nal| nal[0] & 31).collect();
            let key = parsed.sync.contains(&(i + 1));
            // 5 is a key frame's slice, 1 any other's; parameter sets are in the index only.
            assert_eq!(kinds, [if key { 5 } else { 1 }], "frame {i}");
        }
        assert_eq!((parsed.sps[0] & 31, parsed.pps[0] & 31), (7, 8));
        // Constrained baseline.
        assert_eq!((parsed.sps[1], parsed.sps[2] & 0x40), (66, 0x40));
        let payload: usize = parsed.samples.iter().map(|s| s.len()).sum();
        assert_eq!(find(&file, "mdat").len(), payload);

        let avc1 = &find(&file, "moov/trak/mdia/minf/stbl/stsd")[16 + 78..];
        assert_eq!(find(avc1, "colr"), b"nclx\0\x01\0\x0d\0\x06\0");
    }
}

#[test]
fn whole_seconds_have_no_short_chunk() {
    let path = directory("seconds").join("v.mp4");
    let file = write(&path, (32, 32), 20, VideoOptions::viewing(10), |n| moving(32, 32, n));
    assert_eq!(parse(&file).samples.len(), 20);
}

#[test]
fn the_picture_survives() {
    let directory = directory("picture");
    for (width, height) in [(320, 240), (256, 256), (640, 480)] {
        for options in [VideoOptions::viewing(20), VideoOptions::dataset(20)] {
            let path = directory.join("v.mp4");
            let file = write(&path, (width, height), 12, options, |n| moving(width, height, n));
            for (n, frame) in decode(&parse(&file)).iter().enumerate() {
                let psnr = psnr(frame, &moving(width, height, n));
                assert!(psnr > 34.0, "{width}x{height} frame {n}: {psnr:.1} dB");
            }
        }
    }
}

#[test]
fn flat_colours_survive() {
    let path = directory("flat").join("v.mp4");
    for colour in [[220, 30, 25], [30, 160, 50], [25, 60, 200], [255, 255, 255], [0, 0, 0]] {
        let picture = || colour.repeat(64 * 48);
        let file = write(&path, (64, 48), 3, VideoOptions::viewing(20), |_| picture());
        for frame in decode(&parse(&file)) {
            let psnr = psnr(&frame, &picture());
            assert!(psnr > 40.0, "{colour:?} became {:?}: {psnr:.1} dB", &frame[..3]);
        }
    }
}

#[test]
fn odd_sides_gain_a_pixel() {
    let path = directory("odd").join("v.mp4");
    let (width, height) = (65, 49);
    let mut video = Mp4Writer::create(&path, width, height, VideoOptions::viewing(20)).unwrap();
    assert_eq!(video.encoded_size(), (66, 50));
    // Smooth, so that a lost or shifted row or column shows above the loss of 4:2:0 at edges.
    let picture: Vec<u8> = (0..width * height)
        .flat_map(|i| [(i % width * 3) as u8, (i / width * 4) as u8, 90])
        .collect();
    video.push(&picture).unwrap();
    video.finish().unwrap();
    let file = fs::read(&path).unwrap();
    let frames = decode(&parse(&file));
    let cropped: Vec<u8> =
        frames[0].chunks(66 * 3).take(49).flat_map(|row| row[..65 * 3].to_vec()).collect();
    let psnr = psnr(&cropped, &picture);
    assert!(psnr > 38.0, "{psnr:.1} dB");
}

#[test]
fn equal_frames_give_equal_bytes() {
    let directory = directory("determinism");
    let options = VideoOptions::viewing(20);
    let first = write(&directory.join("a.mp4"), (160, 120), 50, options, |n| moving(160, 120, n));
    // Beside each other and on other threads, too.
    std::thread::scope(|scope| {
        let again = |name: &str| {
            let path = directory.join(name);
            scope.spawn(move || write(&path, (160, 120), 50, options, |n| moving(160, 120, n)))
        };
        for thread in [again("b.mp4"), again("c.mp4")] {
            assert!(thread.join().unwrap() == first);
        }
    });
    let other =
        write(&directory.join("d.mp4"), (160, 120), 50, options, |n| moving(160, 120, n + 1));
    assert!(other != first);
}

#[test]
fn long_still_scene_keeps_every_frame() {
    let path = directory("still").join("v.mp4");
    let picture = moving(64, 48, 0);
    let file = write(&path, (64, 48), 300, VideoOptions::viewing(20), |_| picture.clone());
    assert_eq!(decode(&parse(&file)).len(), 300);
}

/// The encoder gives up on frames above a byte a pixel; the video must not.
#[test]
fn noise_is_encoded_coarser() {
    let path = directory("noise").join("v.mp4");
    for (gop, from) in [(1, 0), (2, 0), (2, 3), (2, 4), (40, 1), (40, 7)] {
        let options = VideoOptions { gop, qp: 12, ..VideoOptions::viewing(20) };
        let file = write(&path, (128, 128), 12, options, |n| {
            if n < from { moving(128, 128, n) } else { white_noise(128, 128, n as u32) }
        });
        let parsed = parse(&file);
        assert!(parsed.sync.contains(&1) && parsed.sync.contains(&(from + 1)), "{:?}", parsed.sync);
        let frames = decode(&parsed);
        for n in 0..from {
            assert!(psnr(&frames[n], &moving(128, 128, n)) > 30.0, "gop {gop}: frame {n}");
        }
        // Of noise, 4:2:0 keeps the brightness.
        let luma = |rgb: &[u8]| -> Vec<u8> {
            let weigh = |p: &[u8]| {
                0.299 * f64::from(p[0]) + 0.587 * f64::from(p[1]) + 0.114 * f64::from(p[2])
            };
            rgb.chunks(3).map(|p| weigh(p) as u8).collect()
        };
        for n in from..12 {
            let psnr = psnr(&luma(&frames[n]), &luma(&white_noise(128, 128, n as u32)));
            assert!(psnr > 20.0, "gop {gop}, noise from {from}: frame {n} has {psnr:.1} dB");
        }
    }
}

#[test]
fn nothing_is_left_behind() {
    let directory = directory("atomic");
    let path = directory.join("v.mp4");
    let frame = moving(32, 32, 0);
    {
        let mut video = Mp4Writer::create(&path, 32, 32, VideoOptions::viewing(20)).unwrap();
        video.push(&frame).unwrap();
        assert!(!path.exists(), "the name appeared before the file was complete");
        assert_eq!(files(&directory).len(), 1);
    }
    assert!(files(&directory).is_empty());

    // An older file stays until its successor is whole.
    fs::write(&path, b"old").unwrap();
    let mut video = Mp4Writer::create(&path, 32, 32, VideoOptions::viewing(20)).unwrap();
    video.push(&frame).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    video.finish().unwrap();
    assert!(fs::read(&path).unwrap().len() > 100);
    assert_eq!(files(&directory), ["v.mp4"]);

    let empty =
        Mp4Writer::create(directory.join("e.mp4"), 32, 32, VideoOptions::viewing(20)).unwrap();
    let error = empty.finish().unwrap_err();
    assert!(matches!(error, Error::Unfinished { .. }), "{error}");
    assert_eq!(files(&directory), ["v.mp4"]);
}

#[test]
fn two_writers_of_one_name_do_not_mix() {
    let directory = directory("two");
    let path = directory.join("v.mp4");
    let start = || Mp4Writer::create(&path, 32, 32, VideoOptions::viewing(20)).unwrap();
    let (mut a, mut b) = (start(), start());
    for n in 0..4 {
        a.push(&moving(32, 32, n)).unwrap();
        b.push(&moving(32, 32, n + 9)).unwrap();
    }
    a.finish().unwrap();
    let first = fs::read(&path).unwrap();
    b.finish().unwrap();
    assert_eq!(parse(&first).samples.len(), 4);
    assert_eq!(parse(&fs::read(&path).unwrap()).samples.len(), 4);
}

#[test]
fn unwritable_paths_are_named() {
    let directory = directory("unwritable");
    fs::write(directory.join("file"), b"").unwrap();
    for path in [directory.join("missing/v.mp4"), directory.join("file/v.mp4"), directory.clone()] {
        let error = Mp4Writer::create(&path, 32, 32, VideoOptions::viewing(20)).unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(path.to_str().unwrap()) && !text.contains(".tmp"), "{text}");
    }
    assert_eq!(files(&directory), ["file"]);
}

#[test]
fn bad_input_is_refused() {
    let directory = directory("bad");
    let path = directory.join("v.mp4");
    let create = |w, h, options| Mp4Writer::create(&path, w, h, options);
    let good = VideoOptions::viewing(20);
    for (w, h) in [(0, 32), (32, 0), (15, 32), (4000, 100), (2161, 2161), (usize::MAX, 2)] {
        let error = create(w, h, good).unwrap_err();
        assert!(matches!(error, Error::Size { .. }), "{w}x{h}: {error}");
    }
    for options in [
        VideoOptions { fps: 0, ..good },
        VideoOptions { fps: 241, ..good },
        VideoOptions { gop: 0, ..good },
        VideoOptions { qp: 11, ..good },
        VideoOptions { qp: 52, ..good },
    ] {
        let error = create(32, 32, options).unwrap_err();
        assert!(matches!(error, Error::Option { .. }), "{options:?}: {error}");
    }
    assert!(files(&directory).is_empty());

    // A frame of another size is refused without spoiling the others.
    let mut video = create(32, 32, good).unwrap();
    video.push(&moving(32, 32, 0)).unwrap();
    let error = video.push(&moving(32, 30, 1)).unwrap_err();
    assert!(matches!(error, Error::Length { expected: 3072, got: 2880, .. }), "{error}");
    video.push(&moving(32, 32, 1)).unwrap();
    assert_eq!(video.finish().unwrap().frames, 2);
    assert_eq!(decode(&parse(&fs::read(&path).unwrap())).len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_shape_and_rate(
        width in 16_usize..90,
        height in 16_usize..90,
        frames in 1_usize..40,
        fps in 1_u32..=240,
        gop in 1_u32..50,
        qp in 12_u8..=51,
        noise in any::<u32>(),
    ) {
        let path = directory("any").join("v.mp4");
        let options = VideoOptions { fps, gop, qp, faststart: noise & 1 == 0, quick: noise & 2 == 0 };
        let file = write(&path, (width, height), frames, options, |n| {
            white_noise(width, height, noise.wrapping_add(n as u32))
        });
        let parsed = parse(&file);
        prop_assert_eq!(parsed.size, (width.next_multiple_of(2), height.next_multiple_of(2)));
        prop_assert_eq!(parsed.samples.len(), frames);
        prop_assert!(parsed.durations.iter().all(|d| d * fps as usize == parsed.timescale));
        let keys: Vec<usize> = (0..frames).step_by(gop as usize).map(|i| i + 1).collect();
        // Finer than this, noise may overflow the encoder and add a key frame.
        if qp >= 24 {
            prop_assert_eq!(&parsed.sync, &keys);
        }
        prop_assert_eq!(decode(&parsed).len(), frames);
    }
}
