//! Our bytes against those of the real openpi-client package (`fixtures/make.py`), and anything
//! against our decoder.

mod support;

use std::collections::BTreeMap;

use longarm_policy::remote::{
    Resizer,
    msgpack::{DecodeError, MsgView, Pack},
    numpy::{ArrayError, Dtype, Keys, NdArray, scalar},
};
use proptest::prelude::*;

fn fixtures() -> BTreeMap<&'static str, Vec<u8>> {
    let unhex = |h: &str| {
        (0..h.len()).step_by(2).map(|i| u8::from_str_radix(&h[i..i + 2], 16).unwrap()).collect()
    };
    include_str!("fixtures/msgpack_numpy.txt")
        .lines()
        .filter_map(|l| l.split_once(' '))
        .map(|(name, hex)| (name, unhex(hex)))
        .collect()
}

fn packed(write: impl FnOnce(&mut Pack)) -> Vec<u8> {
    let mut pack = Pack::default();
    write(&mut pack);
    pack.bytes().to_vec()
}

fn numbers(bytes: &[u8]) -> (Vec<usize>, Vec<f64>) {
    let array = NdArray::read(&MsgView::parse(bytes).unwrap()).unwrap();
    (array.shape().to_vec(), (0..array.len()).map(|i| array.get(i).unwrap()).collect())
}

#[test]
fn written_as_openpi_writes() {
    let f = fixtures();
    assert_eq!(packed(|p| Keys::Bin.f32(p, &[1.0, 2.0], &[2])), f["f32"]);
    assert_eq!(packed(|p| Keys::Bin.f64(p, &[0.5, -1.5, 2.25, 3.0], &[2, 2])), f["f64"]);
    assert_eq!(packed(|p| Keys::Bin.u8(p, &[0, 1, 2, 3, 4, 5], &[1, 2, 3])), f["u8_1x2x3"]);
    assert_eq!(packed(|p| Keys::Bin.i64(p, &[-1, 1 << 40], &[2])), f["i64"]);
    assert_eq!(packed(|p| Keys::Bin.f32(p, &[], &[0, 7])), f["empty"]);
    let observation = packed(|p| {
        p.map(4);
        p.str("observation/image");
        Keys::Bin.u8(p, &support::camera("", 4, 3).rgb, &[3, 4, 3]);
        p.str("observation/state");
        let state: Vec<f64> = (0..8).map(|i| f64::from(i) / 8.0).collect();
        Keys::Bin.f64(p, &state, &[8]);
        p.str("prompt");
        p.str("put the bowl on the plate, and then put the plate into the lower drawer");
        p.str("step");
        p.uint(300);
    });
    assert_eq!(observation, f["observation"]);
}

#[test]
fn read_as_openpi_writes() {
    let f = fixtures();
    assert_eq!(numbers(&f["f32"]), (vec![2], vec![1.0, 2.0]));
    assert_eq!(numbers(&f["f64"]), (vec![2, 2], vec![0.5, -1.5, 2.25, 3.0]));
    assert_eq!(numbers(&f["i64"]).1, [-1.0, (1u64 << 40) as f64]);
    assert_eq!(numbers(&f["f16"]).1, [1.5, -0.25, 65504.0, 2f64.powi(-24)]);
    assert_eq!(numbers(&f["big_endian_f32"]).1, [1.0, -2.0]);
    assert_eq!(numbers(&f["bool"]).1, [1.0, 0.0]);
    assert_eq!(numbers(&f["not_c_order"]), (vec![3, 2], vec![0.0, 3.0, 1.0, 4.0, 2.0, 5.0]));
    assert_eq!(numbers(&f["empty"]), (vec![0, 7], vec![]));
    for (name, want) in [("scalar_bool", 1.0), ("scalar_f32", 0.5), ("scalar_f64", 0.5)] {
        assert_eq!(scalar(&MsgView::parse(&f[name]).unwrap()), Some(want), "{name}");
    }
    let reply = MsgView::parse(&f["reply"]).unwrap();
    let actions = NdArray::read(&reply.get("actions").unwrap()).unwrap();
    assert_eq!((actions.shape(), actions.dtype()), (&[2, 7][..], Dtype::F32));
    assert_eq!(actions.get(13), Some(13.0 / 8.0));
    assert_eq!(actions.get(14), None);
    let ms = reply.get("server_timing").and_then(|t| t.get("infer_ms")).unwrap();
    assert_eq!(scalar(&ms), Some(1.5));
}

