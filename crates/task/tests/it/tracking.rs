//! Stage tracking against a slow model that looks at the whole history every time.

mod model;

use longarm_task::prelude::*;
use longarm_task::stage::{Count, Event, Stage, Stages, When, Window};
use longarm_task::{Bound, Outcome, Snapshot, StageTracker, sample};
use longarm_types::Seed;
use model::Model;
use proptest::arbitrary::any as arb;
use proptest::prelude::*;

const SIGNALS: usize = 4;
/// 0.1 s in control steps.
const MOMENT: usize = 2;

fn signal(i: usize) -> longarm_task::Predicate {
    touching("hub", format!("s{i}"))
}

fn signal_of(p: &longarm_task::Predicate) -> usize {
    (0..SIGNALS).find(|i| signal(*i) == *p).unwrap()
}

/// A task about nothing but whether objects touch a hub.
fn signals() -> TaskSpec {
    let hub = object("hub", Block::cube(0.02));
    let mut task = TaskSpec::new("test/signals", RigName::ARX_R5)
        .horizon(1)
        .place(&hub, &region("middle", point([0.3, 0.0])));
    for i in 0..SIGNALS {
        let spot = region(format!("r{i}"), point([0.3, 0.1 * (i as f64 + 1.0)]));
        task = task.place(&object(format!("s{i}"), Block::cube(0.02)), &spot);
    }
    task
}

/// One moment: which signals are on, and whether the hand is away.
#[derive(Clone, Copy, Debug)]
struct Moment {
    on: [bool; SIGNALS],
    away: bool,
}

struct Player {
    tracker: StageTracker,
    now: Snapshot,
    hub: usize,
}

impl Player {
    fn new(task: &TaskSpec) -> Self {
        task.validate().unwrap();
        let scene = sample(task, Seed(0)).unwrap();
        let bound = Bound::new(task, &scene).unwrap();
        let mut now = bound.start(&scene);
        now.step = 0;
        Self {
            tracker: StageTracker::new(task, &scene).unwrap(),
            now,
            hub: bound.body("hub").unwrap(),
        }
    }

    fn play(&mut self, m: Moment) {
        for (i, on) in m.on.into_iter().enumerate() {
            self.now.touching.set(self.hub, self.hub + 1 + i, on);
        }
        self.now.hands[0].pose.pos.z = if m.away { 2.0 } else { 0.01 };
        self.now.hands[0].pose.pos.x = 0.3;
        self.tracker.update(&self.now);
        self.now.step += 1;
        self.now.time = f64::from(self.now.step) / 20.0;
    }

    fn completed(&self) -> Vec<Option<u32>> {
        self.tracker.status().stages.iter().map(|s| s.completed).collect()
    }
}

fn steps(seconds: f64) -> usize {
    (seconds * 20.0).round() as usize
}

prop_compose! {
    fn arb_stage(i: usize)(
        sig in 0..SIGNALS,
        counted in prop::option::weighted(0.25, 1u32..3),
        hold in prop::sample::select(vec![0.0, 0.1, 0.25]),
        after in prop::collection::btree_set(0..i.max(1), 0..=i.min(2)),
        lasts in prop::bool::weighted(0.3),
        deadline in prop::option::weighted(0.2, prop::sample::select(vec![0.3, 0.8])),
        earliest in prop::sample::select(vec![0.0, 0.0, 0.0, 0.3]),
        round in prop::option::of(1u32..3),
    ) -> Stage {
        let when: When = match counted {
            Some(n) => times(signal(sig)).reach(n),
            None => signal(sig).into(),
        };
        let mut s = stage(format!("stage {i}"), when).hold(hold);
        if i > 0 {
            s = s.after(after);
        }
        s.must_last = lasts;
        if deadline.is_some() || earliest > 0.0 {
            s.window = Some(Window { earliest, deadline });
        }
        s.round = round;
        s
    }
}

fn arb_stages() -> impl Strategy<Value = Vec<Stage>> {
    (1usize..5).prop_flat_map(|n| (0..n).map(arb_stage).collect::<Vec<_>>())
}

fn arb_event(stages: usize) -> impl Strategy<Value = Event> {
    let gate = prop::option::of((arb::<bool>(), 0..stages));
    (0..SIGNALS, prop::option::of(0u32..3), prop::sample::select(vec![0.1, 0.4]), gate).prop_map(
        |(sig, count, seconds, gate)| {
            let event = match count {
                Some(n) => times(signal(sig)).more_than(n),
                None => ever(signal(sig)).lasting(seconds),
            };
            match gate {
                Some((true, i)) => event.after(format!("stage {i}")),
                Some((false, i)) => event.before(format!("stage {i}")),
                None => event,
            }
        },
    )
}

fn arb_task() -> impl Strategy<Value = TaskSpec> {
    arb_stages().prop_flat_map(|stages| {
        let n = stages.len();
        let events = prop::collection::vec(arb_event(n), 0..3);
        (Just(stages), events, prop::option::of(prop::sample::select(vec![0.0, 0.2, 0.5])))
            .prop_map(|(stages, events, quiet)| {
                let mut task = signals().stages(any_order(stages));
                for (k, e) in events.into_iter().enumerate() {
                    task = task.forbid(format!("event {k}"), e);
                }
                task.quiet = quiet;
                task
            })
    })
}

