//! The scripted experts, as named on the command line.

use longarm_expert::{Expert, ExpertError, Memory, Perceived, Perception};
use longarm_sim::Env;

/// Deviations of depth beyond this are no measurement any more, metres at one metre.
const MOST_NOISE: f64 = 0.05;

/// `expert` or `reactive`, and where grasps come from: `expert?grasps=perceived&noise=0.002`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpertSpec {
    /// What it remembers.
    pub memory: Memory,
    /// How it perceives grasps; without it, it takes those that assets bring along.
    pub perception: Option<Perception>,
}

impl ExpertSpec {
    /// Read a policy's name with its options; `None` if it names no expert, what is wrong with the options
    /// otherwise.
    pub fn of(text: &str) -> Option<Result<Self, String>> {
        let (name, options) = text.split_once('?').unwrap_or((text, ""));
        let memory = match name {
            "expert" => Memory::Whole,
            "reactive" => Memory::None,
            _ => return None,
        };
        Some(Self::read(options).map(|perception| Self { memory, perception }))
    }

    fn read(options: &str) -> Result<Option<Perception>, String> {
        let (mut perceived, mut noise) = (false, None);
        for option in options.split('&').filter(|o| !o.is_empty()) {
            match option.split_once('=') {
                Some(("grasps", "perceived")) => perceived = true,
                Some(("grasps", "known")) => perceived = false,
                Some(("noise", value)) => match value.parse() {
                    Ok(n) if (0.0..=MOST_NOISE).contains(&n) => noise = Some(n),
                    _ => {
                        return Err(format!(
                            ": noise takes metres from 0 to {MOST_NOISE}, not {value:?}"
                        ));
                    }
                },
                _ => {
                    return Err(format!(
                        ": an expert knows grasps=perceived|known and noise=METRES, not {option:?}"
                    ));
                }
            }
        }
        match (perceived, noise) {
            (false, Some(_)) => Err(": noise is on perceived grasps; add grasps=perceived".into()),
            (false, None) => Ok(None),
            (true, noise) => Ok(Some(Perception { noise: noise.unwrap_or_default() })),
        }
    }

    /// Return the expert.
    pub fn expert(self) -> Expert {
        let expert = Expert::new(self.memory);
        match self.perception {
            Some(perception) => expert.perceiving(perception),
            None => expert,
        }
    }
}

/// Return what is perceived of the objects that a plan has the first arm take, the environment being reset and
/// seeing as [`images_for`](crate::images_for) such an expert says.
pub fn perceived(env: &mut Env) -> Result<Vec<Perceived>, ExpertError> {
    longarm_expert::perceive(env, Perception::default(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_follow_the_name() {
        let read = |text| ExpertSpec::of(text).unwrap();
        assert_eq!(read("expert").unwrap().perception, None);
        assert_eq!(read("reactive").unwrap().memory, Memory::None);
        let seeing = read("expert?grasps=perceived&noise=0.002").unwrap();
        assert_eq!(seeing.perception, Some(Perception { noise: 0.002 }));
        assert_eq!(ExpertSpec::of("idle"), None);
        assert!(read("expert?noise=0.002").unwrap_err().contains("grasps=perceived"));
        assert!(read("expert?grasps=perceived&noise=1").unwrap_err().contains("metres from 0"));
        assert!(read("expert?grasp=perceived").unwrap_err().contains("knows grasps="));
    }
}
