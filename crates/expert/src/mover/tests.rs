use super::*;

/// Move a hand that follows its command for a number of control steps, and return how many it took.
fn follow(mover: &mut Mover, s: &mut Snapshot, steps: u32) -> u32 {
    for step in 0..steps {
        if mover.idle() {
            return step;
        }
        let action = mover.act(s);
        let v = action.values();
        let hand = &mut s.hands[0];
        let by = |i: usize, scale: f64| {
            DVec3::new(v[i].into(), v[i + 1].into(), v[i + 2].into()) * scale
        };
        let (linear, angular) =
            (by(0, ToolScale::DEFAULT.metres), by(3, ToolScale::DEFAULT.radians));
        let rot = DQuat::from_scaled_axis(angular) * hand.commanded.rot;
        hand.commanded = Pose::new(hand.commanded.pos + linear, rot.normalize());
        hand.twist.linear = linear * f64::from(CONTROL_HZ);
        hand.twist.angular = angular * f64::from(CONTROL_HZ);
        hand.pose = hand.commanded;
    }
    steps
}

fn still() -> (Mover, Snapshot) {
    (Mover::new(0, 1.0, 1.0, ToolScale::DEFAULT), Snapshot::empty(2, &["arm"]))
}

#[test]
fn a_hand_that_turns_on_the_spot_is_not_stuck() {
    let (mut mover, mut s) = still();
    let to = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(1.2));
    mover.load([Motion::through(to, Pace::CAREFUL)]);
    let steps = follow(&mut mover, &mut s, 100);
    assert!(s.hands[0].pose.error_to(&to).1 < 0.15, "turned {:?}", s.hands[0].pose);
    assert!((18..26).contains(&steps), "{steps} steps");
}

#[test]
fn a_slower_pace_takes_longer_without_standing() {
    let steps = |pace: f64| {
        let (mut mover, mut s) = still();
        mover.pace = pace;
        mover.load([
            Motion::through(Pose::at(0.2, 0.0, 0.0), Pace::TRAVEL),
            Motion::go(Pose::at(0.2, 0.0, -0.1), Pace::CAREFUL),
        ]);
        let mut steps = 0;
        while !mover.idle() {
            let before = s.hands[0].pose;
            follow(&mut mover, &mut s, 1);
            steps += 1;
            let moved = before.error_to(&s.hands[0].pose).0;
            assert!(mover.idle() || moved > 1e-6, "stands at step {steps}");
        }
        assert!(s.hands[0].pose.error_to(&Pose::at(0.2, 0.0, -0.1)).0 < 1e-3);
        f64::from(steps)
    };
    let (usual, half, brisk) = (steps(1.0), steps(0.5), steps(1.5));
    assert!((1.6..2.1).contains(&(half / usual)), "{half} {usual}");
    assert!(brisk < 0.85 * usual, "{brisk} {usual}");
}

#[test]
fn a_long_turn_is_not_given_up_before_its_end() {
    let (mut mover, mut s) = still();
    let to = Pose::new(DVec3::ZERO, DQuat::from_rotation_z(2.4));
    mover.load([Motion::through(to, Pace::CAREFUL)]);
    follow(&mut mover, &mut s, 100);
    assert!(s.hands[0].pose.error_to(&to).1 < 0.15, "turned {:?}", s.hands[0].pose);
}

#[test]
fn a_hand_that_is_held_fast_gives_up() {
    let (mut mover, s) = still();
    mover.load([Motion::go(Pose::at(0.3, 0.0, 0.0), Pace::TRAVEL)]);
    let mut steps = 0;
    while !mover.idle() && steps < 100 {
        mover.act(&s);
        steps += 1;
    }
    assert!(steps <= 2 * STUCK_STEPS + 2, "{steps} steps");
}

#[test]
fn lines_begin_and_end_gently() {
    let (mut mover, mut s) = still();
    let to = Pose::at(0.1, 0.0, 0.0);
    mover.load([Motion::go(to, Pace::TRAVEL)]);
    let first = f64::from(mover.clone().act(&s).values()[0]) * ToolScale::DEFAULT.metres;
    assert!((first - ACCELERATION).abs() < 1e-6, "{first}");
    follow(&mut mover, &mut s, 60);
    assert!(mover.idle() && s.hands[0].pose.error_to(&to).0 < 1e-3);
}

#[test]
fn what_is_thrown_is_let_go_where_it_would_reach_its_goal() {
    let (mut mover, mut s) = still();
    let (way, to) = (DVec3::X, DVec3::new(0.6, 0.0, 0.0));
    s.hands[0].commanded = Pose::at(0.0, 0.0, 0.4);
    mover.load([Motion::Swing { body: 1, way, turn: DVec3::ZERO, to, speed: 0.1, left: 0.5 }]);
    let (mut x, mut speed) = (0.0, 0.0);
    loop {
        follow(&mut mover, &mut s, 1);
        // What it does from here on it does without the hand.
        if mover.lets_go() {
            break;
        }
        let hand = &s.hands[0];
        (s.bodies[1].pose, s.bodies[1].twist) = (hand.pose, hand.twist);
        (x, speed) = (hand.pose.pos.x, hand.twist.linear.x);
    }
    let fall = (2.0 * 0.4 / GRAVITY).sqrt();
    assert!((x + speed * fall - 0.6).abs() < 0.12, "let go at {x} with {speed}");
}

#[test]
fn a_grip_ends_when_the_body_is_held() {
    let (mut mover, mut s) = still();
    mover.load([Motion::Grip { command: 1.0, steps: 50, held: Some(1) }]);
    assert_eq!(follow(&mut mover, &mut s, 20), 20, "nothing held yet");
    s.hands[0].holds[1] = true;
    assert!(follow(&mut mover, &mut s, 20) <= 2);
}