/// Stretches during which nothing changes, some too short to count.
fn arb_trace() -> impl Strategy<Value = Vec<Moment>> {
    let stretch = (arb::<[bool; SIGNALS]>(), prop::bool::weighted(0.7), 1usize..9);
    prop::collection::vec(stretch, 1..25).prop_map(|all| {
        all.into_iter()
            .flat_map(|(on, away, n)| std::iter::repeat_n(Moment { on, away }, n))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn tracker_agrees_with_the_slow_model(task in arb_task(), trace in arb_trace()) {
        let mut player = Player::new(&task);
        let mut model = Model::new(&task);
        let (mut ended, mut sum) = (false, 0.0);
        for (t, m) in trace.iter().enumerate() {
            player.play(*m);
            model.play(*m);
            prop_assert_eq!(player.completed(), model.completed.clone(), "step {}", t);
            prop_assert_eq!(player.tracker.status().outcome, model.outcome, "step {}", t);
            let reward = player.tracker.reward();
            if t == 0 || !ended {
                sum += reward.stages;
                let success = model.outcome == Outcome::Success;
                prop_assert_eq!(reward.sparse, f64::from(u8::from(success)));
                prop_assert!((0.0..=1.0).contains(&reward.dense));
                prop_assert_eq!(reward.dense == 1.0, success, "step {}: {:?}", t, reward);
            }
            ended = player.tracker.status().ended();
        }
        prop_assert!((100.0 * sum - player.tracker.status().score()).abs() < 1e-6);
        let score = player.tracker.status().score();
        prop_assert!((0.0..=100.0).contains(&score));
        if player.tracker.status().outcome == Outcome::Success {
            prop_assert_eq!(score, 100.0);
        }
    }

    #[test]
    fn a_clone_goes_its_own_way(task in arb_task(), trace in arb_trace(), cut in 0usize..60) {
        let mut whole = Player::new(&task);
        let mut first = Player::new(&task);
        let cut = cut.min(trace.len());
        trace[..cut].iter().for_each(|m| first.play(*m));
        let mut second =
            Player { tracker: first.tracker.clone(), now: first.now.clone(), hub: first.hub };
        // The original goes elsewhere.
        trace.iter().rev().for_each(|m| first.play(*m));
        trace[cut..].iter().for_each(|m| second.play(*m));
        trace.iter().for_each(|m| whole.play(*m));
        prop_assert_eq!(whole.tracker.status(), second.tracker.status());
    }
}

fn run(task: &TaskSpec, stretches: &[(&[usize], bool, usize)]) -> Player {
    let mut p = Player::new(task);
    for (on, away, n) in stretches {
        let mut m = Moment { on: [false; SIGNALS], away: *away };
        on.iter().for_each(|i| m.on[*i] = true);
        (0..*n).for_each(|_| p.play(m));
    }
    p
}

#[test]
fn jitter_is_one_event() {
    let task = signals().stages([stage("twice", times(signal(0)).reach(2))]);
    let chatter: Vec<(&[usize], bool, usize)> =
        (0..20).flat_map(|_| [(&[0][..], true, 3), (&[][..], true, 1)]).collect();
    assert_eq!(run(&task, &chatter).completed(), [None]);
    let apart = run(&task, &[(&[], true, 1), (&[0], true, 3), (&[], true, 3), (&[0], true, 3)]);
    assert_eq!(apart.completed(), [Some(9)]);
}

#[test]
fn latched_stages_stay_and_lasting_ones_do_not() {
    let both = any_order([stage("once", signal(0)), stage("lasting", signal(1)).at_end()]);
    let task = signals().stages(both.clone()).forbid("never", ever(signal(3)));
    let p = run(&task, &[(&[1], true, 2), (&[], true, 2)]);
    assert_eq!(p.completed(), [None, None]);
    let p = run(&task, &[(&[0], true, 2), (&[], true, 2)]);
    assert_eq!(p.completed(), [Some(0), None]);
    let p = run(&task, &[(&[1], true, 2), (&[], true, 2), (&[0, 1], true, 1)]);
    assert_eq!(p.tracker.status().outcome, Outcome::Success);
}

#[test]
fn late_is_late() {
    let task = signals().stages([stage("soon", signal(0)).within(0.5)]);
    assert_eq!(run(&task, &[(&[], true, 10), (&[0], true, 5)]).completed(), [Some(10)]);
    let p = run(&task, &[(&[], true, 11), (&[0], true, 5)]);
    assert_eq!(p.completed(), [None]);
    assert!(p.tracker.status().stages[0].late);
}

#[test]
fn records_explain_what_is_missing() {
    let task = signals().stages([stage("a", signal(0)).hold(0.1), stage("b", signal(1))]);
    let p = run(&task, &[(&[0], true, 5)]);
    let records = p.tracker.records(&p.now);
    assert!(records[0].completed && records[0].step == Some(2));
    assert!(records[0].margins.iter().all(|m| m.holds));
    assert_eq!(records[0].margins[1].name, "for");
    assert!(!records[1].completed);
    assert_eq!(records[1].margins[0].name, "hub, s1: touching");
    assert!(!records[1].margins[0].holds);
}
