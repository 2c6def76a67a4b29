//! Ranges of seeds, labels and their groups.

use longarm_types::protocol::{LabelGroup, Protocol, SeedRange, Split, Splits};

#[test]
fn ranges_begin_at_their_own_seeds() {
    let odd = SeedRange::between(1, 9_999).every(2);
    assert_eq!((odd.nth(0, 0), odd.nth(1, 1), odd.nth(2, 0)), (Some(1), Some(3), Some(3)));
    assert_eq!((odd.nth(9_998, 0), odd.nth(9_998, 1)), (Some(9_999), None));
    assert!(odd.contains(7) && !odd.contains(8) && !odd.contains(10_001));
    let open = SeedRange::from(0).every(2);
    assert_eq!((open.nth(7, 0), open.nth(7, 2)), (Some(8), Some(12)));
    assert_eq!(SeedRange::from(0).nth(u64::MAX, 1), None);
    assert_eq!(open.nth(0, u64::MAX), None);
}

#[test]
fn default_splits_share_no_seed() {
    let splits = Splits::default();
    let all = [splits.train, splits.validation, splits.test];
    for seed in [0, 9_999, 10_000, 19_999, 20_000, u64::MAX] {
        assert_eq!(all.iter().filter(|r| r.contains(seed)).count(), 1, "{seed}");
    }
}

#[test]
fn labels_know_their_group_and_place() {
    let protocol = Protocol {
        groups: vec![
            LabelGroup::new("first", &[("A", "a"), ("B", "b")]).needs_context(false),
            LabelGroup::new("second", &[("C", "c")]).needs_context(true),
            LabelGroup::new("other", &[("D", "d")]),
        ],
        ..Protocol::default()
    };
    assert_eq!(protocol.label("C").map(|(i, g, _)| (i, g.name.as_str())), Some((2, "second")));
    let needs = |labels: &[&str]| {
        protocol.needs_context(&labels.iter().map(|l| (*l).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(needs(&["A"]), Some(false));
    assert_eq!(needs(&["A", "C"]), Some(true));
    assert_eq!((needs(&["D"]), needs(&["unknown"])), (None, None));
}

#[test]
fn both_spellings_of_validation() {
    assert_eq!("val".parse(), Ok(Split::Validation));
    assert_eq!("validation".parse(), Ok(Split::Validation));
    assert!("tset".parse::<Split>().unwrap_err().contains("validation"));
    assert_eq!(Split::Validation.to_string(), "validation");
}
