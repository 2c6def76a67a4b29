//! What somebody who looks at the pictures calls the objects of a scene: of several alike, which one.

use longarm_assets::{CameraMount, Tint};
use longarm_types::DVec3;

use super::Step;
use crate::predicate::Bound;
use crate::sample::fill;
use crate::{BodyId, Scene, Snapshot, TaskSpec};

/// Words for the lower and the upper end of an axis, and for the numbers between.
struct Ends {
    low: &'static str,
    high: &'static str,
}

const ACROSS: Ends = Ends { low: "left", high: "right" };
const DEEP: Ends = Ends { low: "near", high: "far" };
const UP: Ends = Ends { low: "lower", high: "upper" };

/// Objects that nothing but their place tells apart.
#[derive(Clone, Debug)]
struct Alike {
    /// What each of them is called.
    noun: String,
    /// Index of the instance, and its body.
    members: Vec<(usize, BodyId)>,
}

/// Names objects and steps as the first fixed camera of the rig shows them: left is left in its picture,
/// near is near to it.
#[derive(Clone, Debug)]
pub struct Onlooker {
    scene: Scene,
    alike: Vec<Alike>,
    /// To the right of the picture, and away from the camera, both level.
    right: DVec3,
    away: DVec3,
    /// Every step of the plan, with all that its aliases may stand for.
    steps: Vec<Step>,
}

impl Onlooker {
    /// Prepare to name what a scene has.
    pub fn new(spec: &TaskSpec, bound: &Bound, scene: &Scene) -> Self {
        let mut alike: Vec<(Option<Tint>, Alike)> = Vec::new();
        for (i, instance) in scene.structure.instances.iter().enumerate() {
            let Some(body) = bound.body(&instance.name) else { continue };
            // Words of the task's own are trusted to tell what they tell; a number is not seen.
            let own = spec.object(&instance.name).is_some_and(|o| o.called.is_some());
            let (noun, tint) = match own {
                true => (scene.called[i].clone(), None),
                false => (instance.asset.noun().to_owned(), Some(scene.tints[i])),
            };
            match alike.iter_mut().find(|(t, a)| *t == tint && a.noun == noun) {
                Some((_, a)) => a.members.push((i, body)),
                None => alike.push((tint, Alike { noun, members: vec![(i, body)] })),
            }
        }
        let alike = alike.into_iter().map(|(_, a)| a).filter(|a| a.members.len() > 1).collect();
        let fixed = scene.structure.rig.cameras.iter().find_map(|c| match &c.mount {
            CameraMount::World(pose) => Some(*pose),
            CameraMount::Tool { .. } => None,
        });
        let level = |v: DVec3| v.with_z(0.0).normalize_or_zero();
        let right = fixed.map_or(-DVec3::Y, |p| level(p.dir(DVec3::X)));
        let read = |step: &Step| -> Vec<Step> {
            let readings = bound.readings(&step.mentions());
            readings.iter().map(|b| step.read(b.meanings())).collect()
        };
        Self {
            scene: scene.clone(),
            alike,
            right,
            away: DVec3::Z.cross(right),
            steps: spec.plan.written().into_iter().flat_map(read).collect(),
        }
    }

    /// Return what each instance is called now, by its index.
    fn names(&self, now: &Snapshot) -> Vec<String> {
        let mut names = self.scene.called.clone();
        for a in &self.alike {
            let at: Vec<DVec3> = a.members.iter().map(|(_, b)| now.bodies[*b].pose.pos).collect();
            let (order, ends) = self.order(&at);
            for (place, member) in order.iter().enumerate() {
                let (instance, _) = a.members[*member];
                names[instance] = placed(&a.noun, place, order.len(), &ends);
            }
        }
        names
    }

    /// Order points along the axis on which neighbours are farthest apart.
    fn order(&self, at: &[DVec3]) -> (Vec<usize>, Ends) {
        let along = |axis: DVec3| {
            let mut order: Vec<usize> = (0..at.len()).collect();
            order.sort_by(|a, b| at[*a].dot(axis).total_cmp(&at[*b].dot(axis)));
            let gaps = order.windows(2).map(|w| (at[w[1]] - at[w[0]]).dot(axis));
            (gaps.fold(f64::INFINITY, f64::min), order)
        };
        let axes = [(self.right, ACROSS), (self.away, DEEP), (DVec3::Z, UP)];
        let mut best: Option<(f64, Vec<usize>, Ends)> = None;
        for (axis, ends) in axes {
            let (gap, order) = along(axis);
            if best.as_ref().is_none_or(|(g, ..)| gap > *g) {
                best = Some((gap, order, ends));
            }
        }
        best.map_or_else(|| ((0..at.len()).collect(), ACROSS), |(_, order, ends)| (order, ends))
    }

    /// Return what one would tell somebody who sees this moment to do, saying which of several alike
    /// objects is meant.
    pub fn sentence(&self, step: &Step, now: &Snapshot) -> String {
        let scene = match self.alike.is_empty() {
            true => std::borrow::Cow::Borrowed(&self.scene),
            false => {
                std::borrow::Cow::Owned(Scene { called: self.names(now), ..self.scene.clone() })
            }
        };
        let own = || step.sentence_with(&|path| scene.called(path));
        let said = |s: &Step| s.said.as_ref().map(|template| fill(template, &scene));
        let Some(text) = said(step) else { return own() };
        // Words that another step has, too, do not say which is meant.
        let shared = self.steps.iter().any(|s| s.op != step.op && said(s).as_ref() == Some(&text));
        if shared { own() } else { text }
    }
}

/// The name of the `place`-th of `n` alike objects in a row.
fn placed(noun: &str, place: usize, n: usize, ends: &Ends) -> String {
    const NUMBERS: [&str; 4] = ["second", "third", "fourth", "fifth"];
    match (place, n) {
        (0, _) => format!("{} {noun}", ends.low),
        (p, n) if p + 1 == n => format!("{} {noun}", ends.high),
        (1, 3) => format!("middle {noun}"),
        (p, _) => match NUMBERS.get(p - 1) {
            Some(number) => format!("{number} {noun} from the {}", ends.low),
            None => format!("{noun} number {} from the {}", p + 1, ends.low),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_counted_from_its_end() {
        let row =
            |n: usize| -> Vec<String> { (0..n).map(|p| placed("cup", p, n, &ACROSS)).collect() };
        assert_eq!(row(2), ["left cup", "right cup"]);
        assert_eq!(row(3), ["left cup", "middle cup", "right cup"]);
        assert_eq!(row(4)[1..3], ["second cup from the left", "third cup from the left"]);
    }
}
