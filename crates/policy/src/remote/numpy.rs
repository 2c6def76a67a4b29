//! NumPy arrays inside MessagePack, as openpi and vla-eval write them.
//!
//! An array is a map of four: the marker `__ndarray__`, `data` in C order, `dtype` as NumPy spells
//! it, `shape`. openpi's keys are byte strings and its decoder knows no others; vla-eval's are
//! strings. We read both.

use super::msgpack::{MsgView, Pack};

/// Most dimensions an array may have here.
pub const MAX_DIMS: usize = 8;

/// Element types that cross the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    /// Truth values.
    Bool,
    /// Signed, of this many bytes.
    Int(u8),
    /// Unsigned, of this many bytes.
    UInt(u8),
    /// Floating point, of this many bytes.
    Float(u8),
}

impl Dtype {
    /// `|u1`.
    pub const U8: Self = Self::UInt(1);
    /// `<i8`.
    pub const I64: Self = Self::Int(8);
    /// `<f4`.
    pub const F32: Self = Self::Float(4);
    /// `<f8`.
    pub const F64: Self = Self::Float(8);

    /// Bytes per element.
    pub fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(n) | Self::UInt(n) | Self::Float(n) => usize::from(n),
        }
    }

    /// NumPy's spelling, little-endian.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Bool => "|b1",
            Self::Int(1) => "|i1",
            Self::Int(2) => "<i2",
            Self::Int(4) => "<i4",
            Self::Int(_) => "<i8",
            Self::UInt(1) => "|u1",
            Self::UInt(2) => "<u2",
            Self::UInt(4) => "<u4",
            Self::UInt(_) => "<u8",
            Self::Float(2) => "<f2",
            Self::Float(4) => "<f4",
            Self::Float(_) => "<f8",
        }
    }

    /// The type and whether its bytes are big-endian.
    fn parse(spelled: &str) -> Result<(Self, bool), ArrayError> {
        let unknown = || ArrayError::Dtype(clip(spelled));
        let (order, rest) = match spelled.as_bytes() {
            [o @ (b'<' | b'>' | b'|' | b'='), rest @ ..] => (*o, rest),
            rest => (b'=', rest),
        };
        let [kind, size] = rest else {
            return Err(if rest.first() == Some(&b'O') { ArrayError::Object } else { unknown() });
        };
        let dtype = match (kind, size) {
            (b'O', _) => return Err(ArrayError::Object),
            (b'b', b'1') => Self::Bool,
            (b'i', b'1' | b'2' | b'4' | b'8') => Self::Int(size - b'0'),
            (b'u', b'1' | b'2' | b'4' | b'8') => Self::UInt(size - b'0'),
            (b'f', b'2' | b'4' | b'8') => Self::Float(size - b'0'),
            _ => return Err(unknown()),
        };
        Ok((dtype, order == b'>'))
    }
}

/// Why a value is not an array we take.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ArrayError {
    /// Not an array at all.
    #[error("{0} where an array should be")]
    NotArray(&'static str),
    /// `data`, `dtype` or `shape` is missing or of the wrong kind.
    #[error("an array whose {0} is missing or malformed")]
    Field(&'static str),
    /// Arrays of Python objects are pickles, and pickles run code.
    #[error("an array of Python objects, which is refused")]
    Object,
    /// Complex numbers, records, text, bfloat16.
    #[error("an array of dtype {0:?}, which is not supported")]
    Dtype(String),
    /// Shape and data disagree.
    #[error("an array of shape {shape} and {size}-byte elements with {got} bytes of data")]
    Length {
        /// As stated.
        shape: String,
        /// Bytes per element.
        size: usize,
        /// Bytes of data.
        got: usize,
    },
}

/// Text from a server, cut to what fits in a sentence.
pub(super) fn clip(s: &str) -> String {
    let mut out: String =
        s.chars().take(200).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if out.len() < s.len() && s.chars().count() > 200 {
        out.push('…');
    }
    out
}

/// A shape as NumPy prints it.
pub(super) fn shape_text(shape: &[usize]) -> String {
    let inner: Vec<_> = shape.iter().map(ToString::to_string).collect();
    format!("({}{})", inner.join(", "), if shape.len() == 1 { "," } else { "" })
}

/// An array in place.
#[derive(Clone, Copy, Debug)]
pub struct NdArray<'a> {
    dtype: Dtype,
    big_endian: bool,
    dims: [usize; MAX_DIMS],
    ndim: usize,
    data: &'a [u8],
}

impl<'a> NdArray<'a> {
    /// Whether the value says it is an array.
    pub fn is_marked(value: &MsgView<'_>) -> bool {
        value.get("__ndarray__").is_some()
    }

