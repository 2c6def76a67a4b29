//! Summaries, their schema, and the report.

#[path = "support/fifth.rs"]
mod fifth;
#[path = "../examples/made_up/mod.rs"]
mod made_up;
#[path = "support/schema.rs"]
mod schema_check;

use std::path::Path;

use longarm_results::report::{self, Picture};
use longarm_results::{Results, Row, RowSummary, Run, RunConfig, compare, schema, summarize};
use longarm_types::EpisodeOutcome;
use longarm_types::protocol::{Matrix, Protocol, Role};
use schema_check::validate;
use serde_json::Value;

fn run(policy: &str, skill: f64, memory: f64, episodes: u64) -> (RunConfig, Vec<Row>) {
    let config = made_up::config(policy, episodes, 50);
    let rows = made_up::rows(&config, skill, memory);
    (config, rows)
}

fn summaries(rows: &[Row]) -> Vec<RowSummary> {
    rows.iter().map(RowSummary::from).collect()
}

#[test]
fn schema_is_published() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/results.schema.json");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, schema()).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == schema(), "{} is out of date; run with UPDATE=1", path.display());
}

#[test]
fn a_sample_validates() {
    let (config, rows) = run("expert", 0.93, 0.9, 12);
    let results = summarize(&config, &summaries(&rows));
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let value: Value = serde_json::from_str(&results.to_json()).unwrap();
    validate(&schema, &schema, &value, "$");
    assert!(serde_json::from_str::<Results>(&results.to_json()).unwrap() == results);
    // What scripts rely on.
    let task = &value["tasks"][0];
    for key in
        ["/task", "/n", "/success/mean", "/success/lo", "/success/hi", "/score/mean", "/score/std"]
    {
        assert!(task.pointer(key).is_some(), "{key}");
    }
    assert!(value["suite"]["success"]["lo"].is_number());
    if let Some(path) = std::env::var_os("SAMPLE") {
        std::fs::write(path, results.to_json()).unwrap();
    }
}

/// MemoryVLA's published scores come out of rows that have them.
#[test]
fn longbench_scores_are_the_papers() {
    let published = [81.6, 64.0, 62.5, 27.5, 10.0, 56.6, 82.5, 27.5, 36.0, 24.0];
    let (config, mut rows) = run("memory-vla", 0.9, 0.9, 10);
    for row in &mut rows {
        let t = (row.index % 10) as usize;
        row.episode.score = published[t];
        row.episode.outcome = EpisodeOutcome::TaskFailure;
    }
    let m = summarize(&config, &summaries(&rows)).mechanisms.unwrap();
    let label = |l: &str| m.labels.iter().find(|x| x.label == l).unwrap();
    assert!((label("CT").mean - 55.0).abs() < 1e-9);
    assert!((label("SB").mean - 30.0).abs() < 1e-9);
    assert_eq!(label("IP").tasks.len(), 4);
    assert!(
        (m.regimes[0].mean - 49.12).abs() < 1e-9 && m.regimes[0].regime == "context-independent"
    );
    assert!((m.regimes[1].mean - 45.32).abs() < 1e-9);
    assert!((m.overall.unwrap() - 47.22).abs() < 1e-9);
    // SEM over pooled trials: ten times 82.5 and ten times 27.5.
    let pooled = longarm_results::stats::Moments::of(&[82.5, 27.5].repeat(10));
    assert!((label("CT").se - pooled.se).abs() < 1e-9);
    // One regime alone has no overall.
    let half: Vec<Row> = rows.iter().filter(|r| r.index % 10 < 5).cloned().collect();
    assert_eq!(summarize(&config, &summaries(&half)).mechanisms.unwrap().overall, None);
}

