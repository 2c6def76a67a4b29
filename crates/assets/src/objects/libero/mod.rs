//! LIBERO's vocabulary: its objects and fixtures in their published sizes, with shapes of our own.
//!
//! Frames are LIBERO's, with two differences. Everything stands on its origin, as all our assets
//! do; objects LIBERO stands up when it places them (bottles, cartons, cans) stand here from the
//! start. And parts open in the positive direction: a published joint value `q` of a drawer or of
//! the microwave's door is `−q` here.
//!
//! Regions carry LIBERO's site names and are level boxes in the frame of the asset or its part.
//! Tables belong to the rig: see [`table`].

mod baskets;
mod books;
mod boxes;
mod cabinet;
mod caddy;
mod cartons;
mod cookware;
mod crockery;
mod dish_rack;
mod microwave;
mod mugs;
mod packages;
mod produce;
mod rack;
pub mod room;
mod shelf;
mod stove;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Samples, print};
use crate::{Asset, AssetInfo, Mjcf, Model, RigName, Surface};

/// Sliding, torsional and rolling friction of all of LIBERO's objects.
pub const FRICTION: [f64; 3] = [0.95, 0.3, 0.1];
/// Friction of round objects, which roll unless they are held back; goes with `condim="6"`.
const ROUND: [f64; 3] = [0.95, 0.02, 0.004];

macro_rules! categories {
    ($($variant:ident $name:literal $noun:literal $radius:literal $model:expr),+ $(,)?) => {
        /// An object or fixture by LIBERO's name for it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum Category { $(#[serde(rename = $name)] $variant),+ }

        /// Names of all categories, movables first.
        pub const CATEGORIES: &[&str] = &[$($name),+];

        impl Category {
            /// All of them, movables first.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// LIBERO's name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What sentences call it.
            pub const fn noun(self) -> &'static str {
                match self { $(Self::$variant => $noun),+ }
            }

            /// Radius that LIBERO keeps clear around it when placing.
            pub const fn clearance(self) -> f64 {
                match self { $(Self::$variant => $radius),+ }
            }

            pub(super) fn model(self) -> Box<dyn CategoryModel> {
                match self { $(Self::$variant => Box::new($model)),+ }
            }
        }
    };
}

categories! {
    AkitaBlackBowl "akita_black_bowl" "black bowl" 0.025 crockery::AKITA_BLACK_BOWL,
    AlphabetSoup "alphabet_soup" "alphabet soup" 0.025 packages::ALPHABET_SOUP,
    Basket "basket" "basket" 0.025 baskets::Basket,
    BbqSauce "bbq_sauce" "bbq sauce" 0.015 packages::BBQ_SAUCE,
    BlackBook "black_book" "black book" 0.025 books::BLACK_BOOK,
    BowlDrainer "bowl_drainer" "bowl drainer" 0.025 baskets::Drainer,
    Butter "butter" "butter" 0.02 boxes::BUTTER,
    Chefmate8Frypan "chefmate_8_frypan" "frying pan" 0.025 cookware::Frypan,
    ChocolatePudding "chocolate_pudding" "chocolate pudding" 0.025 boxes::CHOCOLATE_PUDDING,
    Cookies "cookies" "cookies" 0.025 boxes::COOKIES,
    Corn "corn" "corn" 0.025 produce::Corn,
    CreamCheese "cream_cheese" "cream cheese" 0.03 boxes::CREAM_CHEESE,
    Egg "egg" "egg" 0.025 produce::EGG,
    GlazedRimPorcelainRamekin "glazed_rim_porcelain_ramekin" "ramekin" 0.025 crockery::RAMEKIN,
    Ketchup "ketchup" "ketchup" 0.025 packages::KETCHUP,
    Lemon "lemon" "lemon" 0.025 produce::LEMON,
    MacaroniAndCheese "macaroni_and_cheese" "macaroni and cheese" 0.025 boxes::MACARONI_AND_CHEESE,
    Milk "milk" "milk" 0.03 cartons::MILK,
    MokaPot "moka_pot" "moka pot" 0.025 cookware::MokaPot,
    NewSaladDressing "new_salad_dressing" "salad dressing" 0.025 packages::NEW_SALAD_DRESSING,
    Onion "onion" "onion" 0.025 produce::ONION,
    OrangeJuice "orange_juice" "orange juice" 0.025 cartons::ORANGE_JUICE,
    Plate "plate" "plate" 0.025 crockery::Plate,
    Popcorn "popcorn" "popcorn" 0.025 boxes::POPCORN,
    PorcelainMug "porcelain_mug" "white mug" 0.025 mugs::PORCELAIN_MUG,
    Potato "potato" "potato" 0.025 produce::POTATO,
    Rack "rack" "rack" 0.025 dish_rack::Rack,
    RedBowl "red_bowl" "red bowl" 0.025 crockery::RED_BOWL,
    RedCoffeeMug "red_coffee_mug" "red mug" 0.025 mugs::RED_COFFEE_MUG,
    SaladDressing "salad_dressing" "salad dressing" 0.025 packages::SALAD_DRESSING,
    TomatoSauce "tomato_sauce" "tomato sauce" 0.025 packages::TOMATO_SAUCE,
    WhiteBowl "white_bowl" "white bowl" 0.025 crockery::WHITE_BOWL,
    WhiteYellowMug "white_yellow_mug" "yellow and white mug" 0.025 mugs::WHITE_YELLOW_MUG,
    WineBottle "wine_bottle" "wine bottle" 0.025 packages::WineBottle,
    WoodenTray "wooden_tray" "tray" 0.025 baskets::Tray,
    YellowBook "yellow_book" "yellow book" 0.025 books::YELLOW_BOOK,
    DeskCaddy "desk_caddy" "caddy" 0.025 caddy::Caddy,
    FlatStove "flat_stove" "stove" 0.045 stove::Stove,
    Microwave "microwave" "microwave" 0.015 microwave::Microwave,
    WhiteCabinet "white_cabinet" "cabinet" 0.045 cabinet::WHITE,
    WineRack "wine_rack" "wine rack" 0.025 rack::WineRack,
    WoodenCabinet "wooden_cabinet" "cabinet" 0.045 cabinet::WOODEN,
    WoodenCabinetTallBottom "wooden_cabinet_tall_bottom" "cabinet" 0.045 cabinet::TALL_BOTTOM,
    WoodenTwoLayerShelf "wooden_two_layer_shelf" "shelf" 0.025 shelf::Shelf,
}

