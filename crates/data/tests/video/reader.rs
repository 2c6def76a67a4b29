//! A reader of MP4 and a decoder that share nothing with the writer.

use super::*;

pub(super) fn u16_at(b: &[u8], at: usize) -> usize {
    usize::from(u16::from_be_bytes(b[at..at + 2].try_into().unwrap()))
}

pub(super) fn u32_at(b: &[u8], at: usize) -> usize {
    u32::from_be_bytes(b[at..at + 4].try_into().unwrap()) as usize
}

pub(super) fn u32s(b: &[u8]) -> Vec<usize> {
    b.chunks_exact(4).map(|c| u32_at(c, 0)).collect()
}

/// The boxes side by side in `b`: kind and content. Panics unless they fill it exactly.
pub(super) fn boxes(b: &[u8]) -> Vec<(&str, &[u8])> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < b.len() {
        let (mut header, mut size) = (8, u32_at(b, at));
        if size == 1 {
            (header, size) = (16, u32_at(b, at + 8) << 32 | u32_at(b, at + 12));
        }
        assert!(size >= header && at + size <= b.len(), "a box reaches past its parent");
        let kind = std::str::from_utf8(&b[at + 4..at + 8]).unwrap();
        found.push((kind, &b[at + header..at + size]));
        at += size;
    }
    found
}

pub(super) fn find<'a>(b: &'a [u8], path: &str) -> &'a [u8] {
    path.split('/').fold(b, |b, kind| {
        boxes(b).into_iter().find(|(k, _)| *k == kind).unwrap_or_else(|| panic!("no {kind}")).1
    })
}

pub(super) struct Parsed<'a> {
    pub(super) timescale: usize,
    pub(super) durations: Vec<usize>,
    pub(super) sync: Vec<usize>,
    pub(super) samples: Vec<&'a [u8]>,
    pub(super) sps: &'a [u8],
    pub(super) pps: &'a [u8],
    pub(super) size: (usize, usize),
}

pub(super) fn parse(file: &[u8]) -> Parsed<'_> {
    let stbl = find(file, "moov/trak/mdia/minf/stbl");
    let stts = &find(stbl, "stts")[4..];
    let durations: Vec<usize> =
        u32s(&stts[4..]).chunks(2).flat_map(|run| std::iter::repeat_n(run[1], run[0])).collect();
    let sizes = u32s(&find(stbl, "stsz")[12..]);
    let starts = u32s(&find(stbl, "stco")[8..]);
    let runs = u32s(&find(stbl, "stsc")[8..]);
    let mut samples = Vec::new();
    for (chunk, &start) in starts.iter().enumerate() {
        let per_chunk = runs.chunks(3).rfind(|run| run[0] <= chunk + 1).unwrap()[1];
        let mut at = start;
        for _ in 0..per_chunk {
            let size = sizes[samples.len()];
            samples.push(&file[at..at + size]);
            at += size;
        }
    }
    assert_eq!(samples.len(), sizes.len(), "the chunks do not hold every sample");

    let avc1 = &find(stbl, "stsd")[16..];
    let avcc = find(&avc1[78..], "avcC");
    let sps_len = u16_at(avcc, 6);
    let pps_len = u16_at(avcc, 9 + sps_len);
    assert_eq!((avcc[0], avcc[4] & 3, avcc[5] & 31, avcc[8 + sps_len]), (1, 3, 1, 1));
    assert_eq!(avcc.len(), 11 + sps_len + pps_len);
    Parsed {
        timescale: u32_at(find(file, "moov/trak/mdia/mdhd"), 12),
        durations,
        sync: u32s(&find(stbl, "stss")[8..]),
        samples,
        sps: &avcc[8..8 + sps_len],
        pps: &avcc[11 + sps_len..],
        size: (u16_at(avc1, 24), u16_at(avc1, 26)),
    }
}

pub(super) fn nals(sample: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut rest = sample;
    while !rest.is_empty() {
        let size = u32_at(rest, 0);
        found.push(&rest[4..4 + size]);
        rest = &rest[4 + size..];
    }
    found
}

/// Decodes every frame to RGB by the inverse of BT.601 in limited range.
pub(super) fn decode(parsed: &Parsed<'_>) -> Vec<Vec<u8>> {
    let mut decoder = Decoder::new().unwrap();
    let mut frames = Vec::new();
    for (i, sample) in parsed.samples.iter().enumerate() {
        let mut stream = Vec::new();
        let sets = if i == 0 { vec![parsed.sps, parsed.pps] } else { vec![] };
        for nal in sets.into_iter().chain(nals(sample)) {
            stream.extend_from_slice(&[0, 0, 0, 1]);
            stream.extend_from_slice(nal);
        }
        let yuv = decoder.decode(&stream).unwrap().expect("a frame for every sample");
        let (width, height) = yuv.dimensions();
        assert_eq!((width, height), parsed.size);
        let (sy, su, sv) = yuv.strides();
        let mut rgb = Vec::new();
        for y in 0..height {
            for x in 0..width {
                let l = 255.0 / 219.0 * (f64::from(yuv.y()[y * sy + x]) - 16.0);
                let cb = (f64::from(yuv.u()[y / 2 * su + x / 2]) - 128.0) * 255.0 / 224.0;
                let cr = (f64::from(yuv.v()[y / 2 * sv + x / 2]) - 128.0) * 255.0 / 224.0;
                let (r, b) = (l + 1.402 * cr, l + 1.772 * cb);
                let g = (l - 0.299 * r - 0.114 * b) / 0.587;
                rgb.extend([r, g, b].map(|v| v.round().clamp(0.0, 255.0) as u8));
            }
        }
        frames.push(rgb);
    }
    frames
}

pub(super) fn psnr(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let sum: f64 = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
    10.0 * (255.0 * 255.0 * a.len() as f64 / sum.max(1e-9)).log10()
}
