//! One file per kind of object, each with its [`Model`]; the table below is the registry.
//!
//! Names: body `{name}`, free joint `{name}/free`, parts `{name}/{part}` with joint
//! `{name}/{part}_joint`; drawn geoms that take the object's colour are `{name}/tint0`, `tint1` ….
//! Regions: `inside` for containers, `surface` for what others are put on, `under` for covers,
//! and names of their own for cabinet and post. A grasp may be turned by half a turn about the
//! tool's z: only one of the two is listed.

pub mod arena;
mod backstop;
mod battery;
mod beach_ball;
mod beaker;
mod bin;
mod block;
mod book;
mod book_rack;
mod bottle;
mod bowl;
mod bucket;
mod button;
mod cabinet;
mod can;
mod capped_bottle;
mod carton;
mod claw_hammer;
mod clay;
pub(crate) mod common;
mod conveyor;
mod cord;
mod cotton;
mod cupboard;
mod cylinder;
mod face_cube;
mod faucet;
mod felt_pen;
mod foam_block;
mod food;
mod fruit;
mod funnel_cup;
mod hammer;
mod handled_cup;
mod hole_post;
mod hollow;
mod hook_stand;
mod kit;
mod ladle;
mod laptop;
pub mod libero;
mod lid_box;
mod marker;
mod mug;
mod mug_tree;
mod nail_block;
mod paper_ball;
mod peg;
mod peg_board;
mod pen;
mod plate;
mod pot;
mod print;
mod pull_door;
mod ring;
pub mod rope;
mod sand;
mod shears;
mod shell_cup;
mod shirt;
mod soccer;
mod sponge;
mod stick;
pub mod studio;
mod tote_bag;
mod towel;
mod toy_table;
mod trash_bin;
mod tray;
mod trough;
mod vase;
mod water;
mod zone;

pub use backstop::Backstop;
pub use battery::Battery;
pub use beach_ball::BeachBall;
pub use beaker::Beaker;
pub use bin::Bin;
pub use block::Block;
pub use book::Book;
pub use book_rack::BookRack;
pub use bottle::Bottle;
pub use bowl::{Bowl, FixedBowl};
pub use bucket::Bucket;
pub use button::PushButton;
pub use cabinet::Cabinet;
pub use can::Can;
pub use capped_bottle::CappedBottle;
pub use carton::Carton;
pub use claw_hammer::ClawHammer;
pub use clay::{Clay, ClayShape, Dough};
pub use conveyor::Conveyor;
pub use cord::Cord;
pub use cupboard::Cupboard;
pub use cylinder::Cylinder;
pub use face_cube::FaceCube;
pub use faucet::Faucet;
pub use felt_pen::FeltPen;
pub use foam_block::FoamBlock;
pub use food::{Food, FoodKind};
pub use fruit::{Apple, Banana};
pub use funnel_cup::FunnelCup;
pub use hammer::Hammer;
pub use handled_cup::HandledCup;
pub use hole_post::HolePost;
pub use hollow::Hollow;
pub use hook_stand::HookStand;
pub use kit::Kit;
pub use ladle::{Ladle, Shovel};
pub use laptop::Laptop;
pub use libero::Libero;
pub use lid_box::LidBox;
pub use marker::{Marker, PenRest};
pub use mug::Mug;
pub use mug_tree::MugTree;
pub use nail_block::NailBlock;
pub use paper_ball::PaperBall;
pub use peg::Peg;
pub use peg_board::PegBoard;
pub use pen::Pen;
pub use plate::Plate;
pub use pot::Pot;
pub use pull_door::PullDoor;
pub use ring::Ring;
pub use rope::Rope;
pub use sand::Sand;
pub use shears::Shears;
pub use shell_cup::ShellCup;
pub use shirt::Shirt;
pub use soccer::{SoccerBall, SoccerGoal};
pub use sponge::Sponge;
pub use stick::Stick;
pub use tote_bag::ToteBag;
pub use towel::Towel;
pub use toy_table::ToyTable;
pub use trash_bin::TrashBin;
pub use tray::Tray;
pub use trough::Trough;
pub use vase::Vase;
pub use water::Water;
pub use zone::Zone;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::outside::Custom;
use crate::{Asset, Model};

