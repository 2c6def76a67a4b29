//! The planner of rules: it reads the instruction and the reporter's sentences, and nothing else.
//!
//! What the instruction asks for ([`intent`]) becomes jobs in what was seen first ([`jobs`]): which block goes
//! where. At every question it looks which of them are still to be done.

mod intent;
mod jobs;
mod text;

use longarm_assets::Colour;
use longarm_policy::{EpisodeInfo, PolicyError};
use longarm_task::speech::Area;

use crate::World;
use crate::part::{Answer, Planner, Question};
use crate::sighting::{Noun, Sighting};
use intent::Intent;
use jobs::{Job, Start};

/// How often a job is tried before it is left.
const TRIES: u32 = 3;
/// Metres within which a block is still where it was.
const STAYS: f64 = 0.025;

/// Plans by rules.
#[derive(Default)]
pub(crate) struct Rules {
    wanted: Option<Intent>,
    start: Vec<Sighting>,
    jobs: Vec<(Job, u32)>,
    /// Sentences of a script that were said.
    said: usize,
    /// Where blocks stood that were said to be put aside, and into which area, or into their bowls, each time.
    moved: Vec<([f64; 2], Option<Area>)>,
    /// Areas into which nothing could be put, each time.
    refused: Vec<Area>,
}

impl Planner for Rules {
    fn begin(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        *self = Self { wanted: intent::read(&episode.instruction), ..Self::default() };
        Ok(())
    }

    fn plan(&mut self, asked: &Question<'_>, _: &mut dyn World) -> Result<Answer, PolicyError> {
        let seen = asked.report.iter().filter_map(|s| Sighting::parse(s)).collect();
        Ok(Answer { say: self.next(seen, asked.failed.is_some()), keyframes: Vec::new() })
    }
}

fn near(a: [f64; 2], b: [f64; 2]) -> bool {
    libm::hypot(a[0] - b[0], a[1] - b[1]) < STAYS
}

/// Whether two sightings may be of the same block.
fn alike(a: &Sighting, b: &Sighting) -> bool {
    a.noun == b.noun && a.colour == b.colour && (a.size[1] - b.size[1]).abs() < 0.01
}

/// Whether two sightings are of one place, whatever is seen there.
fn in_place(a: &Sighting, b: &Sighting) -> bool {
    near(a.at, b.at) && (a.top - b.top).abs() < STAYS && (a.size[1] - b.size[1]).abs() < 0.01
}

/// Whether a block is in or under a wider one, told of though nobody can see it.
fn lost(s: &Sighting, seen: &[Sighting]) -> bool {
    let hides = |o: &&Sighting| {
        let (dx, dy) = (s.at[0] - o.at[0], s.at[1] - o.at[1]);
        let (sin, cos) = (libm::sin(o.heading), libm::cos(o.heading));
        let [along, across] = [dx * cos + dy * sin, dy * cos - dx * sin];
        o.noun == Noun::Block
            && o.top > s.top
            && o.size[1] > s.size[1] + 0.01
            && along.abs() < o.size[0] / 2.0
            && across.abs() < o.size[1] / 2.0
    };
    s.noun == Noun::Block && seen.iter().any(|o| hides(&o))
}

impl Rules {
    /// Say the next step, with what is seen now and whether the last step was not done.
    fn next(&mut self, mut seen: Vec<Sighting>, failed: bool) -> Option<String> {
        let wanted = self.wanted.clone()?;
        if matches!(wanted, Intent::Hidden(_)) {
            seen = seen.iter().filter(|s| !lost(s, &seen)).cloned().collect();
        }
        if self.start.is_empty() {
            self.jobs = jobs::jobs(&wanted, &Start(&seen)).into_iter().map(|j| (j, 0)).collect();
            self.start.clone_from(&seen);
        }
        match wanted {
            Intent::Script(steps) => self.next_of_script(&steps, failed),
            Intent::Hidden(one) => self.uncover(one, &seen, failed),
            _ => self.next_job(&seen),
        }
    }

    /// The next sentence of a script; the last one again where the actor says it could not.
    fn next_of_script(&mut self, steps: &[String], failed: bool) -> Option<String> {
        if failed && self.said > 0 {
            self.said -= 1;
        }
        let say = steps.get(self.said).cloned();
        self.said += 1;
        say
    }

    /// The first job that is not done and was not tried too often.
    fn next_job(&mut self, seen: &[Sighting]) -> Option<String> {
        let blocks: Vec<&Sighting> = seen.iter().filter(|s| s.noun == Noun::Block).collect();
        let starts: Vec<[f64; 2]> = self.start.iter().map(|s| s.at).collect();
        let goals: Vec<[f64; 2]> = self.jobs.iter().filter_map(|(j, _)| j.to.point()).collect();
        for i in 0..self.jobs.len() {
            let (job, tries) = self.jobs[i].clone();
            if tries >= TRIES {
                continue;
            }
            let own = |s: &&&Sighting| alike(s, &job.block);
            let at_start =
                |s: &&&Sighting| near(s.at, job.block.at) && (s.top - job.block.top).abs() < STAYS;
            let now = match blocks.iter().filter(own).find(at_start) {
                Some(there) => Some(*there),
                None => {
                    // It was moved: to where it goes, or astray.
                    let Some(goal) = job.to.point() else { continue };
                    let earlier = self.jobs[..=i].iter();
                    let wanted = earlier.filter(|(j, _)| {
                        alike(&j.block, &job.block) && j.to.point().is_some_and(|p| near(p, goal))
                    });
                    let there = blocks.iter().filter(own).filter(|s| near(s.at, goal)).count();
                    if there >= wanted.count() {
                        continue;
                    }
                    let stray =
                        |s: &&&Sighting| !starts.iter().chain(&goals).any(|p| near(s.at, *p));
                    blocks.iter().filter(own).find(stray).copied()
                }
            };
            let Some(now) = now else { continue };
            self.jobs[i].1 += 1;
            return Some(job.sentence(now));
        }
        None
    }

