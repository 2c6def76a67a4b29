//! Model-predictive path integral control over knots of raw actions.

use longarm_sim::EnvCheckpoint;
use longarm_types::{Action, ActionSpec, ChannelKind, Rng};

use super::crew::{Crew, Take};
use super::turning::{self, Turning};
use super::{Budget, Cheat};
use crate::ExpertError;

/// Knots of a sequence of actions; lines between them.
const KNOTS: usize = 4;
/// Noise as shares of a number's half range.
const FINGERS: f64 = 0.3;
const TRANSLATION: f64 = 0.35;
const ROTATION: f64 = 0.12;
const JOINTS: f64 = 0.1;
const WILD: f64 = 0.9;
/// How much better than another a sample must be to weigh e times as much, as a share of the spread of all.
const TEMPERATURE: f64 = 0.3;
/// What moving about costs: the mean square of all numbers in their half ranges.
const EFFORT: f64 = 2e-3;

/// Numbers of an action: what they may be and how they are disturbed.
struct Range {
    low: f64,
    high: f64,
    idle: f64,
    noise: f64,
    /// Where something should be, not by how much it should move.
    target: bool,
    /// Never between its ends: a gripper is told to open or to close.
    two_sided: bool,
}

/// What a search may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All that an action moves, or what is left of it.
    Whole(Option<Cheat>),
    /// The fingers of hands.
    Fingers,
}

fn ranges(spec: &ActionSpec, scope: Scope) -> Vec<Range> {
    let cheat = match scope {
        Scope::Whole(cheat) => cheat,
        Scope::Fingers => None,
    };
    let mut out = Vec::new();
    for channel in &spec.channels {
        let moves = scope != Scope::Fingers || channel.kind == ChannelKind::HandJoints;
        for (i, v) in channel.values.iter().enumerate() {
            let fingers = matches!(channel.kind, ChannelKind::Gripper | ChannelKind::HandJoints);
            let share = match channel.kind {
                _ if fingers && cheat == Some(Cheat::NoGrasp) => 0.0,
                _ if !fingers && cheat == Some(Cheat::Wild) => WILD,
                ChannelKind::ToolDelta(_) if i < 3 => TRANSLATION,
                ChannelKind::ToolDelta(_) => ROTATION,
                ChannelKind::BaseDelta(_) if i < 2 => TRANSLATION,
                ChannelKind::BaseDelta(_) => ROTATION,
                ChannelKind::HandJoints => FINGERS,
                ChannelKind::Gripper => 1.0,
                _ => JOINTS,
            };
            out.push(Range {
                low: v.low,
                high: v.high,
                idle: v.idle,
                noise: if moves { share * (v.high - v.low) / 2.0 } else { 0.0 },
                target: matches!(
                    channel.kind,
                    ChannelKind::Gripper | ChannelKind::HandJoints | ChannelKind::JointTarget
                ),
                two_sided: channel.kind == ChannelKind::Gripper,
            });
        }
    }
    out
}

/// Knots of all numbers, one row per knot.
#[derive(Clone)]
struct Course(Vec<Vec<f64>>);

impl Course {
    /// Stay as it is: changes of nothing, and targets as they were last set.
    fn still(ranges: &[Range], last: Option<&Action>) -> Self {
        let kept = |(k, r): (usize, &Range)| match last {
            Some(a) if r.target => f64::from(a.values()[k]),
            _ => r.idle,
        };
        Self(vec![ranges.iter().enumerate().map(kept).collect(); KNOTS])
    }

    /// Return the number `k` at a step, of `of` in all.
    fn at(&self, k: usize, step: f64, of: u32) -> f64 {
        let place = step / f64::from(of.max(2) - 1) * (KNOTS - 1) as f64;
        let left = (place as usize).min(KNOTS - 2);
        let share = (place - left as f64).clamp(0.0, 1.0);
        self.0[left][k] * (1.0 - share) + self.0[left + 1][k] * share
    }

    /// Return the actions of `of` steps, rounded as they will be stored.
    fn actions(&self, ranges: &[Range], of: u32) -> Vec<Action> {
        let mut values = vec![0.0f32; ranges.len()];
        (0..of)
            .map(|step| {
                for (k, (to, r)) in values.iter_mut().zip(ranges).enumerate() {
                    let v = self.at(k, f64::from(step), of);
                    let v = match r.two_sided {
                        true if v > (r.low + r.high) / 2.0 => r.high,
                        true => r.low,
                        false => v.clamp(r.low, r.high),
                    };
                    *to = within(v, r);
                }
                Action::new(&values)
            })
            .collect()
    }

