//! BOSS and LIBERO as tables: numbers of tasks, of modifications, and what they do.

use std::collections::BTreeMap;

use longarm_suites::boss::{self, Rule, ramg, skills};
use longarm_suites::libero;
use longarm_task::bddl::{parse, write};

#[test]
fn the_suites_have_the_published_number_of_tasks() {
    assert_eq!(libero::scenes().count(), 20);
    assert_eq!(libero::NINETY.ids().len(), 90);
    assert_eq!(libero::TEN.ids().len(), 10);
    assert_eq!(skills().len(), 44);
    assert_eq!(boss::SUITE.ids().len(), 44 + 44 + 88 + 10);
    // BOSS's order is the alphabet's.
    assert_eq!(skills()[0].title(), "KITCHEN_SCENE10_close_the_top_drawer_of_the_cabinet");
    assert_eq!(skills()[30].title(), "KITCHEN_SCENE8_put_the_right_moka_pot_on_the_stove");
    assert_eq!(skills()[43].title(), "LIVING_ROOM_SCENE6_put_the_white_mug_on_the_plate");
}

#[test]
fn single_modifications_are_the_papers_1727() {
    let mut by_rule: BTreeMap<Rule, usize> = BTreeMap::new();
    for s in skills() {
        let all = s.modifications();
        for (i, m) in all.iter().enumerate() {
            assert!(!all[..i].contains(m), "{}: {} twice", s.title(), m.fact);
            *by_rule.entry(m.rule).or_default() += 1;
        }
    }
    let counts: Vec<usize> = Rule::ALL.iter().map(|r| by_rule[r]).collect();
    assert_eq!(counts, [96, 606, 451, 309, 66, 199]);
    assert_eq!(counts.iter().sum::<usize>(), 1727);
}

#[test]
fn accumulated_modifications_stay_apart() {
    for s in skills() {
        for k in 1..=3 {
            for n in 0..20 {
                let Some(drawn) = s.drawn(k, n) else { panic!("{}: no {k}", s.title()) };
                assert_eq!(drawn.len(), k);
                let problem = s.with(drawn.iter().map(|m| &m.fact));
                for (i, m) in drawn.iter().enumerate() {
                    assert!(problem.init.contains(&m.fact), "{} did not last", m.fact);
                    assert!(!ramg::changes_nothing(&s.problem(), m), "{} changes nothing", m.fact);
                    assert!(!drawn[..i].iter().any(|n| n.fact == m.fact));
                }
                let placed = problem.init.iter().filter(|f| f.relation.arity() == 2).count();
                assert_eq!(placed, problem.objects.len() + problem.fixtures.len() - 1);
            }
        }
    }
}

#[test]
fn every_id_stands_for_a_problem_that_reads_back() {
    for id in boss::SUITE.ids() {
        match boss::problem(id) {
            Some(p) => assert_eq!(parse(&write(&p)).as_ref(), Ok(&p), "{id}"),
            None => assert!(id.starts_with("boss/c3-"), "{id}"),
        }
    }
    assert!(boss::entry("boss/c3-01").is_none());
    assert!(boss::entry("boss/mod2-07-kitchen-scene3-turn-on-the-stove").is_none());
    assert!(boss::entry("boss/mod2-7-kitchen-scene3-turn-on-the-stove").is_some());
}
