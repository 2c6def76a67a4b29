/// What is seen at a pixel. Segment ids are numbers in ranges of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// Nothing: the sky behind everything.
    Background,
    /// A tracked body; 0 is the world with its furniture.
    Body(usize),
    /// A limb of a robot, by its place in the rig.
    Limb(usize),
    /// A medium, by its place in the world.
    Medium(usize),
}

impl Segment {
    /// Id of the background.
    pub const BACKGROUND: i32 = -1;
    /// Id of the first limb; bodies are below.
    pub const LIMBS: i32 = 10_000;
    /// Id of the first medium; limbs are below. All ids fit into 16 bits.
    pub const MEDIA: i32 = 20_000;

    /// Return its id.
    pub fn id(self) -> i32 {
        match self {
            Self::Background => Self::BACKGROUND,
            Self::Body(i) => i as i32,
            Self::Limb(i) => Self::LIMBS + i as i32,
            Self::Medium(i) => Self::MEDIA + i as i32,
        }
    }

    /// Return what has this id.
    pub fn of(id: i32) -> Self {
        match id {
            Self::MEDIA.. => Self::Medium((id - Self::MEDIA) as usize),
            Self::LIMBS.. => Self::Limb((id - Self::LIMBS) as usize),
            0.. => Self::Body(id as usize),
            _ => Self::Background,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Segment;

    #[test]
    fn ids_go_there_and_back() {
        let all = [0, 1, 9_999].map(Segment::Body).into_iter();
        let all = all.chain([0, 7].map(Segment::Limb)).chain([0, 3].map(Segment::Medium));
        for s in all.chain([Segment::Background]) {
            assert_eq!(Segment::of(s.id()), s);
            assert!(i16::try_from(s.id()).is_ok());
        }
    }
}
