//! Pictures, read back.

use longarm_data::Error;
use longarm_data::image::{
    ContactSheet, Edge, Image, depth_to_rgb, encode_png, hstack, segment_colour,
    segmentation_to_rgb, write_png,
};
use longarm_types::CameraImage;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn directory(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("image").join(test);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn decode(png: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, rgb)
}

#[test]
fn png_round_trip() {
    let rgb: Vec<u8> = (0..7 * 5 * 3).map(|i| (i * 37 % 256) as u8).collect();
    let bytes = encode_png(7, 5, &rgb).unwrap();
    assert_eq!(decode(&bytes), (7, 5, rgb.clone()));
    assert_eq!(bytes, encode_png(7, 5, &rgb).unwrap());

    let directory = directory("png");
    let path = directory.join("a.png");
    write_png(&path, 7, 5, &rgb).unwrap();
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);

    let missing = directory.join("no/a.png");
    let error = write_png(&missing, 7, 5, &rgb).unwrap_err();
    assert!(error.to_string().contains(missing.to_str().unwrap()), "{error}");
}

#[test]
fn bad_sizes_are_refused() {
    assert!(matches!(encode_png(0, 5, &[]), Err(Error::Size { .. })));
    assert!(matches!(encode_png(2, 2, &[0; 11]), Err(Error::Length { expected: 12, .. })));
    assert!(matches!(Image::new(usize::MAX, usize::MAX, vec![]), Err(Error::Size { .. })));
    assert!(matches!(Image::filled(3, 0, [0; 3]), Err(Error::Size { .. })));
    assert!(matches!(depth_to_rgb(2, 2, &[0.0; 3], None), Err(Error::Length { .. })));
    assert!(matches!(segmentation_to_rgb(2, 2, &[0; 5]), Err(Error::Length { .. })));
    assert!(matches!(hstack(&[], 0), Err(Error::Empty)));
    let pixel = Image::filled(1, 1, [0; 3]).unwrap();
    assert!(matches!(hstack(&[&pixel, &pixel], usize::MAX), Err(Error::Size { .. })));
    assert!(matches!(ContactSheet::new().render(), Err(Error::Empty)));
    // A camera that was asked for depth only.
    let camera = CameraImage { width: 4, height: 4, depth: vec![1.0; 16], ..Default::default() };
    assert!(matches!(Image::try_from(&camera), Err(Error::Length { .. })));
}

#[test]
fn stacking_keeps_pixels() {
    let red = Image::filled(4, 3, [200, 0, 0]).unwrap();
    let blue = Image::filled(2, 5, [0, 0, 200]).unwrap();
    let both = hstack(&[&red, &blue], 1).unwrap();
    assert_eq!((both.width(), both.height()), (7, 5));
    assert_eq!(both.pixel(3, 2), Some([200, 0, 0]));
    assert_eq!(both.pixel(5, 4), Some([0, 0, 200]));
    for (x, y) in [(4, 0), (0, 3)] {
        assert!(both.pixel(x, y).unwrap().iter().all(|&v| v < 40));
    }
    assert_eq!(both.pixel(7, 0), None);
}

#[test]
fn captions_darken_and_write() {
    let plain = Image::filled(320, 240, [200, 180, 160]).unwrap();
    for edge in [Edge::Top, Edge::Bottom] {
        let mut image = plain.clone();
        image.caption(edge, "pick up the bowl");
        let rows: Vec<usize> =
            (0..240).filter(|&y| image.pixel(319, y) != plain.pixel(319, y)).collect();
        assert!((12..24).contains(&rows.len()), "{edge:?}: {rows:?}");
        assert_eq!(rows.contains(&0), edge == Edge::Top);
        assert_eq!(rows.contains(&239), edge == Edge::Bottom);
        let bright = image.rgb().chunks(3).filter(|p| p[0] == 255).count();
        assert!((100..400).contains(&bright), "{bright} pixels of ink");
    }
    let mut empty = plain.clone();
    empty.caption(Edge::Bottom, "  ");
    assert!(empty == plain);
    // Smaller than a letter, or than the strip.
    for (w, h) in [(1, 1), (3, 200), (200, 3)] {
        let mut tiny = Image::filled(w, h, [9; 3]).unwrap();
        tiny.caption(Edge::Bottom, "a caption that cannot fit");
        tiny.caption(Edge::Top, "a caption that cannot fit");
    }
}

