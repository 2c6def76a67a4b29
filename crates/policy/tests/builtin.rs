//! The policies that need no learning.

mod support;

use longarm_policy::{Decision, EpisodeInfo, Idle, Policy, Random, Replay};
use longarm_types::Action;
use support::{episode, observation, pick_place};

fn acts(policy: &mut dyn Policy, times: usize) -> Vec<Action> {
    let mut decision = Decision::default();
    for _ in 0..times {
        policy.act(&observation(), &mut decision).unwrap();
    }
    decision.chunk
}

/// What they say fits the environment, also after a recording has run out.
#[test]
fn actions_fit_the_environment() {
    for spec in [episode().action, pick_place()] {
        let info = EpisodeInfo { action: spec.clone(), ..episode() };
        let recorded = spec.random(&mut info.policy_seed.stream("recorded"));
        let mut replay = Replay::new(vec![recorded]);
        for policy in [&mut replay as &mut dyn Policy, &mut Idle::default(), &mut Random::default()]
        {
            policy.begin_episode(&info).unwrap();
            for action in acts(policy, 3) {
                spec.check(action.values()).unwrap();
            }
        }
        replay.begin_episode(&info).unwrap();
        assert_eq!(acts(&mut replay, 3), [recorded, spec.idle(), spec.idle()]);
    }
}

#[test]
fn nobody_acts_before_an_episode() {
    let mut decision = Decision::default();
    for policy in [&mut Replay::default() as &mut dyn Policy, &mut Idle::default()] {
        let said = policy.act(&observation(), &mut decision).unwrap_err().to_string();
        assert!(said.contains("must begin"), "{said}");
    }
    assert!(decision.chunk.is_empty());
}
