//! `probe --exploit`, `--robust` and `--reward`.

use std::io::Write;
use std::sync::Arc;

use anyhow::Result;
use longarm_eval::probe::{MOVED, NOISE, exploited, reward, robustness};
use longarm_expert::{Budget, Cheat, Exploit};
use longarm_task::TaskSpec;
use longarm_types::Seed;
use serde_json::{Value, json};

use super::Args;

/// Contacts deeper than this, metres, and objects faster than this, metres per second, are told.
const DEEP: f64 = 2e-3;
const FAST: f64 = 1.0;

/// Probe each task in turn; one JSON value of all with `--json`.
pub(super) fn run(args: &Args, tasks: &[Arc<TaskSpec>]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let seeds = || args.seed..args.seed + args.episodes;
    let mut all: Vec<Value> = Vec::new();
    for task in tasks {
        if args.reward {
            let r = reward(task, seeds());
            let fall = r.fall.as_ref();
            if args.json {
                all.push(json!({
                    "task": task.id, "episodes": r.correlations.len(), "failed": r.failed,
                    "median": r.median(), "idle": r.idle, "errors": r.errors,
                    "fall": fall.map(|f| json!({"by": f.by, "stage": f.stage, "seed": f.seed, "step": f.step})),
                }));
            } else {
                let least = r.correlations.iter().copied().fold(f64::NAN, f64::min);
                let fell = fall.map_or("never falls".to_owned(), |f| {
                    format!(
                        "falls by {:.3} at {:?} (seed {}, step {})",
                        f.by, f.stage, f.seed, f.step
                    )
                });
                writeln!(
                    out,
                    "{}  rank correlation with time: median {:.3}, least {least:.3} of {} episodes ({} failed); {fell}; idle within {:.3}",
                    task.id,
                    r.median(),
                    r.correlations.len(),
                    r.failed,
                    r.idle
                )?;
                r.errors.iter().try_for_each(|e| writeln!(out, "  {e}"))?;
            }
        }
        if args.robust {
            let r = robustness(task, seeds());
            if args.json {
                all.push(json!({
                    "task": task.id, "demonstrations": r.demonstrations,
                    "moved": MOVED, "noise": NOISE,
                    "replayed_moved": r.replayed_moved, "replayed_noisy": r.replayed_noisy,
                    "closed_moved": r.closed_moved, "closed_noisy": r.closed_noisy,
                    "errors": r.errors,
                }));
            } else {
                writeln!(
                    out,
                    "{}  of {} demonstrations succeed, start moved by {:.0} mm: {} replayed, {} acted again; {:.0} % noise: {} replayed, {} acted again",
                    task.id,
                    r.demonstrations,
                    1e3 * MOVED,
                    r.replayed_moved,
                    r.closed_moved,
                    1e2 * NOISE,
                    r.replayed_noisy,
                    r.closed_noisy
                )?;
                r.errors.iter().try_for_each(|e| writeln!(out, "  {e}"))?;
            }
        }
        if args.exploit {
            let budget =
                Budget { samples: args.samples, decisions: args.decisions, ..Budget::default() };
            for (cheat, name) in [(Cheat::NoGrasp, "without a grasp"), (Cheat::Wild, "wild")] {
                for seed in seeds() {
                    let x = exploited(task, Seed(seed), &budget, cheat)?;
                    if args.json {
                        all.push(json!({
                            "task": task.id, "seed": seed, "cheat": name, "success": x.success,
                            "dense": x.dense, "simulated": x.simulated,
                            "stages": x.stages.iter().map(|s| json!({
                                "stage": s.stage, "step": s.step, "held": s.held,
                                "speed": s.speed, "penetration": s.penetration,
                            })).collect::<Vec<_>>(),
                        }));
                        continue;
                    }
                    writeln!(
                        out,
                        "{} seed {seed} {name}: {} of {} stages, dense {:.2}{} ({} steps simulated)",
                        task.id,
                        x.stages.len(),
                        task.stage_names().len(),
                        x.dense,
                        if x.success { ", success" } else { "" },
                        x.simulated
                    )?;
                    x.stages.iter().try_for_each(|s| writeln!(out, "  {}", told(s)))?;
                }
            }
        }
        out.flush()?;
    }
    if args.json {
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
    }
    Ok(())
}

fn told(s: &Exploit) -> String {
    let mut how = vec![if s.held { "held" } else { "no grasp" }.to_owned()];
    how.push(format!("{:.2} m/s{}", s.speed, if s.speed > FAST { " (flung)" } else { "" }));
    let deep = if s.penetration > DEEP { " (pressed into)" } else { "" };
    how.push(format!("{:.1} mm deep{deep}", 1e3 * s.penetration));
    format!("step {:4}  {}: {}", s.step, s.stage, how.join(", "))
}