#[test]
fn errors_are_counted_as_promised() {
    let (config, mut rows) = run("x", 1.0, 1.0, 4);
    for r in &mut rows {
        r.episode.outcome = EpisodeOutcome::Success;
        r.episode.score = 100.0;
    }
    rows[0].episode.outcome = EpisodeOutcome::HarnessError;
    rows[0].episode.score = 0.0;
    rows[10].episode.outcome = EpisodeOutcome::PolicyError;
    rows[10].episode.score = 0.0;
    let r = summarize(&config, &summaries(&rows));
    let t = r.tasks.iter().find(|t| t.task == "longbench/waste-sorting").unwrap();
    assert_eq!((t.n, t.successes, t.policy_errors, t.harness_errors), (3, 2, 1, 1));
    assert!(
        (t.success.mean - 2.0 / 3.0).abs() < 1e-12 && (t.score.mean - 200.0 / 3.0).abs() < 1e-9
    );
    assert_eq!((r.counts.n, r.counts.rows, r.complete), (39, 40, true));
    // All that is left of a task is a harness error: it is in no mean.
    let alone = summarize(&config, &summaries(&rows[..1]));
    assert_eq!((alone.tasks[0].n, alone.suite.tasks, alone.suite.n), (0, 0, 0));
    let none = summarize(&config, &[]);
    assert!(!none.complete && none.tasks.is_empty());
}

#[test]
fn order_does_not_matter() {
    let (config, rows) = run("x", 0.9, 0.9, 6);
    let mut b = summaries(&rows);
    let want = summarize(&config, &b).to_json();
    for seed in 0..5 {
        longarm_types::Seed(seed).stream("order").shuffle(&mut b);
        assert_eq!(summarize(&config, &b).to_json(), want);
    }
}

#[test]
fn comparison_separates_what_differs() {
    let good = run("good", 0.98, 0.98, 30).1;
    let bad = run("bad", 0.8, 0.8, 30).1;
    let twin = run("good", 0.98, 0.98, 30).1;
    let (g, b, t) = (summaries(&good), summaries(&bad), summaries(&twin));
    let c = compare(&[&b, &g, &t]);
    assert_eq!(c.letters, ["b", "a", "a"]);
    let p = &c.pairs[0];
    assert!(p.success.hi < 0.0 && p.adjusted < 1e-6 && p.sequential < 1e-4, "{p:?}");
    assert_eq!((c.pairs[2].p, c.pairs[2].success.mean), (1.0, 0.0));
    let none = compare(&[&g, &[]]);
    assert_eq!(none.pairs[0].counts.n(), 0);
}

#[test]
fn reports_escape_what_rows_say() {
    let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>";
    let (mut config, mut rows) = run("x", 0.7, 0.7, 3);
    config.policy = evil.into();
    config.selectors = vec![evil.into()];
    config.options.chosen.insert("note".into(), evil.into());
    for e in config.tasks.values_mut() {
        e.stages.clear();
        e.labels = vec![evil.into()];
    }
    for r in &mut rows {
        r.episode.stages.iter_mut().for_each(|s| {
            s.name = evil.into();
            s.margins.iter_mut().for_each(|m| m.name = evil.into());
        });
        r.episode.outcome = EpisodeOutcome::PolicyError;
        r.episode.reason = Some(evil.into());
        r.video = Some(match r.index % 4 {
            0 => "javascript:alert(1)".into(),
            1 => "../../secret.mp4".into(),
            2 => format!("videos/{}", evil.replace('/', "")),
            _ => "/etc/passwd".into(),
        });
    }
    let mut one = Run::new(evil, config, summaries(&rows));
    one.notes.push(evil.into());
    for page in [report::render(std::slice::from_ref(&one)), report::render(&[one.clone(), one])] {
        for bad in
            ["<script", "<img", "onerror=alert(1)>", "javascript:", "secret.mp4", "/etc/passwd"]
        {
            let found =
                page.find(bad).map(|i| &page[i.saturating_sub(60)..(i + 40).min(page.len())]);
            assert!(found.is_none(), "{bad}: {found:?}");
        }
        assert!(page.contains("&lt;script&gt;"));
        assert!(!page.contains("http://") && !page.contains("https://"), "something is fetched");
    }
}