    /// What was not seen at first goes into the bowl of its colour; what stands over it is put aside, from
    /// the top down, elsewhere where that has just failed.
    fn uncover(
        &mut self,
        one: Option<(Colour, Colour)>,
        seen: &[Sighting],
        failed: bool,
    ) -> Option<String> {
        let start = Start(&self.start);
        let bowl = |s: &Sighting| s.colour.and_then(|c| start.coloured(Noun::Bowl, c));
        // What stood in the shade may be of another colour once it is lit.
        let first_seen = |s: &Sighting| self.start.iter().any(|o| alike(o, s) || in_place(o, s));
        let wanted = |s: &&Sighting| one.is_none_or(|(c, _)| s.colour == Some(c));
        let found = seen.iter().filter(|s| s.noun == Noun::Block && !first_seen(s)).filter(wanted);
        for block in found {
            let Some(bowl) = bowl(block) else { continue };
            let own = |(p, to): &&([f64; 2], Option<Area>)| to.is_none() && near(*p, block.at);
            let tried = self.moved.iter().filter(own).count();
            if near(block.at, bowl.at) || tried >= TRIES as usize {
                continue;
            }
            let to = jobs::Destination::On(bowl.clone());
            let job = Job { block: block.clone(), to };
            self.moved.push((block.at, None));
            return Some(job.sentence(block));
        }
        if one
            .is_some_and(|(c, _)| seen.iter().any(|s| s.noun == Noun::Block && s.colour == Some(c)))
        {
            return None;
        }
        // Highest first within a pile: those over the same spot.
        let mut covers: Vec<&Sighting> = seen
            .iter()
            .filter(|s| s.noun == Noun::Block)
            .filter(|s| one.is_none_or(|(_, over)| s.colour == Some(over)))
            .filter(|s| self.start.iter().any(|o| in_place(o, s)))
            .collect();
        covers.sort_by(|a, b| b.top.total_cmp(&a.top));
        let cover = (*covers.first()?).clone();
        let tries = self.moved.iter().filter(|(p, to)| to.is_some() && near(*p, cover.at)).count();
        if tries > 3 * TRIES as usize {
            return None;
        }
        if failed && let Some((_, Some(area))) = self.moved.last() {
            self.refused.push(*area);
        }
        let refused = |a: &Area| self.refused.iter().filter(|r| *r == a).count();
        let crowd = |a: &Area| seen.iter().filter(|s| s.area == Some(*a)).count();
        let area = Area::QUARTERS.into_iter().min_by_key(|a| (refused(a), crowd(a)))?;
        self.moved.push((cover.at, Some(area)));
        let job = Job { block: cover.clone(), to: jobs::Destination::Area(area) };
        Some(job.sentence(&cover))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A planner that was told to find what is hidden, and what it says to these reports one after the other.
    fn says(reports: &[&[&str]], failed: &[bool]) -> Vec<Option<String>> {
        let mut rules = Rules { wanted: Some(Intent::Hidden(None)), ..Rules::default() };
        let steps = reports.iter().zip(failed).map(|(report, failed)| {
            let seen: Vec<Sighting> = report.iter().filter_map(|s| Sighting::parse(s)).collect();
            assert_eq!(seen.len(), report.len(), "all of it is read");
            rules.next(seen, *failed)
        });
        steps.collect()
    }

    const BOWL: &str = "there is a red bowl of 12.0 by 12.0 cm at (0.330, -0.240), turned by 0 degrees, its top 4.0 cm high, on the top left area";
    const RED: &str = "there is a red block of 4.0 by 4.0 cm at (0.440, 0.010), turned by 9 degrees, its top 4.0 cm high, on the top right area";
    const OVER: &str = "there is a gold block of 6.0 by 6.0 cm at (0.440, 0.010), turned by 9 degrees, its top 6.0 cm high, on the top right area";
    const SHADED: &str = "there is a brown block of 6.0 by 6.0 cm at (0.440, 0.010), turned by 9 degrees, its top 6.0 cm high, on the top right area";
    const ASIDE: &str = "there is a gold block of 6.0 by 6.0 cm at (0.600, -0.300), turned by 9 degrees, its top 6.0 cm high, on the bottom left area";

    #[test]
    fn what_is_hidden_is_uncovered_first_whether_told_of_or_not() {
        for told in [&[RED, OVER, BOWL][..], &[OVER, BOWL]] {
            let said = says(&[told, &[RED, ASIDE, BOWL]], &[false; 2]);
            let [Some(first), Some(second)] = &said[..] else { panic!("{said:?}") };
            assert!(first.starts_with("pick up the gold block"), "{first}");
            assert!(second.starts_with("pick up the red block"), "{second}");
            assert!(second.ends_with("on the red bowl"), "{second}");
        }
    }

    #[test]
    fn a_cover_that_looks_otherwise_in_the_light_is_no_find() {
        let bowl = BOWL.replace("red", "gold");
        let said = says(&[&[SHADED, &bowl], &[OVER, &bowl]], &[false; 2]);
        let last = said[1].as_deref().unwrap_or_default();
        assert!(last.starts_with("pick up the gold block") && last.ends_with("area"), "{last}");
    }

    #[test]
    fn a_full_area_is_not_asked_for_again() {
        let said = says(&[&[OVER, BOWL], &[OVER, BOWL]], &[false, true]);
        assert!(said.iter().all(Option::is_some) && said[0] != said[1], "{said:?}");
    }
}
