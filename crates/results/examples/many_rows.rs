//! How long 100,000 rows take: `cargo run --release -p longarm-results --example many_rows [ROWS]`.

mod made_up;

use std::error::Error;
use std::time::Instant;

use longarm_results::{Run, RunConfig, RunDir, Shard, merge, report};

fn main() -> Result<(), Box<dyn Error>> {
    let rows: u64 = std::env::args().nth(1).map_or(Ok(100_000), |n| n.parse())?;
    let dir = std::env::temp_dir().join(format!("longarm-speed-{}", std::process::id()));
    let config = made_up::config("expert", rows / 10, 0);
    let other = made_up::config("other", rows / 10, 0);
    let all = made_up::rows(&config, 0.96, 0.97);
    let time =
        |what: &str, from: Instant| println!("{what:44} {:8.3} s", from.elapsed().as_secs_f64());

    let start = Instant::now();
    let mut parts = Vec::new();
    for i in 1..=16 {
        let shard = Shard::new(i, 16)?;
        let path = dir.join(format!("{i}"));
        let run = RunDir::create(&path, &RunConfig { shard, ..config.clone() })?;
        for row in all.iter().filter(|r| shard.owns(r.index)) {
            run.append(row)?;
        }
        parts.push(path);
    }
    time(&format!("append {rows} rows to 16 shards"), start);
    let bytes: u64 =
        parts.iter().map(|p| p.join("episodes.jsonl").metadata().map_or(0, |m| m.len())).sum();
    println!("{:44} {:8.1} MB", "episodes.jsonl", bytes as f64 / 1e6);

    let start = Instant::now();
    let merged = merge(&parts, &dir.join("merged"))?;
    time("merge", start);
    assert!(merged.results.complete);

    let start = Instant::now();
    let run = Run::read(&dir.join("merged"))?;
    time("  read and summarize", start);
    let page = report::render(std::slice::from_ref(&run));
    time("report", start);
    println!("{:44} {:8.1} kB", "report.html", page.len() as f64 / 1e3);

    let summaries = made_up::rows(&other, 0.95, 0.97).iter().map(Into::into).collect();
    let second = Run::new("other", other, summaries);
    let start = Instant::now();
    report::render(&[run, second]);
    time("comparison of two runs, both in memory", start);

    let start = Instant::now();
    let resumed = RunDir::open_resume(&dir.join("merged"), &{
        let mut c = config;
        c.runtime.clear();
        c
    })?;
    time("open to resume", start);
    drop(resumed);
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}