#[test]
fn reports_of_odd_runs_are_pages_too() {
    let (config, rows) = run("x", 0.9, 0.9, 2);
    let ends =
        |page: String| assert!(page.ends_with("</main></body></html>\n") && !page.contains("NaN"));
    ends(report::render(&[]));
    ends(report::render(&[Run::new("empty", config.clone(), vec![])]));
    let all_won: Vec<Row> = rows
        .iter()
        .cloned()
        .map(|mut r| {
            r.episode.outcome = EpisodeOutcome::Success;
            r.episode.stages.clear();
            r.inference = None;
            r
        })
        .collect();
    ends(report::render(&[Run::new("won", config.clone(), summaries(&all_won))]));
    let full = Run::new("full", config.clone(), summaries(&rows));
    ends(report::render(&[full.clone(), Run::new("empty", config, vec![])]));
    assert_eq!(report::render(std::slice::from_ref(&full)), report::render(&[full]));
    assert!(Picture::new(b"<svg onload=alert(1)></svg>".to_vec()).is_none());
}

/// Rows of tasks with these labels, each with how many of its ten episodes succeed.
fn labelled(protocol: Protocol, tasks: &[(&str, &[&str], u64)]) -> Run {
    let (mut config, rows) = run("x", 1.0, 1.0, 1);
    let suite = tasks[0].0.split('/').next().unwrap().to_owned();
    config.protocols = [(suite, protocol)].into();
    let entry = config.tasks.values().next().unwrap().clone();
    config.tasks.clear();
    let mut made = Vec::new();
    for (t, (id, labels, successes)) in tasks.iter().enumerate() {
        let mut entry = entry.clone();
        entry.labels = labels.iter().map(|l| (*l).to_owned()).collect();
        config.tasks.insert(id.parse().unwrap(), entry);
        for k in 0..10 {
            let mut row = rows[0].clone();
            row.index = k * tasks.len() as u64 + t as u64;
            row.episode.task = id.parse().unwrap();
            row.episode.seed = k;
            let success = k < *successes;
            row.episode.outcome =
                if success { EpisodeOutcome::Success } else { EpisodeOutcome::TaskFailure };
            row.episode.score = if success { 100.0 } else { 0.0 };
            made.push(RowSummary::from(&row));
        }
    }
    let run = Run::new("x", config, made);
    if let Some(dir) = std::env::var_os("PAGES") {
        let name = tasks[0].0.split('/').next().unwrap();
        let page = Path::new(&dir).join(format!("{name}.html"));
        std::fs::write(page, report::render(std::slice::from_ref(&run))).unwrap();
    }
    run
}

#[test]
fn a_matrix_shows_what_tasks_ask_for() {
    let words = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
    let protocol = Protocol {
        matrix: Some(Matrix {
            heading: "capabilities".to_owned(),
            columns: words(&["color", "size", "spatiality", "arithmetic", "shape", "occlusion"]),
            parts: words(&["seen", "unseen"]),
        }),
        ..Protocol::default()
    };
    let run = labelled(
        protocol,
        &[
            ("lohoravens/stack-blocks", &["color", "1-capabilities", "seen"], 10),
            ("lohoravens/stack-small-in-corner", &["size", "spatiality", "seen"], 7),
            ("lohoravens/sort-into-matching-bowls", &["color", "spatiality", "seen"], 8),
            ("lohoravens/stack-by-count", &["arithmetic", "color", "unseen", "step-by-step"], 3),
            ("lohoravens/hidden-under-a-cup", &["occlusion", "color", "size", "unseen"], 1),
        ],
    );
    let page = report::render(std::slice::from_ref(&run));
    let matrix = &page[page.find("Capabilities asked for in lohoravens").unwrap()..];
    let matrix = &matrix[..matrix.find("</section>").unwrap()];
    // Five columns, no more: the split and other labels are no capabilities.
    assert_eq!(matrix.matches("class=\"up\"").count(), 5);
    assert_eq!(matrix.matches("<i style").count(), 1 + 2 + 2 + 2 + 3);
    // Means of colour: seen (100 + 80) / 2, unseen (30 + 10) / 2, all four.
    for (split, colour) in [("seen", "90"), ("unseen", "20"), ("all", "55")] {
        let row = format!("mean, {split}</td><td class=\"cell num\">{colour}</td>");
        assert!(matrix.contains(&row), "{row}");
    }
    // One task asks for one, and two of those seen for two.
    assert!(matrix.contains("2 <small>2 tasks</small>") && matrix.contains("3 <small>1 task<"));
    assert!(!report::render(&[Run::new("y", run.config.clone(), Vec::new())]).contains("matrix\""));
}

