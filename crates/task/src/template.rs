//! Sentences with holes: `put {n} of the {block.colour} blocks …`.

/// The pieces of a template.
#[derive(Debug, PartialEq)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    /// A variable or an object.
    Name(&'a str),
    /// A property of an object.
    Property(&'a str, &'a str),
}

/// Splits a template; `Err` names a brace without its partner.
pub(crate) fn pieces(template: &str) -> Result<Vec<Piece<'_>>, String> {
    let mut out = Vec::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let tail = &rest[open + 1..];
        let close = tail.find('}').ok_or_else(|| rest[open..].to_owned())?;
        if open > 0 {
            out.push(Piece::Text(&rest[..open]));
        }
        let hole = tail[..close].trim();
        out.push(match hole.rsplit_once('.') {
            Some((object, property)) => Piece::Property(object, property),
            None => Piece::Name(hole),
        });
        rest = &tail[close + 1..];
    }
    if !rest.is_empty() {
        out.push(Piece::Text(rest));
    }
    Ok(out)
}

/// Fills in the holes; a hole that `fill` does not know stays as it is.
pub(crate) fn render(
    template: &str,
    fill: &dyn Fn(&str, Option<&str>) -> Option<String>,
) -> String {
    let Ok(pieces) = pieces(template) else { return template.to_owned() };
    pieces
        .iter()
        .map(|p| match p {
            Piece::Text(t) => (*t).to_owned(),
            Piece::Name(n) => fill(n, None).unwrap_or_else(|| format!("{{{n}}}")),
            Piece::Property(o, p) => fill(o, Some(p)).unwrap_or_else(|| format!("{{{o}.{p}}}")),
        })
        .collect()
}

/// The template without a scene: objects by their names, no colours.
pub(crate) fn plain(template: &str) -> String {
    let text = render(template, &|name, property| match property {
        Some("colour") => Some(String::new()),
        _ => Some(name.to_owned()),
    });
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What sentences call an object that its task has no words for. A numbered name such as `mug_2` becomes
/// the noun, with the number only where the scene has several of the kind.
pub(crate) fn usual_name(name: &str, noun: &str, alike: usize) -> String {
    match name.rsplit_once('_').map(|(_, n)| n).filter(|n| n.parse::<u32>().is_ok()) {
        None => name.to_owned(),
        Some(_) if alike == 1 => noun.to_owned(),
        Some(number) => format!("{noun} {number}"),
    }
}

/// `cabinet`, `top_region` → `top of the cabinet`.
pub(crate) fn phrase(object: &str, rest: Option<&str>) -> String {
    let words = |s: &str| s.replace('_', " ");
    match rest.map(|r| words(r.strip_suffix("_region").unwrap_or(r))) {
        None => words(object),
        // The inside of an object needs no word of its own.
        Some(r) if ["inside", "surface", "contain"].contains(&r.as_str()) => words(object),
        Some(r) => format!("{r} of the {}", words(object)),
    }
}
