//! Patterns over task ids.

/// Whether a text fits: `*` stands for any text, `?` for any one character.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (p, t): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut i, mut j, mut star) = (0, 0, None);
    while j < t.len() {
        if i < p.len() && p[i] == '*' {
            star = Some((i, j));
            i += 1;
        } else if i < p.len() && (p[i] == '?' || p[i] == t[j]) {
            i += 1;
            j += 1;
        } else if let Some((at, from)) = star {
            // The star swallows one more.
            star = Some((at, from + 1));
            i = at + 1;
            j = from + 1;
        } else {
            return false;
        }
    }
    p[i..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, text, fits) in [
            ("longbench/*", "longbench/stack-block", true),
            ("longbench/*block*", "longbench/stack-block", true),
            ("*/swap-?locks", "longbench/swap-blocks", true),
            ("longbench/*block", "longbench/swap-blocks", false),
            ("*", "anything", true),
            ("a*b*c", "aXbXbc", true),
            ("a?c", "ac", false),
            ("**", "", true),
        ] {
            assert_eq!(matches(pattern, text), fits, "{pattern} {text}");
        }
    }
}
