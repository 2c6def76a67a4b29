//! From a problem to text.

use std::fmt::Write;

use super::{Fact, Goal, Instance, Problem};

/// The problem as BDDL, laid out as LIBERO's files are.
pub fn write(p: &Problem) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = compose(p, &mut out);
    out
}

fn compose(p: &Problem, out: &mut String) -> std::fmt::Result {
    writeln!(out, "(define (problem {})", p.name)?;
    writeln!(out, "  (:domain {})", p.domain)?;
    writeln!(out, "  (:language {})", p.language)?;
    writeln!(out, "  (:regions")?;
    for r in &p.regions {
        write!(out, "    ({} (:target {})", r.name, r.target)?;
        if !r.ranges.is_empty() {
            write!(out, " (:ranges ({}))", listed(r.ranges.iter().map(|v| row(v)), " "))?;
        }
        if let Some(y) = r.yaw {
            write!(out, " (:yaw_rotation ({}))", row(&y))?;
        }
        if let Some(c) = r.rgba {
            write!(out, " (:rgba {})", row(&c))?;
        }
        writeln!(out, ")")?;
    }
    writeln!(out, "  )")?;
    typed(out, ":fixtures", &p.fixtures)?;
    typed(out, ":objects", &p.objects)?;
    writeln!(out, "  (:obj_of_interest {})", p.interest.join(" "))?;
    writeln!(out, "  (:init")?;
    for f in &p.init {
        writeln!(out, "    {}", fact(f))?;
    }
    writeln!(out, "  )")?;
    writeln!(out, "  (:goal {})", goal(&p.goal))?;
    writeln!(out, ")")
}

fn listed(parts: impl Iterator<Item = String>, between: &str) -> String {
    parts.collect::<Vec<_>>().join(between)
}

fn row(values: &[f64]) -> String {
    // The shortest digits that read back as the same number.
    format!("({})", listed(values.iter().map(|v| format!("{v:?}")), " "))
}

fn typed(out: &mut String, section: &str, of: &[Instance]) -> std::fmt::Result {
    writeln!(out, "  ({section}")?;
    for group in of.chunk_by(|a, b| a.category == b.category) {
        let names = listed(group.iter().map(|i| i.name.clone()), " ");
        writeln!(out, "    {names} - {}", group[0].category)?;
    }
    writeln!(out, "  )")
}

fn fact(f: &Fact) -> String {
    format!("({f})")
}

fn goal(g: &Goal) -> String {
    let (word, of) = match g {
        Goal::Fact(f) => return fact(f),
        Goal::And(of) => ("and", of),
        Goal::Or(of) => ("or", of),
    };
    format!("({word} {})", listed(of.iter().map(goal), " "))
}
