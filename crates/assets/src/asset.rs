use serde::{Deserialize, Serialize};

use crate::{AssetInfo, Colour, Mjcf, libero, objects};

/// An object or fixture by its parameters. Each variant is built by one file under `objects/`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Asset {
    /// A box with bevelled edges; `size` is full width, depth and height.
    Block {
        /// Full size.
        size: [f64; 3],
    },
    /// A round bowl.
    Bowl {
        /// Outer radius at the rim.
        radius: f64,
    },
    /// The same bowl standing fixed on the table.
    FixedBowl {
        /// Outer radius at the rim.
        radius: f64,
    },
    /// A block that is hollow and open below, to hide a smaller one; `size` is full width, depth and
    /// height.
    Hollow {
        /// Full size.
        size: [f64; 3],
    },
    /// A circle drawn on the table; nothing collides with it.
    Ring {
        /// Radius of the middle of the line.
        radius: f64,
    },
    /// A round dinner plate.
    Plate {
        /// Outer radius.
        radius: f64,
    },
    /// An open box to drop things into, standing fixed on the table.
    Bin {
        /// Full outer size.
        size: [f64; 3],
        /// Word printed on its front.
        label: String,
    },
    /// A flat coloured square on the table; nothing collides with it.
    Zone {
        /// Full width and depth.
        size: [f64; 2],
    },
    /// A cabinet with three drawers (`top`, `middle`, `bottom`), each a 0.16 m slide.
    Cabinet,
    /// A kitchen sponge used as a wiper.
    Sponge,
    /// A round stick.
    Stick {
        /// Full length.
        length: f64,
    },
    /// An opaque vase, open at the top, fixed on the table.
    Vase {
        /// Height, more than a stick is long when sticks must vanish in it.
        height: f64,
    },
    /// A funnel-shaped cup put over things to hide them, with a knob on top to take it by.
    FunnelCup,
    /// A rope of capsule links, `{name}` being one end, stiff for 8 cm, and `{name}/tip` the other.
    Rope {
        /// Full length.
        length: f64,
    },
    /// A post carrying a ring to thread through.
    HolePost {
        /// Height of the hole's centre.
        height: f64,
        /// Inner radius of the hole.
        hole: f64,
    },
    /// A conveyor belt along its x axis; its surface speed is set per scene.
    Conveyor {
        /// Full length and width.
        size: [f64; 2],
    },
    /// A round waste-paper bin, fixed on the table.
    TrashBin,
    /// A serving tray with a low rim.
    Tray {
        /// Full width and depth.
        size: [f64; 2],
    },
    /// A drink can.
    Can,
    /// A small plastic bottle.
    Bottle,
    /// A small drink carton.
    Carton,
    /// An apple.
    Apple,
    /// A banana.
    Banana,
    /// A ball of crumpled paper.
    PaperBall,
    /// A battery cell, larger than life so that it can be grasped.
    Battery,
    /// An object or fixture of LIBERO's vocabulary, in its published size.
    Libero {
        /// Which.
        category: libero::Category,
    },
}

/// The colours of an instance: what `{object}/tint…` geoms are painted with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tint {
    /// As the builder made it.
    Own,
    /// A named colour.
    Named(Colour),
}

impl Asset {
    /// A cube.
    pub fn cube(size: f64) -> Self {
        Self::Block { size: [size; 3] }
    }

    /// What it can do.
    pub fn info(&self) -> AssetInfo {
        objects::info(self)
    }

    /// Writes the body `name` at the present place, with a free joint unless it is a fixture.
    pub fn build(&self, name: &str, out: &mut Mjcf) {
        objects::build(self, name, out);
    }

    /// The everyday word for it.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Block { .. } | Self::Hollow { .. } => "block",
            Self::Bowl { .. } | Self::FixedBowl { .. } => "bowl",
            Self::Ring { .. } => "circle",
            Self::Plate { .. } => "plate",
            Self::Bin { .. } => "bin",
            Self::Zone { .. } => "zone",
            Self::Cabinet => "cabinet",
            Self::Sponge => "sponge",
            Self::Stick { .. } => "stick",
            Self::Vase { .. } => "vase",
            Self::FunnelCup => "funnel",
            Self::Rope { .. } => "rope",
            Self::HolePost { .. } => "post",
            Self::Conveyor { .. } => "conveyor",
            Self::TrashBin => "trash bin",
            Self::Tray { .. } => "tray",
            Self::Can => "can",
            Self::Bottle => "bottle",
            Self::Carton => "carton",
            Self::Apple => "apple",
            Self::Banana => "banana",
            Self::PaperBall => "paper ball",
            Self::Battery => "battery",
            Self::Libero { category } => category.noun(),
        }
    }
}
