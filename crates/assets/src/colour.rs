use serde::{Deserialize, Serialize};

macro_rules! colours {
    ($($variant:ident $name:literal [$r:literal, $g:literal, $b:literal]),+ $(,)?) => {
        /// Colours a person can name: LoHoRavens' sixteen, with its published values.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum Colour { $($variant),+ }

        impl Colour {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Display RGB, 0–255.
            pub const fn rgb8(self) -> [u8; 3] {
                match self { $(Self::$variant => [$r, $g, $b]),+ }
            }

            /// The word for it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

colours! {
    Blue "blue" [78, 121, 167],
    Red "red" [255, 87, 89],
    Green "green" [89, 169, 78],
    Orange "orange" [242, 142, 43],
    Yellow "yellow" [237, 201, 72],
    Purple "purple" [176, 122, 161],
    Pink "pink" [255, 157, 167],
    Cyan "cyan" [118, 183, 178],
    Brown "brown" [156, 117, 95],
    White "white" [255, 255, 255],
    Gray "gray" [186, 176, 172],
    Indigo "indigo" [75, 0, 130],
    Violet "violet" [143, 0, 255],
    Black "black" [0, 0, 0],
    Silver "silver" [192, 192, 192],
    Gold "gold" [255, 215, 0],
}

impl Colour {
    /// Easily told apart from each other and from a wooden table.
    pub const DISTINCT: [Self; 6] =
        [Self::Red, Self::Yellow, Self::Green, Self::Blue, Self::Purple, Self::Cyan];

    /// Display RGB in 0..1.
    pub fn rgb(self) -> [f32; 3] {
        self.rgb8().map(|v| f32::from(v) / 255.0)
    }
}
