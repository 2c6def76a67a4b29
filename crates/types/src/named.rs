/// An enum whose variants have names: the first is ours, the rest are what others write.
macro_rules! named {
    ($(#[$m:meta])* $name:ident { $($(#[$v:meta])* $variant:ident = $own:literal $(| $other:literal)*,)+ }) => {
        $(#[$m])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$v])* $variant,)+ }

        impl $name {
            /// All names of ours.
            pub const NAMES: &[&str] = &[$($own),+];

            /// Our name for it.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $own,)+ }
            }

            /// By our name or by a name others use.
            pub fn parse(name: &str) -> Option<Self> {
                match name { $($own $(| $other)* => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