#[test]
fn vla_eval_keys_are_strings() {
    let bytes = packed(|p| Keys::Str.f32(p, &[1.0], &[1]));
    assert!(bytes.starts_with(b"\x84\xab__ndarray__\xc3\xa4data\xc4\x04"));
    assert_eq!(numbers(&bytes), (vec![1], vec![1.0]));
}

#[test]
fn pickles_are_refused() {
    let mut object = fixtures()["f32"].clone();
    let at = object.windows(3).position(|w| w == b"<f4").unwrap();
    object[at..at + 3].copy_from_slice(b"|O8");
    let read = |b: &[u8]| NdArray::read(&MsgView::parse(b).unwrap()).map(|_| ());
    assert_eq!(read(&object), Err(ArrayError::Object));
    assert_eq!(read(&[0xc0]), Err(ArrayError::NotArray("nil")));
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0u32, |crc, &b| {
        (0..8).fold(crc ^ u32::from(b), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
    })
}

#[test]
fn resized_as_pillow_resizes() {
    let mut resizer = Resizer::default();
    for line in include_str!("fixtures/images.txt").lines() {
        let words: Vec<_> = line.split(' ').collect();
        let n = |i: usize| words[i].parse::<usize>().unwrap();
        let from = support::camera("", n(1), n(0)).rgb;
        let mut out = vec![0; n(2) * n(3) * 3];
        resizer.resize_with_pad(&from, [n(0), n(1)], &mut out, [n(2), n(3)]);
        assert_eq!(format!("{:08x}", crc32(&out)), words[4], "{line}");
    }
}

/// Reads everything there is to read of a value, to any depth.
fn walk(view: MsgView<'_>, depth: usize) {
    let _ = (view.as_str(), view.as_bin(), view.as_bool(), view.as_f64(), view.as_u64());
    let _ = (view.is_nil(), view.kind(), scalar(&view));
    if let Ok(array) = NdArray::read(&view) {
        assert!(array.data().len() == array.len() * array.dtype().size());
        let _ = (array.get(0), array.get(array.len()), array.get(usize::MAX));
    }
    if depth < 32 {
        view.items().into_iter().flatten().for_each(|v| walk(v, depth + 1));
        for (k, v) in view.pairs().into_iter().flatten() {
            walk(k, depth + 1);
            walk(v, depth + 1);
        }
    }
}

#[test]
fn deep_nesting_costs_no_stack() {
    let mut deep = vec![0x91; 1 << 20];
    assert_eq!(MsgView::parse(&deep).unwrap_err(), DecodeError::Truncated);
    deep.push(0xc0);
    walk(MsgView::parse(&deep).unwrap(), 0);
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        if let Ok(view) = MsgView::parse(&bytes) {
            walk(view, 0);
        }
    }

    #[test]
    fn damaged_messages_never_panic(
        at in any::<prop::sample::Index>(), to in any::<u8>(), cut in any::<prop::sample::Index>(),
    ) {
        for bytes in fixtures().values() {
            let mut damaged = bytes.clone();
            damaged[at.index(bytes.len())] = to;
            if let Ok(view) = MsgView::parse(&damaged) {
                walk(view, 0);
            }
            let cut = cut.index(bytes.len());
            prop_assert!(MsgView::parse(&bytes[..cut]).is_err(), "a part is never the whole");
        }
    }

    #[test]
    fn what_is_written_is_read(data in prop::collection::vec(any::<f64>(), 0..40), text in ".{0,300}", n in any::<u64>()) {
        for keys in [Keys::Bin, Keys::Str] {
            let bytes = packed(|p| {
                p.map(3);
                p.str("a");
                keys.f64(p, &data, &[data.len()]);
                p.str("b");
                p.str(&text);
                p.str("c");
                p.uint(n);
            });
            let view = MsgView::parse(&bytes).unwrap();
            let array = NdArray::read(&view.get("a").unwrap()).unwrap();
            for (i, x) in data.iter().enumerate() {
                prop_assert_eq!(array.get(i).unwrap().to_bits(), x.to_bits());
            }
            prop_assert_eq!(view.get("b").unwrap().as_str(), Some(text.as_str()));
            prop_assert_eq!(view.get("c").unwrap().as_u64(), Some(n));
        }
    }
}