impl Category {
    /// The category with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|c| c.name() == name)
    }
}

/// The asset of a category by LIBERO's name for it.
pub fn asset(category: &str) -> Option<Asset> {
    Category::named(category).map(|category| Libero { category }.into())
}

/// The rig whose table a fixture category of this name is; tables are no assets.
pub fn table(category: &str) -> Option<RigName> {
    Some(match category {
        "kitchen_table" => RigName::LIBERO_KITCHEN,
        "main_table" | "table" => RigName::LIBERO_TABLETOP,
        "living_room_table" => RigName::LIBERO_LIVING_ROOM,
        "study_table" => RigName::LIBERO_STUDY,
        "coffee_table" => RigName::LIBERO_COFFEE,
        "floor" => RigName::LIBERO_FLOOR,
        _ => return None,
    })
}

/// What every file here builds.
pub(super) trait CategoryModel {
    fn info(&self) -> AssetInfo;
    fn build(&self, name: &str, out: &mut Mjcf);
}

/// An object or fixture of LIBERO's vocabulary, in its published size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Libero {
    /// Which.
    pub category: Category,
}

impl Model for Libero {
    fn noun(&self) -> &str {
        self.category.noun()
    }

    fn info(&self) -> AssetInfo {
        self.category.model().info()
    }

    fn build(&self, name: &str, out: &mut Mjcf) {
        out.default_friction(Some(FRICTION));
        self.category.model().build(name, out);
        out.default_friction(None);
    }
}

impl Samples for Libero {
    fn samples() -> Vec<Self> {
        Category::ALL.iter().map(|&category| Self { category }).collect()
    }
}

/// A material showing a picture painted by `paint(u, v)`.
pub(super) fn printed(
    id: &str,
    [width, height]: [u32; 2],
    out: &mut Mjcf,
    paint: impl Fn(f64, f64) -> [f64; 3],
) -> Surface {
    out.texture(id, width, height, |u, v| print::bytes(paint(u, v)));
    out.material(id, [1.0; 4], &format!("texture=\"{id}\" specular=\"0.2\" shininess=\"0.3\""))
}

/// Wood with its grain along u.
fn wood(id: &str, light: [f64; 3], dark: [f64; 3], out: &mut Mjcf) -> Surface {
    printed(id, [128, 128], out, |u, v| {
        let bend = print::rough(2.0 * u + 3.0, 3.0 * v);
        let rings = 0.5 + 0.5 * libm::sin(26.0 * (v + 0.3 * bend));
        let pores = print::rough(9.0 * u, 90.0 * v);
        print::mix(light, dark, 0.45 * rings + 0.4 * pores)
    })
}

fn walnut(out: &mut Mjcf) -> Surface {
    wood("libero_walnut", [0.60, 0.40, 0.25], [0.42, 0.26, 0.15], out)
}

pub(super) fn beech(out: &mut Mjcf) -> Surface {
    wood("libero_beech", [0.83, 0.67, 0.47], [0.70, 0.53, 0.35], out)
}

/// How much ink a word in the rectangle `[left, top, right, bottom]` of a picture leaves at (u, v);
/// `aspect` is the picture's width by its height.
pub(super) fn word(text: &str, [l, t, r, b]: [f64; 4], aspect: f64, u: f64, v: f64) -> f64 {
    if !(l..=r).contains(&u) || !(t..=b).contains(&v) {
        return 0.0;
    }
    let shape = aspect * (r - l) / (b - t);
    print::ink(text, shape, (u - l) / (r - l), (v - t) / (b - t))
}

/// How much of a disc about `c` covers (u, v), `r` in units of the picture's height.
fn disc(c: [f64; 2], r: f64, aspect: f64, u: f64, v: f64) -> f64 {
    let d = libm::hypot((u - c[0]) * aspect, v - c[1]);
    print::smooth(r + 0.015, r - 0.015, d)
}
