//! Results as tables in a terminal.

use std::io::Write;

use anyhow::Result;
use longarm_results::stats::{Interval, p_value_text};
use longarm_results::{
    CONFIDENCE, Comparison, Failure, Measured, Results, Run, RunOverview, report,
};
use longarm_types::counted;

fn percent(i: &Interval) -> String {
    format!("{:5.1} % [{:5.1}, {:5.1}]", 100.0 * i.mean, 100.0 * i.lo, 100.0 * i.hi)
}

fn points(i: &Interval) -> String {
    format!("{:.1} [{:.1}, {:.1}]", i.mean, i.lo, i.hi)
}

/// What came of each task, label and suite.
pub(crate) fn table(out: &mut impl Write, results: &Results) -> Result<()> {
    let longest = results.tasks.iter().map(|t| t.task.len()).max().unwrap_or(0);
    let width = longest.max(results.suite.suite.len()).max(12);
    writeln!(out, "{:width$}  {:>6}  {:>23}  {:>13}", "task", "n", "success (95 %)", "score")?;
    for t in &results.tasks {
        let score = format!("{:.1} ± {:.1}", t.score.mean, t.score.std);
        write!(out, "{:width$}  {:>6}  {:>23}  {score:>13}", t.task, t.n, percent(&t.success))?;
        for (n, what) in [(t.policy_errors, "policy"), (t.harness_errors, "harness")] {
            if n > 0 {
                write!(out, "  {}", counted(n, &format!("{what} error")))?;
            }
        }
        writeln!(out)?;
    }
    if let Some(m) = &results.mechanisms {
        writeln!(out)?;
        let mut row = |name: &str, n: u64, of: &Option<Measured>, mean: f64, se: f64| {
            let (success, score) = match of {
                Some(m) => (percent(&m.success.scaled(0.01)), points(&m.score)),
                None => (String::new(), format!("{mean:.1} ± {se:.1} SE")),
            };
            writeln!(out, "{name:width$}  {n:>6}  {success:>23}  {score:>13}")
        };
        for l in &m.labels {
            let name = match l.label.eq_ignore_ascii_case(&l.name) {
                true => l.name.clone(),
                false => format!("{} {}", l.label, l.name),
            };
            row(&name, l.n, &l.intervals, l.mean, l.se)?;
        }
        for r in &m.regimes {
            row(&r.regime, r.n, &r.intervals, r.mean, r.se)?;
        }
        for metric in &m.metrics {
            let value = metric.interval.map_or(format!("{:.1}", metric.value), |i| points(&i));
            writeln!(out, "{:width$}  {:>6}  {:>23}  {value:>13}", metric.name, "", "")?;
        }
    }
    writeln!(out)?;
    let several = results.suites.len() > 1;
    for s in results.suites.iter().chain(several.then_some(&results.suite)) {
        let score = format!("{:.1} [{:.1}, {:.1}]", s.score.mean, s.score.lo, s.score.hi);
        writeln!(out, "{:width$}  {:>6}  {:>23}  {score:>13}", s.suite, s.n, percent(&s.success))?;
    }
    let c = &results.counts;
    if c.policy_errors > 0 {
        writeln!(
            out,
            "{} ended because the policy broke; counted as failure",
            counted(c.policy_errors, "episode")
        )?;
    }
    if c.harness_errors > 0 {
        writeln!(
            out,
            "{} ended because the harness broke; counted in no mean, --resume runs what broke again",
            counted(c.harness_errors, "episode")
        )?;
    }
    if !results.complete {
        let all = counted(c.expected, "episode");
        writeln!(out, "{} of {all} have run; --resume runs the rest", c.rows)?;
    }
    if let Some(training) = &results.training {
        writeln!(out, "{}", training.in_words())?;
    }
    Ok(())
}

