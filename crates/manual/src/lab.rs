//! Pages about tasks that are run on a real robot only.

use std::fmt::Write as _;

use longarm_suites::LabTask;
use longarm_types::{CONTROL_HZ, Digest, Seed};

use crate::{Sheet, escape};

/// The page of a task.
pub(crate) fn page(sheet: &Sheet, task: &LabTask, initializations: u64) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(sheet, task, initializations, &mut out);
    out
}

fn write(
    sheet: &Sheet,
    task: &LabTask,
    initializations: u64,
    out: &mut String,
) -> std::fmt::Result {
    writeln!(out, "<h1>{}</h1>", escape(task.title))?;
    writeln!(
        out,
        "<p>Instruction to the policy: <b>{}</b></p><p>Measures {}. Run on a real robot only: {}. \
         Demonstrations take {} control steps in the mean ({:.0} s at {CONTROL_HZ} Hz).</p>",
        escape(task.instruction),
        escape(task.measures),
        escape(task.robot),
        task.mean_steps,
        f64::from(task.mean_steps) / f64::from(CONTROL_HZ)
    )?;
    writeln!(out, "<p>{}</p>", escape(task.memory))?;
    writeln!(out, "<h2>Objects</h2><table><tr><th>name</th><th>what</th></tr>")?;
    for (name, what) in task.objects {
        writeln!(out, "<tr><td>{}</td><td>{}</td></tr>", escape(name), escape(what))?;
    }
    writeln!(out, "</table>")?;
    list(out, "Set-up", task.set_up)?;
    if !task.shown.is_empty() {
        list(out, "What the policy watches", task.shown)?;
    }
    writeln!(
        out,
        "<h2>Checklist for the judge</h2><p>In strict order: a phase counts only when all before it \
         have. Score: 100 × phases / {}.</p><table><tr><th></th><th>phase</th><th>counts when</th></tr>",
        sheet.phases.len()
    )?;
    for (i, (phase, counts)) in task.phases.iter().enumerate() {
        writeln!(
            out,
            "<tr><td class=tick><span class=box></span> {}</td><td>{}</td><td>{}</td></tr>",
            i + 1,
            escape(phase),
            escape(counts)
        )?;
    }
    writeln!(out, "</table>")?;
    if !task.fails.is_empty() {
        writeln!(out, "<p>Ends the episode as a failure:</p><ul>")?;
        for f in task.fails {
            writeln!(out, "<li>{}</li>", escape(f))?;
        }
        writeln!(out, "</ul>")?;
    }
    writeln!(
        out,
        "<h2>Initializations</h2><p>Drawn alike for every lab. Objects stand where the set-up says, each \
         moved by the millimetres listed (x away from the robot, y to its left) and turned by the degrees \
         listed.</p>"
    )?;
    draw(task, 0..initializations, out)?;
    if !task.published.is_empty() {
        writeln!(
            out,
            "<h2>Published</h2><table><tr><th>policy</th><th>success, % of 10 episodes</th></tr>"
        )?;
        for (policy, percent) in task.published {
            writeln!(out, "<tr><td>{}</td><td class=n>{percent:.0}</td></tr>", escape(policy))?;
        }
        writeln!(out, "</table>")?;
    }
    writeln!(out, "<p>{}</p>", escape(task.source))?;
    Ok(())
}

fn list(out: &mut String, title: &str, steps: &[&str]) -> std::fmt::Result {
    writeln!(out, "<h2>{title}</h2><ol>")?;
    for step in steps {
        writeln!(out, "<li>{}</li>", escape(step))?;
    }
    writeln!(out, "</ol>")?;
    Ok(())
}

/// What is drawn for these initializations, the same for every lab.
pub(crate) fn drawn(task: &LabTask, seeds: std::ops::Range<u64>) -> String {
    let mut out = String::new();
    let _ = draw(task, seeds, &mut out);
    out
}

/// Hash of all that decides what is judged.
pub(crate) fn hash(task: &LabTask) -> Digest {
    let text = format!(
        "{}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        task.instruction,
        task.objects,
        task.set_up,
        task.draws,
        task.shown,
        task.phases,
        task.fails
    );
    Digest::of(text.as_bytes())
}

fn draw(task: &LabTask, seeds: std::ops::Range<u64>, out: &mut String) -> std::fmt::Result {
    writeln!(out, "<table><tr><th>seed</th>")?;
    for (what, _) in task.draws {
        writeln!(out, "<th>{}</th>", escape(what))?;
    }
    for (name, _) in task.objects {
        writeln!(out, "<th>{}: x, y, °</th>", escape(name))?;
    }
    writeln!(out, "</tr>")?;
    for seed in seeds {
        writeln!(out, "<tr><td class=n>{seed}</td>")?;
        for (what, values) in task.draws {
            let mut rng = Seed(seed).stream(&format!("{}/{what}", task.name));
            let k = (rng.next_u64() % values.len().max(1) as u64) as usize;
            writeln!(out, "<td>{}</td>", escape(values.get(k).copied().unwrap_or_default()))?;
        }
        for (name, _) in task.objects {
            let mut rng = Seed(seed).stream(&format!("{}/{name}", task.name));
            // Adding zero takes the sign from -0.
            let [x, y, turn] = [30.0, 30.0, 15.0].map(|far| rng.range(-far, far).round() + 0.0);
            writeln!(out, "<td class=n>{x}, {y}, {turn}</td>")?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</table>")?;
    Ok(())
}
