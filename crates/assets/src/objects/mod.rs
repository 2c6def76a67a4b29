//! One file per kind of thing; [`info`] and [`build`] dispatch on the variant.
//!
//! Names: body `{name}`, free joint `{name}/free`, parts `{name}/{part}` with joint
//! `{name}/{part}_joint`; drawn geoms that take the object's colour are `{name}/tint0`, `tint1` ….
//! Regions: `inside` for containers, `surface` for things to put others on, `under` for covers,
//! and names of their own for cabinet and post. A grasp may be turned by half a turn about the
//! tool's z: only one of the two is listed.

pub mod arena;
mod battery;
mod bin;
mod block;
mod bottle;
mod bowl;
mod cabinet;
mod can;
mod carton;
mod common;
pub mod conveyor;
mod fruit;
mod funnel_cup;
mod hole_post;
mod hollow;
pub mod libero;
mod paper_ball;
mod plate;
mod print;
mod ring;
pub mod rope;
mod sponge;
mod stick;
mod trash_bin;
mod tray;
mod vase;
mod zone;

use crate::{Asset, AssetInfo, Mjcf};

/// What an asset can do.
pub fn info(asset: &Asset) -> AssetInfo {
    match asset {
        Asset::Block { size } => block::info(*size),
        Asset::Hollow { size } => hollow::info(*size),
        Asset::Bowl { radius } => bowl::info(*radius),
        Asset::FixedBowl { radius } => bowl::fixed_info(*radius),
        Asset::Ring { radius } => ring::info(*radius),
        Asset::Plate { radius } => plate::info(*radius),
        Asset::Bin { size, .. } => bin::info(*size),
        Asset::Zone { size } => zone::info(*size),
        Asset::Cabinet => cabinet::info(),
        Asset::Sponge => sponge::info(),
        Asset::Stick { length } => stick::info(*length),
        Asset::Vase { height } => vase::info(*height),
        Asset::FunnelCup => funnel_cup::info(),
        Asset::Rope { length } => rope::info(*length),
        Asset::HolePost { height, hole } => hole_post::info(*height, *hole),
        Asset::Conveyor { size } => conveyor::info(*size),
        Asset::TrashBin => trash_bin::info(),
        Asset::Tray { size } => tray::info(*size),
        Asset::Can => can::info(),
        Asset::Bottle => bottle::info(),
        Asset::Carton => carton::info(),
        Asset::Apple => fruit::apple_info(),
        Asset::Banana => fruit::banana_info(),
        Asset::PaperBall => paper_ball::info(),
        Asset::Battery => battery::info(),
        Asset::Libero { category } => category.thing().info(),
    }
}

/// Writes an asset's body.
pub fn build(asset: &Asset, name: &str, out: &mut Mjcf) {
    match asset {
        Asset::Block { size } => block::build(*size, name, out),
        Asset::Hollow { size } => hollow::build(*size, name, out),
        Asset::Bowl { radius } => bowl::build(*radius, false, name, out),
        Asset::FixedBowl { radius } => bowl::build(*radius, true, name, out),
        Asset::Ring { radius } => ring::build(*radius, name, out),
        Asset::Plate { radius } => plate::build(*radius, name, out),
        Asset::Bin { size, label } => bin::build(*size, label, name, out),
        Asset::Zone { size } => zone::build(*size, name, out),
        Asset::Cabinet => cabinet::build(name, out),
        Asset::Sponge => sponge::build(name, out),
        Asset::Stick { length } => stick::build(*length, name, out),
        Asset::Vase { height } => vase::build(*height, name, out),
        Asset::FunnelCup => funnel_cup::build(name, out),
        Asset::Rope { length } => rope::build(*length, name, out),
        Asset::HolePost { height, hole } => hole_post::build(*height, *hole, name, out),
        Asset::Conveyor { size } => conveyor::build(*size, name, out),
        Asset::TrashBin => trash_bin::build(name, out),
        Asset::Tray { size } => tray::build(*size, name, out),
        Asset::Can => can::build(name, out),
        Asset::Bottle => bottle::build(name, out),
        Asset::Carton => carton::build(name, out),
        Asset::Apple => fruit::build_apple(name, out),
        Asset::Banana => fruit::build_banana(name, out),
        Asset::PaperBall => paper_ball::build(name, out),
        Asset::Battery => battery::build(name, out),
        Asset::Libero { category } => libero::build(*category, name, out),
    }
}
