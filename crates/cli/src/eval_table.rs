//! Results as tables in a terminal.

use std::io::Write;

use anyhow::Result;
use longarm_results::{Results, Run, report};

/// What came of each task, label and suite.
pub(crate) fn table(out: &mut impl Write, results: &Results) -> Result<()> {
    let longest = results.tasks.iter().map(|t| t.task.len()).max().unwrap_or(0);
    let width = longest.max(results.suite.suite.len()).max(12);
    let percent = |i: &longarm_results::stats::Interval| {
        format!("{:5.1} % [{:5.1}, {:5.1}]", 100.0 * i.mean, 100.0 * i.lo, 100.0 * i.hi)
    };
    writeln!(out, "{:width$}  {:>6}  {:>23}  {:>13}", "task", "n", "success (95 %)", "score")?;
    for t in &results.tasks {
        let score = format!("{:.1} ± {:.1}", t.score.mean, t.score.std);
        write!(out, "{:width$}  {:>6}  {:>23}  {score:>13}", t.task, t.n, percent(&t.success))?;
        for (n, what) in [(t.policy_errors, "policy"), (t.harness_errors, "harness")] {
            if n > 0 {
                write!(out, "  {n} {what} errors")?;
            }
        }
        writeln!(out)?;
    }
    if let Some(m) = &results.mechanisms {
        writeln!(out)?;
        for l in &m.labels {
            let score = format!("{:.1} ± {:.1} SE", l.mean, l.se);
            writeln!(
                out,
                "{:width$}  {:>6}  {:>23}  {score:>13}",
                match l.label == l.name {
                    true => l.name.clone(),
                    false => format!("{} {}", l.label, l.name),
                },
                l.n,
                ""
            )?;
        }
        for r in &m.regimes {
            let score = format!("{:.1} ± {:.1} SE", r.mean, r.se);
            writeln!(out, "{:width$}  {:>6}  {:>23}  {score:>13}", r.regime, r.n, "")?;
        }
        for metric in &m.metrics {
            let (name, value) = (&metric.name, metric.value);
            writeln!(out, "{name:width$}  {:>6}  {:>23}  {value:>13.1}", "", "")?;
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
            "{} episodes ended because the policy broke; they count as failures",
            c.policy_errors
        )?;
    }
    if c.harness_errors > 0 {
        writeln!(
            out,
            "{} episodes ended because the harness broke; they count in no mean, --resume runs them again",
            c.harness_errors
        )?;
    }
    if !results.complete {
        writeln!(out, "{} of {} episodes have run; --resume runs the rest", c.rows, c.expected)?;
    }
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
        let width = |key: &str| key.len().max(6);
        writeln!(out, "\n{}", published.source)?;
        write!(out, "{:first$}", "")?;
        for c in &columns {
            write!(out, " {:>1$}", c.key, width(&c.key))?;
        }
        writeln!(out)?;
        for row in &published.rows {
            write!(out, "{:first$}", row.policy)?;
            for c in &columns {
                let score = row.scores.get(&c.key).map_or("–".to_owned(), |s| format!("{s:.1}"));
                write!(out, " {score:>0$}", width(&c.key))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}
