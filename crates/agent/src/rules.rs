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
    /// Where blocks stood that were said to be put somewhere, each time.
    aside: Vec<[f64; 2]>,
}

impl Planner for Rules {
    fn begin(&mut self, episode: &EpisodeInfo) -> Result<(), PolicyError> {
        *self = Self { wanted: intent::read(&episode.instruction), ..Self::default() };
        Ok(())
    }

    fn plan(&mut self, asked: &Question<'_>, _: &mut dyn World) -> Result<Answer, PolicyError> {
        let seen: Vec<Sighting> = asked.report.iter().filter_map(|s| Sighting::parse(s)).collect();
        let Some(wanted) = &self.wanted else { return Ok(Answer::default()) };
        if self.start.is_empty() {
            self.jobs = jobs::jobs(wanted, &Start(&seen)).into_iter().map(|j| (j, 0)).collect();
            self.start.clone_from(&seen);
        }
        let say = match wanted.clone() {
            Intent::Script(steps) => self.next_of_script(&steps, asked),
            Intent::Hidden(one) => self.uncover(one, &seen),
            _ => self.next_job(&seen),
        };
        Ok(Answer { say, keyframes: Vec::new() })
    }
}

fn near(a: [f64; 2], b: [f64; 2]) -> bool {
    libm::hypot(a[0] - b[0], a[1] - b[1]) < STAYS
}

/// Whether two sightings may be of the same block.
fn alike(a: &Sighting, b: &Sighting) -> bool {
    a.noun == b.noun && a.colour == b.colour && (a.size[1] - b.size[1]).abs() < 0.01
}

impl Rules {
    /// The next sentence of a script; the last one again where the actor says it could not.
    fn next_of_script(&mut self, steps: &[String], asked: &Question<'_>) -> Option<String> {
        if asked.failed.is_some() && self.said > 0 {
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
    /// the top down.
    fn uncover(&mut self, one: Option<(Colour, Colour)>, seen: &[Sighting]) -> Option<String> {
        let start = Start(&self.start);
        let bowl = |s: &Sighting| s.colour.and_then(|c| start.coloured(Noun::Bowl, c));
        let first_seen = |s: &Sighting| self.start.iter().any(|o| alike(o, s));
        let wanted = |s: &&Sighting| one.is_none_or(|(c, _)| s.colour == Some(c));
        let found = seen.iter().filter(|s| s.noun == Noun::Block && !first_seen(s)).filter(wanted);
        for block in found {
            let Some(bowl) = bowl(block) else { continue };
            let tried = self.aside.iter().filter(|p| near(**p, block.at)).count();
            if near(block.at, bowl.at) || tried >= TRIES as usize {
                continue;
            }
            let to = jobs::Destination::On(bowl.clone());
            let job = Job { block: block.clone(), to };
            self.aside.push(block.at);
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
            .filter(|s| {
                self.start
                    .iter()
                    .any(|o| alike(o, s) && near(o.at, s.at) && (o.top - s.top).abs() < STAYS)
            })
            .collect();
        covers.sort_by(|a, b| b.top.total_cmp(&a.top));
        let cover = (*covers.first()?).clone();
        let tries = self.aside.iter().filter(|p| near(**p, cover.at)).count();
        if tries > 3 * TRIES as usize {
            return None;
        }
        self.aside.push(cover.at);
        let crowd = |a: &Area| seen.iter().filter(|s| s.area == Some(*a)).count();
        let area = Area::QUARTERS.into_iter().min_by_key(crowd)?;
        let job = Job { block: cover.clone(), to: jobs::Destination::Area(area) };
        Some(job.sentence(&cover))
    }
}
