//! Objects and fixtures.

use longarm_assets::source::{Element, Library};
use longarm_task::bddl::Instance;

use super::{OriginalError, lacking};

/// The folder that an object comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shelf {
    Hope,
    Scanned,
    Turbosquid,
    Articulated,
}

/// Return the file of a category, and where it lies.
fn file(library: &Library, category: &str) -> Result<(String, Shelf), OriginalError> {
    // The one category whose file is called otherwise.
    let name = if category == "rack" { "simple_rack" } else { category };
    let mut files = [
        (format!("libero:stable_hope_objects/{name}/{name}.xml"), Shelf::Hope),
        (format!("libero:stable_scanned_objects/{name}/{name}.xml"), Shelf::Scanned),
        (format!("libero:turbosquid_objects/{name}/{name}.xml"), Shelf::Turbosquid),
        (format!("libero:articulated_objects/{name}.xml"), Shelf::Articulated),
    ]
    .into_iter();
    files.find(|f| library.has(&f.0)).ok_or_else(|| OriginalError::Unknown {
        what: "category",
        name: category.to_owned(),
        remedy: "no folder of its assets has an XML file of this name",
    })
}

/// How far an object reaches from its origin, as its file marks it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Extent {
    pub bottom: f64,
    pub top: f64,
    pub radius: f64,
}

/// An object or fixture of a scene.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub name: String,
    pub category: String,
    pub shelf: Shelf,
    pub movable: bool,
    pub extent: Extent,
    pub body: Element,
}

/// Read an object and its assets, all names beginning with the instance's.
pub(super) fn object(
    library: &Library,
    instance: &Instance,
    movable: bool,
) -> Result<(Item, Vec<Element>), OriginalError> {
    let (file, shelf) = file(library, &instance.category)?;
    let mut model = library.model(&file)?;
    model.inline_defaults();
    let world = model.section("worldbody");
    let inner = world.children.iter().filter(|c| c.tag() == "body");
    let found =
        inner.flat_map(|b| &b.children).find(|c| c.tag() == "body" && c.name() == Some("object"));
    let mut body = found.cloned().ok_or_else(|| lacking(&file, "body called \"object\""))?;
    let mark = |name: &str, axis: usize| {
        let mut outer = world.children.iter().flat_map(|b| &b.children);
        let site = outer.find(|c| c.tag() == "site" && c.name() == Some(name));
        site.and_then(|s| s.numbers("pos")?.get(axis).copied()).unwrap_or(0.0)
    };
    let extent = Extent {
        bottom: mark("bottom_site", 2),
        top: mark("top_site", 2),
        radius: mark("horizontal_radius_site", 0),
    };
    body.set("name", "main");
    let mut index = 0;
    drop_other_groups(&mut body);
    body.visit(&mut |e| {
        if e.tag() == "geom" {
            if e.name().is_none() {
                e.set("name", format!("g{index}"));
            }
            index += 1;
        }
    });
    if movable {
        let free = Element::new("joint").with("type", "free").with("name", "joint0");
        body.children.push(free.with("damping", "0.0005"));
    }
    let mark = Element::new("site").with("name", "default_site").with("type", "sphere");
    let mark = mark.with("pos", "0 0 0").with("size", "0.002 0.002 0.002").with("group", "0");
    body.children.push(mark.with("rgba", "1 0 0 0"));
    let prefix = format!("{}_", instance.name);
    body.prefix(&prefix);
    let mut assets = std::mem::take(&mut model.section("asset").children);
    for asset in &mut assets {
        asset.prefix(&prefix);
    }
    let (name, category) = (instance.name.clone(), instance.category.clone());
    Ok((Item { name, category, shelf, movable, extent, body }, assets))
}

/// Keep geoms of the felt and the seen group.
fn drop_other_groups(body: &mut Element) {
    body.visit(&mut |e| {
        e.children.retain(|c| c.tag() != "geom" || matches!(c.get("group"), Some("0" | "1")));
    });
}