#[test]
fn modified_skills_stand_beside_their_own() {
    let modified = |plain: &str, count, challenge: &str, title: &str| Role::Modified {
        plain: format!("boss/{plain}"),
        count,
        challenge: Some(challenge.to_owned()),
        title: title.to_owned(),
    };
    let roles = [
        ("c1-open-the-drawer", modified("open-the-drawer", 1, "C1", "with a full table")),
        ("c2-2-open-the-drawer", modified("open-the-drawer", 2, "C2", "2 modifications")),
        ("c2-3-open-the-drawer", modified("open-the-drawer", 3, "C2", "3 modifications")),
        ("c1-turn-on-the-stove", modified("turn-on-the-stove", 1, "C1", "with a pan on it")),
        ("c2-2-turn-on-the-stove", modified("turn-on-the-stove", 2, "C2", "2 modifications")),
        ("c1-put-the-bowl-on-the-plate", modified("put-the-bowl-on-the-plate", 1, "C1", "x")),
        ("c1-never-run-plain", modified("never-run", 1, "C1", "y")),
    ];
    let protocol = Protocol {
        roles: roles.map(|(id, role)| (format!("boss/{id}"), role)).into(),
        ..Protocol::default()
    };
    let run = labelled(
        protocol,
        &[
            ("boss/open-the-drawer", &[], 10),
            ("boss/c1-open-the-drawer", &["1 modification"], 6),
            ("boss/c2-2-open-the-drawer", &["2 modifications"], 5),
            ("boss/c2-3-open-the-drawer", &["3 modifications"], 10),
            ("boss/turn-on-the-stove", &[], 0),
            ("boss/c1-turn-on-the-stove", &["1 modification"], 2),
            ("boss/c2-2-turn-on-the-stove", &["2 modifications"], 0),
            ("boss/put-the-bowl-on-the-plate", &[], 8),
            ("boss/c1-put-the-bowl-on-the-plate", &["1 modification"], 9),
            ("boss/c1-never-run-plain", &["1 modification"], 9),
        ],
    );
    let page = report::render(std::slice::from_ref(&run));
    let part = &page[page.find("What modified scenes cost").unwrap()..];
    let part = &part[..part.find("</section>").unwrap()];
    assert_eq!(part.matches("class=\"scatter\"").count(), 3);
    // One modification: the drawer loses 40 %, the bowl gains, the stove is never solved plain.
    assert!(part.contains("1 of 2 lose, 40.0\u{202f}% of their success"), "{part}");
    assert_eq!(part.matches("RPD undefined for 1 scene").count(), 2);
    assert!(part.contains("None of 1 scene loses."));
    let row = |m: &str, rpd: &str| format!("<td class=\"r\">{m}</td><td class=\"r\">{rpd}</td>");
    assert!(part.contains(&row("60", "+40.0")) && part.contains(&row("90", "−12.5")), "{part}");
    // Means with their intervals: of 40 % and −12.5 %, and of all four that are defined.
    assert!(part.contains("Mean RPD 13.8\u{202f}% [") && part.contains("C2: 2 modifications"));
    assert!(part.contains("C1: with a pan on it"));
    assert!(part.contains("Mean RPD over all modifications: 19.4\u{202f}% ["), "{part}");
    assert!(part.contains("<td class=\"r soft\">undefined</td>"));
    assert!(!part.contains("never-run-plain"));
}

#[test]
fn a_run_without_protocol_has_labels_only() {
    let (mut config, rows) = run("x", 0.9, 0.9, 4);
    config.protocols.clear();
    let text = config.to_toml();
    assert!(!text.contains("protocols"), "{text}");
    let m = summarize(&config, &summaries(&rows)).mechanisms.unwrap();
    assert_eq!((m.labels.len(), m.regimes.len(), m.overall), (8, 0, None));
    let page = report::render(&[Run::new("x", config, summaries(&rows))]);
    assert!(page.contains("What it is good at") && !page.contains("Beside what is published"));
}
