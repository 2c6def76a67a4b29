/// How a picture is turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flip {
    /// As it is.
    #[default]
    None,
    /// Left and right change places.
    Horizontal,
    /// Top and bottom change places.
    Vertical,
    /// Both: a half turn.
    Both,
}

impl Flip {
    /// Write an RGB picture that is `width` pixels wide into a buffer of its size.
    pub fn write(self, rgb: &[u8], width: usize, out: &mut [u8]) {
        self.write_pixels::<u8, 3>(rgb, width, out);
    }

    /// Write a picture of `N` values per pixel that is `width` pixels wide into a buffer of its size.
    pub fn write_pixels<T: Copy, const N: usize>(self, from: &[T], width: usize, out: &mut [T]) {
        let wide = (width * N).max(1);
        let rows = from.chunks_exact(wide);
        let mirror = |(to, from): (&mut [T], &[T])| {
            let pixels = to.as_chunks_mut::<N>().0.iter_mut();
            pixels.zip(from.as_chunks::<N>().0.iter().rev()).for_each(|(t, f)| *t = *f);
        };
        match self {
            Self::None => out.copy_from_slice(from),
            Self::Horizontal => out.chunks_exact_mut(wide).zip(rows).for_each(mirror),
            Self::Vertical => {
                out.chunks_exact_mut(wide).zip(rows.rev()).for_each(|(t, f)| t.copy_from_slice(f));
            }
            Self::Both => out.chunks_exact_mut(wide).zip(rows.rev()).for_each(mirror),
        }
    }
}
