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
    m.labels.iter().any(|l| l.suite == "longbench").then(longbench)
}

fn longbench() -> References {
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
    References { source, rows: rows.collect() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_the_papers() {
        let refs = longbench();
        let of = |policy: &str| &refs.rows.iter().find(|r| r.0 == policy).expect("a row").1;
        assert_eq!(refs.rows.len(), 6);
        let memory = of("MemoryVLA");
        assert!((memory["CT"] - 55.0).abs() < 1e-9 && (memory["SB"] - 30.0).abs() < 1e-9);
        // The averages the paper prints, rounded as it prints them.
        let pi = of("π0");
        assert!((pi[REGIMES[0]] - 86.3).abs() < 0.05 && (pi[REGIMES[1]] - 37.3).abs() < 0.1);
        assert!((pi[OVERALL] - (pi[REGIMES[0]] + pi[REGIMES[1]]) / 2.0).abs() < 1e-9);

        let mut text = Vec::new();
        print(&mut text, &refs).expect("memory takes it");
        let text = String::from_utf8(text).expect("text");
        let row = text.lines().find(|l| l.starts_with("MemoryVLA")).expect("a line");
        let cells: Vec<&str> = row.split_whitespace().collect();
        let column = 1 + MECHANISMS.iter().position(|m| *m == "CT").expect("a column");
        assert_eq!((cells.len(), cells[column]), (1 + MECHANISMS.len() + 3, "55.0"));
    }
}