/// The letters of a caption, pixel by pixel.
#[test]
fn caption_snapshot() {
    let mut image = Image::filled(50, 20, [0; 3]).unwrap();
    image.caption(Edge::Top, "Go, 42!");
    let art: Vec<String> = (2..15)
        .map(|y| {
            let on = |x| image.pixel(x, y).unwrap()[0] == 255;
            let row: String = (0..50).map(|x| if on(x) { '#' } else { ' ' }).collect();
            row.trim_end().to_owned()
        })
        .collect();
    assert_eq!(
        art,
        [
            "",
            "",
            "     ###                       #   ###    #",
            "    #   #                     ##  #   #   #",
            "    #      ###               # #      #   #",
            "    # ### #   #             #  #     #    #",
            "    #   # #   #             #####   #     #",
            "    #   # #   #   ##           #   #",
            "     ####  ###    ##           #  #####   #",
            "                   #",
            "                  #",
            "",
            "",
        ]
    );
}

#[test]
fn contact_sheets_hold_their_tiles() {
    let colours: Vec<[u8; 3]> = (0..5).map(|i| [i * 40 + 20, 90, 200 - i * 30]).collect();
    let mut sheet = ContactSheet::new().columns(3);
    for (i, &colour) in colours.iter().enumerate() {
        let image = Image::filled(60 + i, 40 - i, colour).unwrap();
        sheet.push(format!("tile {i}, a title that needs to be cut"), image);
    }
    let page = sheet.render().unwrap();
    let count = |colour: [u8; 3]| page.rgb().chunks(3).filter(|p| **p == colour).count();
    for (i, &colour) in colours.iter().enumerate() {
        assert_eq!(count(colour), (60 + i) * (40 - i), "tile {i} is covered or cut");
    }
    assert_eq!(page.pixel(0, 0), page.pixel(page.width() - 1, page.height() - 1));
    // Three columns, two rows.
    assert!(page.width() > 3 * 64 && page.width() < 4 * 64);
    // More columns than tiles do not make the page wider; 0 is taken as 1.
    let wide = |columns| {
        let mut sheet = ContactSheet::new().columns(columns);
        sheet.push("", Image::filled(10, 10, [0; 3]).unwrap());
        sheet.render().unwrap()
    };
    assert!(wide(100) == wide(1) && wide(0) == wide(1));
}

#[test]
fn depth_runs_from_bright_to_dark() {
    let depth = [0.5, 1.0, 1.5, 2.0, 0.0, f32::NAN, f32::INFINITY, -1.0];
    let image = depth_to_rgb(8, 1, &depth, None).unwrap();
    let brightness = |x| {
        let [r, g, b] = image.pixel(x, 0).unwrap().map(f32::from);
        0.3 * r + 0.6 * g + 0.1 * b
    };
    assert!((0..3).all(|x| brightness(x) > brightness(x + 1) + 10.0));
    assert!((5..8).all(|x| image.pixel(x, 0) == image.pixel(4, 0)), "all misses look alike");
    assert_ne!(image.pixel(3, 0), image.pixel(4, 0));

    // With a fixed range the colour of a distance does not depend on the rest of the picture.
    let at = |depth: &[f32]| depth_to_rgb(2, 1, depth, Some((0.2, 2.0))).unwrap().pixel(0, 0);
    assert_eq!(at(&[1.0, 0.5]), at(&[1.0, 1.9]));
    assert_eq!(at(&[5.0, 0.5]), at(&[2.0, 0.5]), "beyond the range is its end");
    for range in [(1.0, 1.0), (f32::NAN, 1.0), (2.0, 0.5)] {
        depth_to_rgb(1, 1, &[1.0], Some(range)).unwrap();
    }
    depth_to_rgb(2, 1, &[0.0, 0.0], None).unwrap();
    depth_to_rgb(2, 1, &[1.0, 1.0], None).unwrap();
}

#[test]
fn segments_are_told_apart() {
    let colours: BTreeSet<[u8; 3]> = (0..200).map(segment_colour).collect();
    assert!(colours.len() >= 199, "only {} colours for 200 instances", colours.len());
    assert_eq!(segment_colour(-1), segment_colour(i32::MIN));
    let ids = [-1, 0, 1, 0];
    let image = segmentation_to_rgb(2, 2, &ids).unwrap();
    for (i, &id) in ids.iter().enumerate() {
        assert_eq!(image.pixel(i % 2, i / 2), Some(segment_colour(id)));
    }
    segment_colour(i32::MAX);
}
