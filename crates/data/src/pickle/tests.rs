//! Pickles written by Python 3.11 with numpy 1.26.4, and what must not be read.

use super::*;

/// `numpy.array([[1.5, -2, 0.25], [1e-300, 3, 4]])` under protocol 2.
const SECOND: &str = "8002636e756d70792e636f72652e6d756c746961727261790a5f7265636f6e737472\
7563740a7100636e756d70790a6e6461727261790a71014b00857102635f636f646563730a656e636f64650a71035801000000\
62710458060000006c6174696e317105867106527107877108527109284b014b024b0386710a636e756d70790a64747970650a\
710b58020000006638710c898887710d52710e284b0358010000003c710f4e4e4e4affffffff4affffffff4b00747110628968\
035837000000000000000000c3b83f00000000000000c380000000000000c3903f59c3b3c3b8c3821f6ec2a501000000000000\
0840000000000000104071116805867112527113747114622e";
/// The same array with its most significant bytes first, under protocol 4.
const FOURTH: &str = "800495ba000000000000008c156e756d70792e636f72652e6d756c74696172726179948c0c5f7265\
636f6e7374727563749493948c056e756d7079948c076e6461727261799493944b0085944301629487945294284b014b024b03\
869468038c0564747970659493948c02663894898887945294284b038c013e944e4e4e4affffffff4affffffff4b0074946289\
43303ff8000000000000c0000000000000003fd000000000000001a56e1fc2f8f3594008000000000000401000000000000094\
7494622e";
/// The same array in single precision, under protocol 2.
const SINGLE: &str = "8002636e756d70792e636f72652e6d756c746961727261790a5f7265636f6e7374727563740a7100\
636e756d70790a6e6461727261790a71014b00857102635f636f646563730a656e636f64650a71035801000000627104580600\
00006c6174696e317105867106527107877108527109284b014b024b0386710a636e756d70790a64747970650a710b58020000\
006634710c898887710d52710e284b0358010000003c710f4e4e4e4affffffff4affffffff4b0074711062896803581c000000\
0000c3803f000000c3800000c2803e00000000000040400000c2804071116805867112527113747114622e";
/// What unpickling would run as `os.system("true")`.
const SYSTEM: &str = "800263706f7369780a73797374656d0a710058040000007472756571018571025271032e";

fn unhex(text: &str) -> Vec<u8> {
    let digit = |b: u8| (b as char).to_digit(16).unwrap() as u8;
    text.as_bytes().chunks(2).map(|p| digit(p[0]) << 4 | digit(p[1])).collect()
}

fn expected() -> StoredArray {
    StoredArray { shape: vec![2, 3], values: vec![1.5, -2.0, 0.25, 1e-300, 3.0, 4.0] }
}

