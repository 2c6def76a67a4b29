//! Published rows to show beside a run.

use std::io::Write;

use longarm_results::Run;
use longarm_results::report::{OVERALL, References};
use longarm_suites::longbench::published::{MECHANISMS, PUBLISHED, SOURCE, diagnose};

const REGIMES: [&str; 2] = ["context-independent", "context-dependent"];

/// A run with what is published about its tasks.
pub(crate) fn with_references(run: Run) -> Run {
    Run { references: references(&run), ..run }
}

fn references(run: &Run) -> Option<References> {
    let m = run.results.mechanisms.as_ref()?;
    if !m.labels.iter().any(|l| l.suite == "longbench") {
        return None;
    }
    let rows = PUBLISHED.iter().map(|p| {
        let d = diagnose(&p.scores.map(Some));
        let keys = MECHANISMS.iter().chain(&REGIMES).chain([&OVERALL]);
        let scores = d.mechanisms.into_iter().chain(d.regimes).chain([d.overall]);
        let known = keys.zip(scores).filter_map(|(k, s)| Some(((*k).to_owned(), s?)));
        (p.policy.to_owned(), known.collect())
    });
    let source = format!(
        "{SOURCE}: 10 episodes per task on a real arm. Means of the task scores; ± is the standard \
         error over pooled episodes."
    );
    Some(References { source, rows: rows.collect() })
}

/// The published rows as text.
pub(crate) fn print(out: &mut impl Write, refs: &References) -> std::io::Result<()> {
    writeln!(out, "\n{}", refs.source)?;
    write!(out, "{:12}", "")?;
    for m in MECHANISMS {
        write!(out, " {m:>6}")?;
    }
    writeln!(out, " {:>20} {:>18} {OVERALL:>8}", REGIMES[0], REGIMES[1])?;
    for (policy, scores) in &refs.rows {
        write!(out, "{policy:12}")?;
        for m in MECHANISMS {
            write!(out, " {:>6.1}", scores[m])?;
        }
        let of = |key: &str| scores[key];
        writeln!(out, " {:>20.1} {:>18.1} {:>8.1}", of(REGIMES[0]), of(REGIMES[1]), of(OVERALL))?;
    }
    Ok(())
}
