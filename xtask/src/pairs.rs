//! Whether one build is as fast as another: `longarm bench` of both, and an evaluation of a remote
//! policy that answers at once, in turn, in one run.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

/// Slowest median ratio that passes.
const LEAST: f64 = 0.97;
/// Rows where less is better: their ratio is inverted.
const LESS: [&str; 4] = ["outside_mj_step_share", "reset_ms", "start_to_first_step_s", "rss_mb"];

/// Compares two programs and fails when the second is slower in some row.
pub(crate) fn run(args: &[String]) -> Result<()> {
    let [old, new, rest @ ..] = args else {
        bail!("give two programs: cargo xtask pairs OLD NEW [N]")
    };
    let pairs: usize = rest.first().map_or(Ok(10), |n| n.parse()).context("N is a number")?;
    ensure!(pairs > 0, "N is at least 1");
    let server = Server::start()?;
    let bench = |program: &str| bench(program, &server);
    let mut ratios: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for pair in 0..pairs {
        // Whoever goes first has the quieter machine: take turns.
        let (a, b) = match pair % 2 {
            0 => (bench(old)?, bench(new)?),
            _ => {
                let b = bench(new)?;
                (bench(old)?, b)
            }
        };
        for (name, was) in a {
            let Some(now) = b.get(&name) else { continue };
            let ratio = if LESS.contains(&name.as_str()) { was / now } else { now / was };
            ratios.entry(name).or_default().push(ratio);
        }
        eprintln!("pair {} of {pairs}", pair + 1);
    }
    let mut slow = Vec::new();
    println!("{:34} {:>7} {:>15}", "row", "median", "range");
    for (name, mut r) in ratios {
        r.sort_by(f64::total_cmp);
        let median = (r[(r.len() - 1) / 2] + r[r.len() / 2]) / 2.0;
        println!("{name:34} {median:7.3} {:>7.3}–{:.3}", r[0], r[r.len() - 1]);
        if median < LEAST {
            slow.push(name);
        }
    }
    ensure!(slow.is_empty(), "below {LEAST}: {}", slow.join(", "));
    Ok(())
}

/// A policy server that answers at once.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start() -> Result<Self> {
        let program = crate::built_example("latency")?;
        let mut child = Command::new(program)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot start the policy server")?;
        let mut port = String::new();
        let out = child.stdout.as_mut().context("the policy server has no output")?;
        BufReader::new(out).read_line(&mut port)?;
        let port = port.trim().parse().context("the policy server printed no port")?;
        Ok(Self { child, port })
    }

    /// Return control steps per second of an evaluation that asks at every step, two cameras each.
    fn steps_per_s(&self, program: &str) -> Result<f64> {
        const STEPS: u32 = 150;
        const EPISODES: u32 = 4;
        let out = std::env::temp_dir().join(format!("longarm-pairs-{}", std::process::id()));
        let started = Instant::now();
        let status = Command::new(program)
            .args(["eval", "longbench/stack-block", "--seed", "0", "--execute", "1"])
            .args(["--policy", &format!("openpi:127.0.0.1:{}", self.port)])
            .args(["--episodes", &EPISODES.to_string(), "--max-steps", &STEPS.to_string()])
            .args(["--workers", "2", "--json", "--out"])
            .arg(&out)
            .stdout(Stdio::null())
            .status()
            .with_context(|| format!("cannot start {program}"))?;
        let spent = started.elapsed().as_secs_f64();
        std::fs::remove_dir_all(&out).ok();
        ensure!(status.success(), "{program} eval: {status}");
        Ok(f64::from(STEPS * EPISODES) / spent)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Its input closes, so it ends by itself.
        drop(self.child.stdin.take());
        self.child.wait().ok();
    }
}

fn bench(program: &str, server: &Server) -> Result<BTreeMap<String, f64>> {
    let out = Command::new(program).args(["bench", "--quick", "--json"]).output();
    let out = out.with_context(|| format!("cannot start {program}"))?;
    ensure!(out.status.success(), "{program}: {}", String::from_utf8_lossy(&out.stderr).trim());
    let all: serde_json::Value = serde_json::from_slice(&out.stdout)?;
    let rows = all["rows"].as_array().context("bench printed no rows")?;
    let row = |r: &serde_json::Value| Some((r["name"].as_str()?.to_owned(), r["value"].as_f64()?));
    let mut rows: BTreeMap<_, _> = rows.iter().filter_map(row).collect();
    rows.insert("remote_steps_per_s".to_owned(), server.steps_per_s(program)?);
    Ok(rows)
}