/// An archive as PyTorch writes it, of one file.
fn archive(name: &str, content: &[u8], method: u8, sum: u32) -> Vec<u8> {
    let size = (content.len() as u32).to_le_bytes();
    let numbers = |out: &mut Vec<u8>| {
        out.extend([method, 0, 0, 0, 0, 0]);
        out.extend(sum.to_le_bytes());
        out.extend(size);
        out.extend(size);
        out.extend((name.len() as u16).to_le_bytes());
        out.extend([0, 0]);
    };
    let mut out = b"PK\x03\x04\x14\x00\x00\x00".to_vec();
    numbers(&mut out);
    out.extend(name.as_bytes());
    out.extend(content);
    let directory = out.len() as u32;
    out.extend(b"PK\x01\x02\x14\x00\x14\x00\x00\x00");
    numbers(&mut out);
    out.extend([0; 14]);
    out.extend(name.as_bytes());
    let length = out.len() as u32 - directory;
    out.extend(b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00");
    out.extend(length.to_le_bytes());
    out.extend(directory.to_le_bytes());
    out.extend([0, 0]);
    out
}

#[test]
fn arrays_are_read_whatever_their_protocol_and_byte_order() {
    for text in [SECOND, FOURTH] {
        assert_eq!(read_array(&unhex(text)), Ok(expected()));
    }
    let array = expected();
    let rows: Vec<_> = array.rows().unwrap().collect();
    assert_eq!(rows, [&[1.5, -2.0, 0.25][..], &[1e-300, 3.0, 4.0]]);
}

#[test]
fn single_precision_is_read_and_other_kinds_are_refused() {
    let pickle = unhex(SECOND);
    let kind = pickle.windows(2).position(|w| w == b"f8").unwrap();
    let with = |letter: u8, size: u8| {
        let mut p = pickle.clone();
        (p[kind], p[kind + 1]) = (letter, size);
        p
    };
    assert!(matches!(read_array(&with(b'f', b'4')), Err(PickleError::Damaged { .. })));
    let single = read_array(&unhex(SINGLE)).unwrap();
    assert_eq!(single.values, [1.5, -2.0, 0.25, 0.0, 3.0, 4.0]);
    let error = read_array(&with(b'i', b'8')).unwrap_err();
    assert!(error.to_string().contains("\"i8\""), "{error}");
    let mut columns = pickle.clone();
    // The last flag says that columns come first.
    let at = columns.iter().rposition(|b| *b == 0x89).unwrap();
    columns[at] = 0x88;
    assert!(read_array(&columns).unwrap_err().to_string().contains("column by column"));
}

#[test]
fn a_pickle_that_would_run_code_is_refused_by_name() {
    let error = read_array(&unhex(SYSTEM)).unwrap_err();
    assert_eq!(error, PickleError::Foreign { name: "posix.system".into() });
    assert!(error.to_string().contains("posix.system"), "{error}");
    // The same under the newer instruction, and where an array's own function is expected.
    let newer = b"\x80\x04\x8c\x02os\x8c\x06system\x93.";
    assert_eq!(read_array(newer), Err(PickleError::Foreign { name: "os.system".into() }));
    let mut array = unhex(SECOND);
    let at = array.windows(6).position(|w| w == b"encode").unwrap();
    array[at..at + 6].copy_from_slice(b"decode");
    assert_eq!(read_array(&array), Err(PickleError::Foreign { name: "_codecs.decode".into() }));
}

#[test]
fn other_instructions_are_refused() {
    // An empty list, a global from a registry, an object from a class, a persistent name.
    for code in [b']', 0x82, b'o', b'Q', b'}', b's', 0x81, b'i', 0x92] {
        let error = read_array(&[0x80, 2, code, b'.']).unwrap_err();
        assert_eq!(error, PickleError::Instruction { code, at: 2 });
    }
    assert!(matches!(read_array(b"N."), Err(PickleError::Kind { .. })));
    assert!(matches!(read_array(b"\x80\x09."), Err(PickleError::Damaged { .. })));
}

#[test]
fn every_truncation_is_an_error() {
    for text in [SECOND, FOURTH] {
        let whole = unhex(text);
        for n in 0..whole.len() {
            assert!(read_array(&whole[..n]).is_err(), "{n} bytes");
        }
    }
}

#[test]
fn archives_are_opened_and_checked() {
    let pickle = unhex(SECOND);
    let good = archive("archive/data.pkl", &pickle, 0, 0xe1c6_a58b);
    let Err(PickleError::Archive { what }) = read_array(&good) else {
        panic!("a checksum of nothing was accepted");
    };
    assert!(what.contains("checksum"), "{what}");
    let sum = zip::checksum(&pickle);
    assert_eq!(zip::checksum(b"123456789"), 0xcbf4_3926);
    assert_eq!(read_array(&archive("archive/data.pkl", &pickle, 0, sum)), Ok(expected()));
    for (bytes, says) in [
        (archive("archive/data.pkl", &pickle, 8, sum), "compressed"),
        (archive("archive/notes", &pickle, 0, sum), "no data.pkl"),
        (b"PK\x03\x04".to_vec(), "ends in the middle"),
    ] {
        let error = read_array(&bytes).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}