    fn disturbed(&self, ranges: &[Range], share: f64, rng: &mut Rng) -> Self {
        let mut out = self.clone();
        for row in &mut out.0 {
            for (v, r) in row.iter_mut().zip(ranges) {
                *v = (*v + share * r.noise * rng.normal()).clamp(r.low, r.high);
            }
        }
        out
    }

    /// The same course some steps later, its end held.
    fn later(&self, steps: u32, of: u32) -> Self {
        let last = f64::from(of.max(2) - 1);
        let knot = |i: usize| {
            let step = i as f64 / (KNOTS - 1) as f64 * last + f64::from(steps);
            (0..self.0[0].len()).map(|k| self.at(k, step.min(last), of)).collect()
        };
        Self((0..KNOTS).map(knot).collect())
    }

    fn effort(&self, ranges: &[Range]) -> f64 {
        let n = (KNOTS * ranges.len()).max(1) as f64;
        let square = |(v, r): (&f64, &Range)| {
            let u = (v - r.idle) / ((r.high - r.low) / 2.0).max(1e-9);
            if r.two_sided { 0.0 } else { u * u }
        };
        self.0.iter().flat_map(|row| row.iter().zip(ranges)).map(square).sum::<f64>() / n
    }
}

/// Return a number of an action as it is stored, rounded inwards at its bounds.
fn within(v: f64, r: &Range) -> f32 {
    let v = v as f32;
    match f64::from(v) {
        stored if stored > r.high => v.next_down(),
        stored if stored < r.low => v.next_up(),
        _ => v,
    }
}

/// What a course is worth: how far it comes by its end and on the way.
fn worth(take: &Take, effort: f64, aim: Option<&Turning>) -> f64 {
    if take.success {
        // The sooner the better.
        return 3.0 - 1e-3 * take.actions.len() as f64;
    }
    let spoiled = f64::from(u8::from(take.failed));
    match aim {
        Some(_) => {
            take.mean + 0.5 * take.dense - turning::DROPPED * spoiled - turning::POSTURE * effort
        }
        None => take.dense + 0.5 * take.mean - spoiled - EFFORT * effort,
    }
}

/// Decisions one after another, each of them for a few control steps.
pub(super) struct Knots {
    budget: Budget,
    scope: Scope,
    ranges: Vec<Range>,
    /// Shares of the usual noise, sample by sample.
    noise: &'static [f64],
    still: Course,
    course: Course,
    rng: Rng,
}

impl Knots {
    /// Begin with standing still, as it was told last.
    pub(super) fn new(
        budget: &Budget,
        spec: &ActionSpec,
        scope: Scope,
        last: Option<&Action>,
        rng: Rng,
    ) -> Self {
        let ranges = ranges(spec, scope);
        let still = Course::still(&ranges, last);
        // The last of a turn takes small corrections.
        let noise: &[f64] = if scope == Scope::Fingers { &[1.0, 1.0, 0.4] } else { &[1.0] };
        Self { budget: *budget, scope, ranges, noise, course: still.clone(), still, rng }
    }

    /// Return the best way to go on from a moment, and how many of its actions are to be taken before the next
    /// decision.
    pub(super) fn decide(
        &mut self,
        crew: &Crew,
        moment: &EnvCheckpoint,
        aim: Option<&Turning>,
    ) -> Result<(Take, usize), ExpertError> {
        let Self { budget, scope, ranges, noise, still, course, rng } = self;
        let mut courses = vec![course.clone(), still.clone()];
        while courses.len() < budget.samples.max(3) as usize {
            courses.push(course.disturbed(ranges, noise[courses.len() % noise.len()], rng));
        }
        let tried = |c: &Course| {
            let actions = c.actions(ranges, budget.horizon);
            let take = match aim {
                Some(turning) => {
                    crew.measured(moment, &actions, |env| -turning.off(env.snapshot()))
                }
                None => crew.replay(moment, &actions),
            }?;
            let worth = worth(&take, c.effort(ranges), aim);
            Ok((take, worth))
        };
        let takes = Crew::each(&courses, tried)?;
        let worths: Vec<f64> = takes.iter().map(|t| t.1).collect();
        let mean = weighted(&courses, &worths);
        let averaged = tried(&mean)?;
        // The first of equals, so that the order in which samples finish does not matter.
        let best = (0..worths.len()).fold(0, |b, i| if worths[i] > worths[b] { i } else { b });
        let (chosen, take) = match averaged.1 >= worths[best] {
            true => (mean, averaged.0),
            false => (courses[best].clone(), takes[best].0.clone()),
        };
        let every = (budget.every.max(1) as usize).min(take.actions.len());
        let steps = match (take.success, take.staged) {
            (true, _) => take.actions.len(),
            // Another search begins where a stage ends; one that goes on looks further before it is there.
            (false, staged) if staged > 0 && *scope != Scope::Fingers => staged,
            _ => every,
        };
        self.course = chosen.later(steps as u32, budget.horizon);
        Ok((take, steps))
    }
}

