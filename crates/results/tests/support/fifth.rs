//! A benchmark that no crate knows.

use longarm_results::Run;
use longarm_results::report;
use longarm_results::stats::Interval;
use longarm_types::protocol::{
    LabelGroup, MeanOver, Measure, Metric, Protocol, Published, PublishedRow,
};

use super::labelled;

/// A benchmark that nobody here has heard of brings a value, not a branch: categories with two metrics,
/// a ladder of levels.
#[test]
fn a_fifth_benchmark_brings_a_value() {
    let metric = |name: &str, measure| Metric {
        name: name.to_owned(),
        title: format!("{name} in words"),
        measure,
        over: MeanOver::Tasks,
    };
    let protocol = Protocol {
        title: "Fifth".to_owned(),
        groups: vec![
            LabelGroup::new("categories", &[("spatial", "Where"), ("temporal", "When")]),
            LabelGroup::new("ladder", &[("level-1", "Level 1"), ("level-2", "Level 2")]),
        ],
        metrics: vec![metric("TSR", Measure::Success), metric("CSR", Measure::Score)],
        published: Some(Published {
            source: "A paper about five".to_owned(),
            rows: vec![PublishedRow {
                policy: "theirs".to_owned(),
                scores: [("spatial TSR", 12.5), ("spatial CSR", 42.8), ("CSR", 38.7)]
                    .map(|(k, v)| (k.to_owned(), v))
                    .into(),
            }],
            memory: None,
        }),
        ..Protocol::default()
    };
    let mut run = labelled(
        protocol,
        &[
            ("fifth/a", &["spatial", "level-1"], 10),
            ("fifth/b", &["spatial", "level-2"], 5),
            ("fifth/c", &["temporal", "level-2"], 3),
        ],
    );
    // Half of the stages are done in what fails.
    for row in run.rows.iter_mut().filter(|r| !r.success()) {
        row.score = 50.0;
    }
    let run = Run::new("x", run.config, run.rows);
    let m = run.results.mechanisms.as_ref().unwrap();
    let values: Vec<(&str, f64)> = m.metrics.iter().map(|x| (x.name.as_str(), x.value)).collect();
    assert_eq!(values, [("TSR", 60.0), ("CSR", 80.0)]);
    let label = |l: &str| m.labels.iter().find(|x| x.label == l).map(|x| (x.success, x.mean));
    assert_eq!(label("spatial"), Some((75.0, 87.5)));
    assert_eq!(label("level-2"), Some((40.0, 70.0)));
    let order: Vec<&str> = m.labels.iter().map(|l| l.label.as_str()).collect();
    assert_eq!(order, ["spatial", "temporal", "level-1", "level-2"], "as declared");
    // Means of the tasks' means over tasks (TSR and CSR), each with an interval.
    let within =
        |i: Interval, mean: f64| (i.mean - mean).abs() < 1e-9 && i.lo < mean && mean < i.hi;
    for (metric, mean) in m.metrics.iter().zip([60.0, 80.0]) {
        assert!(metric.interval.is_some_and(|i| within(i, mean)), "{metric:?}");
    }
    let spatial = m.labels[0].intervals.unwrap();
    assert!(within(spatial.success, 75.0) && within(spatial.score, 87.5), "{spatial:?}");
    let columns = report::columns(&run, "fifth", m);
    let headings: Vec<String> = columns.iter().map(report::Column::heading).collect();
    assert_eq!(headings[..4], ["Where TSR", "Where CSR", "When TSR", "When CSR"]);
    assert_eq!(headings.last().map(String::as_str), Some("overall CSR"));
    let row = &run.config.protocols["fifth"].published.as_ref().unwrap().rows[0];
    let theirs: Vec<Option<f64>> = columns.iter().map(|c| c.published(row)).collect();
    assert_eq!(theirs[..3], [Some(12.5), Some(42.8), None]);
    assert_eq!(theirs.last(), Some(&Some(38.7)));
    let page = report::render(&[run]);
    for text in [
        "Fifth TSR",
        "Fifth CSR",
        "What it is good at: CSR",
        "Ladder",
        "Level 2",
        "colspan=\"2\">Where</th>",
        "42.8",
    ] {
        assert!(page.contains(text), "{text}");
    }
}
