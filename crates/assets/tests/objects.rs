//! What holds for every asset, checked on the text it writes.

use std::collections::{BTreeMap, BTreeSet};

use longarm_assets::matter::Matter;
use longarm_assets::objects::{self, samples};
use longarm_assets::{Affordance, Asset, AssetInfo, GraspKind, Mjcf, Region, RegionKind};
use longarm_types::{DVec3, Pose};

fn written(asset: &Asset) -> (String, BTreeMap<String, Vec<u8>>) {
    let mut out = Mjcf::default();
    asset.build("sample", &mut out);
    out.finish("")
}

/// The tags of a document, in order, without brackets.
fn tags(xml: &str) -> Vec<&str> {
    xml.split('<')
        .skip(1)
        .map(|t| t.split_once('>').unwrap_or_else(|| panic!("unclosed tag {t}")).0)
        .collect()
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let at = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[at..].split('"').next()
}

/// Where a region is at rest, in the frame of the asset.
fn region_pose(info: &AssetInfo, r: &Region) -> Pose {
    let part = r.part.as_ref().map(|p| info.part(p).expect("the region's part exists").rest);
    part.unwrap_or(Pose::IDENTITY) * r.pose
}

#[test]
fn documents_are_well_formed() {
    for asset in samples() {
        let (xml, files) = written(&asset);
        let mut open = Vec::new();
        for t in tags(&xml) {
            assert_eq!(t.matches('"').count() % 2, 0, "{asset:?}: quotes in <{t}>");
            let element = t.split([' ', '/']).find(|s| !s.is_empty()).unwrap_or_default();
            if t.starts_with('/') {
                assert_eq!(open.pop(), Some(element), "{asset:?}");
            } else if !t.ends_with('/') {
                open.push(element);
            }
        }
        assert!(open.is_empty(), "{asset:?} leaves {open:?} open");
        for bad in ["NaN", "inf"] {
            assert!(!xml.contains(bad), "{asset:?} has {bad}");
        }
        let named: BTreeSet<_> =
            tags(&xml).iter().filter_map(|t| attribute(t, "file")).map(str::to_owned).collect();
        assert_eq!(named, files.keys().cloned().collect(), "{asset:?}");
    }
}

#[test]
fn names_are_unique_and_belong_to_the_object() {
    for asset in samples() {
        let (xml, _) = written(&asset);
        let mut seen = BTreeSet::new();
        for t in tags(&xml) {
            let kind = t.split(' ').next().unwrap_or_default();
            let Some(name) = attribute(t, "name") else { continue };
            assert!(seen.insert((kind, name)), "{asset:?}: {kind} {name} twice");
            let ok = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
            assert!(name.chars().all(ok), "{asset:?}: {name}");
            if ["mesh", "texture", "material"].contains(&kind) {
                assert!(!name.contains('/'), "{asset:?}: {name} is a file name");
            } else {
                assert!(name == "sample" || name.starts_with("sample/"), "{asset:?}: {name}");
            }
        }
        let info = asset.info();
        assert!(seen.contains(&("body", "sample")), "{asset:?}");
        // Soft matter moves outside of the model.
        let free = !info.fixed && info.matter.is_none();
        assert_eq!(free, seen.contains(&("freejoint", "sample/free")), "{asset:?}");
        for p in &info.parts {
            let (body, joint) = (format!("sample/{}", p.name), format!("sample/{}_joint", p.name));
            assert!(seen.contains(&("body", body.as_str())), "{asset:?}: {body}");
            assert!(seen.contains(&("joint", joint.as_str())), "{asset:?}: {joint}");
        }
    }
}