/// The first of the episodes that were not solved, each with the command that films it.
pub(crate) fn failed(out: &mut impl Write, failures: &[Failure], most: usize) -> Result<()> {
    if failures.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}:", counted(failures.len() as u64, "failed episode"))?;
    for f in failures.iter().take(most) {
        let stage = f.stage_title.as_ref().or(f.stage.as_ref());
        let end = match (stage, f.reason.as_deref().and_then(|r| r.lines().next())) {
            (_, Some(why)) => why.to_owned(),
            (Some(stage), None) => format!("at \"{stage}\""),
            (None, None) => "after the last stage".to_owned(),
        };
        writeln!(out, "{} seed {}: {end}, score {:.0}", f.task, f.seed, f.score)?;
        if let Some(command) = &f.film {
            writeln!(out, "  {command}")?;
        }
    }
    if failures.len() > most {
        writeln!(out, "and {} more; --failures lists all", failures.len() - most)?;
    }
    Ok(())
}

/// A, B, C … as the page names runs.
fn key(index: usize) -> String {
    match u8::try_from(index) {
        Ok(i) if i < 26 => char::from(b'A' + i).to_string(),
        _ => (index + 1).to_string(),
    }
}

/// Runs against each other, on the episodes they share.
pub(crate) fn compared(
    out: &mut impl Write,
    runs: &[RunOverview],
    comparison: &Comparison,
) -> Result<()> {
    let width = runs.iter().map(|r| r.name.chars().count()).max().unwrap_or(0).max(4);
    writeln!(
        out,
        "   {:width$}  {:>6}  {:>23}  {:>20}  letters",
        "run", "n", "success (95 %)", "score"
    )?;
    for (i, run) in runs.iter().enumerate() {
        let s = &run.results.suite;
        let score = format!("{:.1} [{:.1}, {:.1}]", s.score.mean, s.score.lo, s.score.hi);
        writeln!(
            out,
            "{}  {:width$}  {:>6}  {:>23}  {score:>20}  {}",
            key(i),
            run.name,
            s.n,
            percent(&s.success),
            comparison.letters[i]
        )?;
    }
    writeln!(
        out,
        "\n{:7}  {:>6}  {:>10}  {:>11}  {:>22}  {:>7}  so",
        "pair", "shared", "only first", "only second", "difference, points", "p, Holm"
    )?;
    for p in &comparison.pairs {
        let pair = format!("{} − {}", key(p.a), key(p.b));
        if p.counts.n() == 0 {
            writeln!(out, "{pair:7}  {:>6}  no shared episodes: run both on the same seeds", 0)?;
            continue;
        }
        let d = p.success.scaled(100.0);
        let difference = format!("{:+.1} [{:+.1}, {:+.1}]", d.mean, d.lo, d.hi);
        let verdict = match p.adjusted > 1.0 - CONFIDENCE {
            true => "not separated".to_owned(),
            false => {
                let better = if p.counts.only_a > p.counts.only_b { p.a } else { p.b };
                format!("{} is better", runs[better].name)
            }
        };
        let value = p_value_text(p.adjusted);
        writeln!(
            out,
            "{pair:7}  {:>6}  {:>10}  {:>11}  {difference:>22}  {value:>7}  {verdict}",
            p.counts.n(),
            p.counts.only_a,
            p.counts.only_b
        )?;
    }
    writeln!(out)?;
    Ok(())
}

/// What others published about the suites of a run, beside the columns that the run has.
pub(crate) fn published(out: &mut impl Write, run: &Run) -> Result<()> {
    let Some(m) = &run.results.mechanisms else { return Ok(()) };
    for (suite, protocol) in &run.config.protocols {
        let columns = report::columns(run, suite, m);
        let Some(published) = protocol.published.as_ref().filter(|_| !columns.is_empty()) else {
            continue;
        };
        let first = published.rows.iter().map(|r| r.policy.chars().count()).max().unwrap_or(0);
        let this = format!("{} (this run)", run.config.policy);
        let first = first.max(this.chars().count());
        let width = |c: &report::Column| c.heading().chars().count().max(6);
        writeln!(out, "\n{}", published.source)?;
        write!(out, "{:first$}", "")?;
        for c in &columns {
            write!(out, " {:>1$}", c.heading(), width(c))?;
        }
        write!(out, "\n{this:first$}")?;
        for c in &columns {
            write!(out, " {:>1$.1}", c.value.mean, width(c))?;
        }
        writeln!(out)?;
        for row in &published.rows {
            write!(out, "{:first$}", row.policy)?;
            for c in &columns {
                let score = c.published(row).map_or("–".to_owned(), |s| format!("{s:.1}"));
                write!(out, " {score:>0$}", width(c))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}
