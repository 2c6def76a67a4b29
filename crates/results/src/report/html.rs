//! Markup, escaped unless it is our own.

use std::fmt::Write;

use crate::stats::Interval;

/// A page being written. [`raw`](Self::raw) takes literals and formatted numbers; everything that
/// comes from a row or a configuration goes through [`text`](Self::text).
#[derive(Default)]
pub(super) struct Html {
    out: String,
}

impl Html {
    pub(super) fn raw(&mut self, markup: &str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                // Control characters, bidirectional overrides among them, would only mislead.
                c if (c.is_control() && c != '\n' && c != '\t')
                    || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
                {
                    self.out.push('\u{fffd}');
                }
                c => self.out.push(c),
            }
        }
        self
    }

    /// An element of a class, with text.
    pub(super) fn el(&mut self, tag: &'static str, class: &'static str, text: &str) -> &mut Self {
        let _ = write!(self.out, "<{tag}");
        if !class.is_empty() {
            let _ = write!(self.out, " class=\"{class}\"");
        }
        self.out.push('>');
        self.text(text);
        let _ = write!(self.out, "</{tag}>");
        self
    }

    pub(super) fn section(&mut self, title: &str, why: &str) -> &mut Self {
        self.raw("<section>").el("h2", "", title).el("p", "why", why)
    }

    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// A share as a percentage: `63.4 %`.
pub(super) fn percent(v: f64) -> String {
    format!("{:.1}\u{202f}%", 100.0 * v)
}

/// The ends of an interval, in percent: `[59.1, 67.5]`.
pub(super) fn ends(i: Interval, scale: f64) -> String {
    format!("[{}, {}]", fixed(i.lo * scale), fixed(i.hi * scale))
}

/// One decimal, with a true minus and without −0.0.
pub(super) fn fixed(v: f64) -> String {
    let text = format!("{v:.1}");
    if text == "-0.0" { "0.0".into() } else { text.replace('-', "−") }
}

/// With its sign.
pub(super) fn signed(v: f64) -> String {
    let text = fixed(v);
    if v > 0.0 && text != "0.0" { format!("+{text}") } else { text }
}

/// 12,345.
pub(super) fn whole(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(d);
    }
    out
}

/// `1 episode`, `2 episodes`.
pub(super) fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", whole(n), if n == 1 { "" } else { "s" })
}

/// Seconds as `1 h 02 min`, `3 min 20 s`, `4.2 s`.
pub(super) fn duration(s: f64) -> String {
    let whole = s as u64;
    match whole {
        0..60 => format!("{s:.1} s"),
        60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", whole / 3600, whole / 60 % 60),
    }
}

/// A relative path as a URL: bytes that mean something in one are percent-encoded.
pub(super) fn url(path: &str) -> String {
    let mut out = String::new();
    for b in path.bytes() {
        if b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(b));
        } else {
            let _ = write!(out, "%{b:02X}");
        }
    }
    out
}

/// Base64, for pictures inside the page.
pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().enumerate().fold(0u32, |w, (i, b)| w | u32::from(*b) << (16 - 8 * i));
        for i in 0..4 {
            let letter = ALPHABET[(word >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_encodings() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
        assert_eq!(whole(1), "1");
        assert_eq!(whole(1234567), "1,234,567");
        assert_eq!(fixed(-0.04), "0.0");
        assert_eq!(signed(-3.25), "−3.2");
        assert_eq!(signed(0.5), "+0.5");
        assert_eq!(url("videos/a b\"<.mp4"), "videos/a%20b%22%3C.mp4");
        assert_eq!(duration(3725.0), "1 h 02 min");
        let mut h = Html::default();
        h.text("<a href='x'>\u{202e}&\"");
        assert_eq!(h.finish(), "&lt;a href=&#39;x&#39;&gt;\u{fffd}&amp;&quot;");
    }
}