#[test]
fn masses_of_solids_sum_to_the_mass() {
    for asset in samples() {
        let info = asset.info();
        let (xml, _) = written(&asset);
        let total: f64 = tags(&xml)
            .iter()
            .filter(|t| t.contains("class=\"solid\""))
            .filter_map(|t| attribute(t, "mass")?.parse::<f64>().ok())
            .sum();
        if info.fixed {
            assert!(info.mass == 0.0 && (total == 0.0 || !info.parts.is_empty()), "{asset:?}");
        } else {
            let total = match info.matter.as_deref() {
                Some(Matter::Fabric(f)) => total + f.mass(),
                Some(Matter::Strand(_) | Matter::Foam(_)) => {
                    let flex = tags(&xml).into_iter().find(|t| t.starts_with("flexcomp"));
                    flex.and_then(|t| attribute(t, "mass")?.parse().ok()).unwrap_or(0.0)
                }
                Some(Matter::Bulk(b)) => total + b.mass(),
                None => total,
            };
            assert!((total - info.mass).abs() < 1e-9, "{asset:?}: {total} and {}", info.mass);
            // A short rope is lighter than anything else.
            assert!((0.01..=0.5).contains(&info.mass), "{asset:?}: {} kg", info.mass);
        }
    }
}

#[test]
fn bounds_stand_on_the_origin() {
    for asset in samples() {
        let b = asset.info().bounds;
        assert!((b.centre[2] - b.half[2]).abs() < 1e-9, "{asset:?} does not stand on z = 0");
        for h in b.half {
            assert!((0.0005..0.4).contains(&h), "{asset:?}: {b:?}");
        }
    }
}

#[test]
fn visual_tints_are_plain_colours() {
    let untinted =
        ["can", "carton", "paper-ball", "battery", "conveyor", "face-cube", "food", "beaker"];
    for asset in samples() {
        let (xml, _) = written(&asset);
        if asset.kind() == "libero" || asset.info().matter.is_some() {
            // Its colours are its name's, or painted on what is not in the model.
            continue;
        }
        let tinted: Vec<_> = tags(&xml)
            .into_iter()
            .filter(|t| attribute(t, "name").is_some_and(|n| n.starts_with("sample/tint")))
            .collect();
        assert_eq!(tinted.is_empty(), untinted.contains(&asset.kind()), "{asset:?}");
        for t in tinted {
            assert!(
                t.contains("class=\"visual\"") && t.contains("rgba=") && !t.contains("material")
            );
        }
    }
}

#[test]
fn grasps_can_be_made() {
    for asset in samples() {
        let info = asset.info();
        let runs = matches!(info.matter.as_deref(), Some(Matter::Bulk(_)));
        assert!(info.fixed || runs || !info.grasps.is_empty(), "{asset:?} cannot be taken");
        for g in &info.grasps {
            assert!((0.0..=0.08).contains(&g.opening), "{asset:?}: opening {}", g.opening);
            let shut = matches!(g.kind, GraspKind::Suction | GraspKind::Press | GraspKind::Scoop);
            assert_eq!(shut, g.opening == 0.0, "{asset:?}");
            assert!((g.tool.rot.length() - 1.0).abs() < 1e-9 && g.tool.is_finite(), "{asset:?}");
            let approach = g.tool.dir(DVec3::Z);
            if g.part.is_none() {
                // Bottles also slanting, to lay them down; handles also level, never from below.
                let level = matches!(g.kind, GraspKind::Handle | GraspKind::Cradle);
                let flattest = if level { 1e-9 } else { -0.7 };
                assert!(approach.z < flattest, "{asset:?} is taken from {approach}");
                assert!(g.tool.dir(DVec3::Y).z.abs() < 1e-6, "{asset:?}: level fingers");
            }
            let rest = match &g.part {
                Some(p) => info.part(p).expect("the grasp's part exists").rest,
                None => Pose::IDENTITY,
            };
            let off = (rest.point(g.tool.pos) - DVec3::from(info.bounds.centre)).abs()
                - DVec3::from(info.bounds.half);
            assert!(off.max_element() < 0.01, "{asset:?}: a grasp {off} outside");
        }
    }
}

#[test]
fn regions_lie_within_the_asset() {
    for asset in samples() {
        let info = asset.info();
        let mut names = BTreeSet::new();
        for r in &info.regions {
            assert!(names.insert(&r.name), "{asset:?}: {} twice", r.name);
            assert!(r.half.iter().all(|h| *h > 0.0), "{asset:?}: {}", r.name);
            let off = (region_pose(info, r).pos - DVec3::from(info.bounds.centre)).abs()
                + DVec3::from(r.half)
                - DVec3::from(info.bounds.half);
            // A surface's box reaches a little above and below it.
            let slack = if r.kind == RegionKind::Surface { 0.006 } else { 6e-4 };
            assert!(off.max_element() <= slack, "{asset:?}: {} sticks out by {off}", r.name);
        }
    }
}