/// Typical parameters, for tests and catalogues to go through.
pub(crate) trait Samples: Sized {
    fn samples() -> Vec<Self>;
}

/// A kind of asset in the registry.
#[derive(Clone, Copy)]
pub struct AssetKind {
    /// Name, the `kind` of its JSON.
    pub name: &'static str,
    /// One asset per set of typical parameters.
    pub samples: fn() -> Vec<Asset>,
    /// JSON Schema of its parameters.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

macro_rules! registry {
    ($($name:literal $model:ident),+ $(,)?) => {
        /// A model of any kind.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind")]
        #[allow(missing_docs, reason = "each is documented where it is defined")]
        #[allow(clippy::large_enum_variant, reason = "assets are shared, not copied")]
        pub enum AnyModel { $(#[serde(rename = $name)] $model($model)),+ }

        /// Every kind there is, by name.
        pub const KINDS: &[AssetKind] = &[$(AssetKind {
            name: $name,
            samples: || $model::samples().into_iter().map(Asset::from).collect(),
            schema: |g| <$model as JsonSchema>::json_schema(g),
        }),+];

        impl AnyModel {
            pub(crate) fn kind(&self) -> &'static str {
                match self { $(Self::$model(_) => $name),+ }
            }

            pub(crate) fn model(&self) -> &dyn Model {
                match self { $(Self::$model(m) => m),+ }
            }
        }

        $(impl From<$model> for AnyModel {
            fn from(m: $model) -> Self {
                Self::$model(m)
            }
        })+
    };
}

registry! {
    "apple" Apple,
    "backstop" Backstop,
    "banana" Banana,
    "battery" Battery,
    "beach-ball" BeachBall,
    "beaker" Beaker,
    "bin" Bin,
    "block" Block,
    "book" Book,
    "book-rack" BookRack,
    "bottle" Bottle,
    "bowl" Bowl,
    "bucket" Bucket,
    "cabinet" Cabinet,
    "can" Can,
    "capped-bottle" CappedBottle,
    "carton" Carton,
    "conveyor" Conveyor,
    "cord" Cord,
    "cupboard" Cupboard,
    "custom" Custom,
    "cylinder" Cylinder,
    "dough" Dough,
    "face-cube" FaceCube,
    "felt-pen" FeltPen,
    "faucet" Faucet,
    "fixed-bowl" FixedBowl,
    "foam-block" FoamBlock,
    "food" Food,
    "funnel-cup" FunnelCup,
    "hammer" Hammer,
    "claw-hammer" ClawHammer,
    "clay" Clay,
    "nail-block" NailBlock,
    "handled-cup" HandledCup,
    "hole-post" HolePost,
    "hollow" Hollow,
    "hook-stand" HookStand,
    "kit" Kit,
    "ladle" Ladle,
    "laptop" Laptop,
    "libero" Libero,
    "lid-box" LidBox,
    "mug" Mug,
    "mug-tree" MugTree,
    "marker" Marker,
    "paper-ball" PaperBall,
    "peg" Peg,
    "peg-board" PegBoard,
    "pen" Pen,
    "pen-rest" PenRest,
    "plate" Plate,
    "pot" Pot,
    "pull-door" PullDoor,
    "push-button" PushButton,
    "ring" Ring,
    "rope" Rope,
    "sand" Sand,
    "shell-cup" ShellCup,
    "shirt" Shirt,
    "shears" Shears,
    "shovel" Shovel,
    "soccer-ball" SoccerBall,
    "soccer-goal" SoccerGoal,
    "sponge" Sponge,
    "stick" Stick,
    "tote-bag" ToteBag,
    "towel" Towel,
    "toy-table" ToyTable,
    "trash-bin" TrashBin,
    "tray" Tray,
    "trough" Trough,
    "vase" Vase,
    "water" Water,
    "zone" Zone,
}

/// The kind with this name.
pub fn kind(name: &str) -> Option<&'static AssetKind> {
    KINDS.iter().find(|k| k.name == name)
}

/// Every kind with typical parameters, some in several sizes.
pub fn samples() -> Vec<Asset> {
    KINDS.iter().flat_map(|k| (k.samples)()).collect()
}