    /// The array a value stands for.
    pub fn read(value: &MsgView<'a>) -> Result<Self, ArrayError> {
        if !Self::is_marked(value) {
            return Err(ArrayError::NotArray(value.kind()));
        }
        let spelled =
            value.get("dtype").and_then(|v| v.as_str()).ok_or(ArrayError::Field("dtype"))?;
        let (dtype, big_endian) = Dtype::parse(spelled)?;
        let data = value.get("data").and_then(|v| v.as_bin()).ok_or(ArrayError::Field("data"))?;
        let (mut dims, mut ndim) = ([0; MAX_DIMS], 0);
        let shape = value.get("shape").and_then(|v| v.items()).ok_or(ArrayError::Field("shape"))?;
        for d in shape {
            let d = d.as_u64().and_then(|d| usize::try_from(d).ok());
            *dims.get_mut(ndim).ok_or(ArrayError::Field("shape"))? =
                d.ok_or(ArrayError::Field("shape"))?;
            ndim += 1;
        }
        let array = Self { dtype, big_endian, dims, ndim, data };
        let bytes = array.shape().iter().try_fold(dtype.size(), |a, &d| a.checked_mul(d));
        if bytes != Some(data.len()) {
            return Err(ArrayError::Length {
                shape: shape_text(array.shape()),
                size: dtype.size(),
                got: data.len(),
            });
        }
        Ok(array)
    }

    /// Element type.
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// Shape.
    pub fn shape(&self) -> &[usize] {
        &self.dims[..self.ndim]
    }

    /// How many elements.
    pub fn len(&self) -> usize {
        self.data.len() / self.dtype.size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The bytes, in C order.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Element `i` in C order; `None` past the end.
    pub fn get(&self, i: usize) -> Option<f64> {
        let n = self.dtype.size();
        let at = i.checked_mul(n)?;
        let raw = self.data.get(at..at.checked_add(n)?)?;
        // As a little-endian number in the low bytes.
        let mut b = [0u8; 8];
        b[..n].copy_from_slice(raw);
        if self.big_endian {
            b[..n].reverse();
        }
        let u = u64::from_le_bytes(b);
        let shift = 64 - 8 * n as u32;
        Some(match self.dtype {
            Dtype::Bool => f64::from(u8::from(u != 0)),
            Dtype::UInt(_) => u as f64,
            // Shifted up and back, so that the sign fills the upper bytes.
            Dtype::Int(_) => (((u << shift) as i64) >> shift) as f64,
            Dtype::Float(2) => half(u as u16),
            Dtype::Float(4) => f64::from(f32::from_bits(u as u32)),
            Dtype::Float(_) => f64::from_bits(u),
        })
    }
}

/// IEEE half precision.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = ((bits >> 10) & 0x1f, f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + fraction / 1024.0) * 2f64.powi(i32::from(e) - 15),
    };
    if bits & 0x8000 == 0 { size } else { -size }
}

/// A number, plain or as a NumPy scalar (`__npgeneric__`).
pub fn scalar(value: &MsgView<'_>) -> Option<f64> {
    value.as_f64().or_else(|| {
        value.get("__npgeneric__")?;
        let data = value.get("data")?;
        data.as_f64().or_else(|| data.as_bool().map(|b| f64::from(u8::from(b))))
    })
}

/// How the keys of an array's map are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Byte strings: openpi and its forks.
    Bin,
    /// Strings: vla-eval.
    Str,
}

impl Keys {
    fn write(self, pack: &mut Pack, key: &str) {
        match self {
            Self::Str => pack.str(key),
            Self::Bin => {
                pack.bin(key.len());
                pack.raw(key.as_bytes());
            }
        }
    }

    /// The first half of an array; `bytes` bytes of data follow, then [`Keys::end`].
    pub fn begin(self, pack: &mut Pack, bytes: usize) {
        pack.map(4);
        self.write(pack, "__ndarray__");
        pack.bool(true);
        self.write(pack, "data");
        pack.bin(bytes);
    }

    /// The second half of an array.
    pub fn end(self, pack: &mut Pack, dtype: Dtype, shape: &[usize]) {
        self.write(pack, "dtype");
        pack.str(dtype.spelling());
        self.write(pack, "shape");
        pack.array(shape.len());
        for &d in shape {
            pack.uint(d as u64);
        }
    }

    /// A whole array of bytes.
    pub fn u8(self, pack: &mut Pack, data: &[u8], shape: &[usize]) {
        self.begin(pack, data.len());
        pack.raw(data);
        self.end(pack, Dtype::U8, shape);
    }

    /// A whole array of doubles.
    pub fn f64(self, pack: &mut Pack, data: &[f64], shape: &[usize]) {
        self.begin(pack, data.len() * 8);
        for x in data {
            pack.raw(&x.to_le_bytes());
        }
        self.end(pack, Dtype::F64, shape);
    }

    /// A whole array of floats, from doubles.
    pub fn f32(self, pack: &mut Pack, data: &[f64], shape: &[usize]) {
        self.begin(pack, data.len() * 4);
        for x in data {
            pack.raw(&(*x as f32).to_le_bytes());
        }
        self.end(pack, Dtype::F32, shape);
    }

    /// A whole array of whole numbers.
    pub fn i64(self, pack: &mut Pack, data: &[i64], shape: &[usize]) {
        self.begin(pack, data.len() * 8);
        for x in data {
            pack.raw(&x.to_le_bytes());
        }
        self.end(pack, Dtype::I64, shape);
    }
}