/// Return actions that complete another stage after those taken so far, or the best there was when the decisions
/// were used up. Its `staged` is 0 if no stage was completed.
pub(super) fn stage(
    crew: &Crew,
    budget: &Budget,
    so_far: &[Action],
    round: u32,
    cheat: Option<Cheat>,
) -> Result<Take, ExpertError> {
    let rng = crew.seed().stream(&format!("search knots {round}"));
    let mut knots = Knots::new(budget, crew.action_spec(), Scope::Whole(cheat), so_far.last(), rng);
    let from = crew.later(crew.start(), so_far)?;
    let mut moment = crew.later(&from, &[])?;
    let mut actions: Vec<Action> = Vec::new();
    for _ in 0..budget.decisions {
        let (take, steps) = knots.decide(crew, &moment, None)?;
        actions.extend(&take.actions[..steps]);
        if take.success || take.staged > 0 || steps == 0 {
            break;
        }
        moment = crew.later(&moment, &take.actions[..steps])?;
    }
    crew.replay(&from, &actions)
}

/// Average courses by what they are worth.
fn weighted(courses: &[Course], worths: &[f64]) -> Course {
    let n = worths.len() as f64;
    let mean = worths.iter().sum::<f64>() / n;
    let spread = (worths.iter().map(|w| (w - mean) * (w - mean)).sum::<f64>() / n).sqrt();
    let most = worths.iter().copied().fold(f64::MIN, f64::max);
    let heat = (TEMPERATURE * spread).max(1e-9);
    let weights: Vec<f64> = worths.iter().map(|w| libm::exp((w - most) / heat)).collect();
    let sum: f64 = weights.iter().sum();
    let mut out = Course(vec![vec![0.0; courses[0].0[0].len()]; KNOTS]);
    for (course, weight) in courses.iter().zip(&weights) {
        for (to, from) in out.0.iter_mut().flatten().zip(course.0.iter().flatten()) {
            *to += weight / sum * from;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use longarm_types::Seed;

    use super::*;

    fn arm() -> Vec<Range> {
        ranges(&ActionSpec::tool_delta(&["arm"]), Scope::Whole(None))
    }

    #[test]
    fn a_course_stays_within_its_bounds_and_grippers_at_an_end() {
        let ranges = arm();
        let mut rng = Seed(3).stream("test");
        for _ in 0..50 {
            let course = Course::still(&ranges, None).disturbed(&ranges, 1.0, &mut rng);
            for action in course.actions(&ranges, 18) {
                let v = action.values();
                assert!(v.iter().all(|v| (-1.0..=1.0).contains(v)), "{v:?}");
                assert!(v[6] == 1.0 || v[6] == -1.0, "{v:?}");
            }
        }
    }

    #[test]
    fn later_is_the_same_course_moved_on() {
        let ranges = arm();
        let course =
            Course::still(&ranges, None).disturbed(&ranges, 1.0, &mut Seed(1).stream("test"));
        let later = course.later(3, 13);
        // Knots of 13 steps are 4 apart; a later knot lies on the lines of the earlier course.
        for (i, row) in later.0.iter().enumerate() {
            let step = (4 * i + 3).min(12);
            assert!((row[0] - course.at(0, step as f64, 13)).abs() < 1e-12);
        }
        assert_eq!(course.later(0, 13).actions(&ranges, 13), course.actions(&ranges, 13));
    }

    #[test]
    fn the_average_leans_to_what_is_worth_more() {
        let ranges = arm();
        let mut right = Course::still(&ranges, None);
        right.0.iter_mut().for_each(|row| row[0] = 1.0);
        let mean = weighted(&[Course::still(&ranges, None), right], &[0.0, 1.0]);
        assert!(mean.0[0][0] > 0.9, "{}", mean.0[0][0]);
        let even = weighted(&[Course::still(&ranges, None), mean], &[0.5, 0.5]);
        assert!(even.0[0][0] < 0.6);
    }

    #[test]
    fn stored_numbers_keep_to_bounds_that_are_not_representable() {
        let (low, high) = (-0.314, 2.23);
        let r = Range { low, high, idle: 0.0, noise: 0.0, target: true, two_sided: false };
        for v in [low, high, 0.7] {
            let stored = f64::from(within(v, &r));
            assert!((low..=high).contains(&stored) && (stored - v).abs() < 1e-6, "{v}: {stored}");
        }
        assert!(f64::from(high as f32) > high, "rounding goes beyond");
    }
}