#[test]
fn the_cabinet_has_three_drawers() {
    let cabinet = Asset::from(objects::Cabinet);
    let info = cabinet.info();
    for name in ["top", "middle", "bottom"] {
        let part = info.part(name).expect("drawer");
        assert_eq!(part.range, [0.0, 0.16]);
        assert!(part.open[0] > part.closed[1]);
        let region = info.region(&format!("{name}_region")).expect("region");
        assert_eq!(region.part.as_deref(), Some(name));
        assert!(info.grasps.iter().any(|g| g.part.as_deref() == Some(name)));
    }
    assert!(info.region("top_side").is_some());
}

#[test]
fn rope_links_are_named_as_promised() {
    let (xml, _) = written(&objects::Rope { length: 0.4 }.into());
    let count = objects::rope::links(0.4);
    assert_eq!(count, 14);
    for i in 0..count {
        let name = objects::rope::link_name("sample", i, count);
        assert!(xml.contains(&format!("<body name=\"{name}\"")), "{name}");
    }
    assert_eq!(objects::rope::link_name("sample", count - 1, count), "sample/tip");
}

#[test]
fn equal_objects_share_their_meshes() {
    for asset in samples() {
        let (_, one) = written(&asset);
        let mut out = Mjcf::default();
        asset.build("a", &mut out);
        asset.build("b", &mut out);
        assert_eq!(out.finish("").1, one, "{asset:?}");
    }
}

#[test]
fn different_objects_do_not_share_a_mesh_name() {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for asset in samples() {
        for (name, bytes) in written(&asset).1 {
            let known = files.entry(name.clone()).or_insert_with(|| bytes.clone());
            assert!(*known == bytes, "{asset:?}: {name} means two meshes");
        }
    }
}

#[test]
fn the_table_is_a_solid_of_the_world() {
    let mut out = Mjcf::default();
    objects::arena::table(&mut out);
    let (xml, files) = out.finish("");
    assert!(xml.contains("<geom class=\"solid\" name=\"table\""));
    assert!(!xml.contains("<body"));
    assert!(files.contains_key("oak.png"));
}

#[test]
fn every_kind_reads_what_it_writes() {
    for kind in objects::KINDS {
        assert!(!(kind.samples)().is_empty(), "{} has no sample", kind.name);
        for asset in (kind.samples)() {
            assert_eq!(asset.kind(), kind.name);
            let json = serde_json::to_string(&asset).unwrap();
            assert!(json.starts_with(&format!("{{\"kind\":\"{}\"", kind.name)), "{json}");
            assert_eq!(serde_json::from_str::<Asset>(&json).unwrap(), asset);
            let more = json.replacen('{', "{\"colour_of_the_moon\":1,", 1);
            assert!(serde_json::from_str::<Asset>(&more).is_err(), "{more}");
        }
    }
    let block: Asset = serde_json::from_str(r#"{"size":[0.04,0.04,0.04],"kind":"block"}"#).unwrap();
    assert_eq!(block, objects::Block::cube(0.04).into());
}

#[test]
fn affordances_say_what_can_be_done() {
    let can = |asset: Asset, what| asset.info().affords(what);
    use Affordance::*;
    assert!(can(objects::Can.into(), Graspable) && !can(objects::Can.into(), Container));
    assert!(can(objects::Cabinet.into(), Openable) && !can(objects::Cabinet.into(), Graspable));
    let bowl: Asset = objects::Bowl { radius: 0.06 }.into();
    assert!(can(bowl.clone(), Container) && can(bowl, Pourable));
    assert!(!can(objects::FunnelCup.into(), Pourable), "a cover holds nothing");
    let belt: Asset = objects::Conveyor { size: [0.5, 0.12] }.into();
    assert!(can(belt.clone(), Conveys) && can(belt.clone(), Carries) && !can(belt, Openable));
    let post: Asset = objects::HolePost { height: 0.1, hole: 0.03 }.into();
    assert!(can(post.clone(), Threadable) && !can(post, Container));
    assert!(can(objects::Rope { length: 0.3 }.into(), Graspable));
    assert!(!can(objects::Rope { length: 0.3 }.into(), Openable));
}
