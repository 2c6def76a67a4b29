//! The leaderboard's speed: this program's own server, filled, asked and given work.
//!
//! What is compared is measured in the same run, so that other work on the machine is in both.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use longarm_eval::verify;
use longarm_server::board::Boards;
use longarm_server::client::Client;
use serde_json::json;

use crate::bench::{Figure, median};
use crate::bench_store::{self, EPISODES};
use crate::catalogue;

/// Boards of many policies, and the policies of each.
const BOARDS: usize = 5;
const POLICIES: usize = 500;
/// Episodes of each task of the run that is replayed.
const REPLAYED: &str = "2";
/// How often each page is asked for: the system counts processor time in hundredths of a second.
const ROUNDS: usize = 2000;
/// Connections that ask for pages at once.
const ASKING: usize = 4;

/// A server of this measurement's own.
struct Serving {
    child: Child,
    address: String,
    code: Option<String>,
    /// From its start to its first page.
    start: Duration,
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A connection that is kept.
struct Asking(BufReader<TcpStream>);

impl Asking {
    fn new(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Ask for a page and return its bytes.
    fn get(&mut self, path: &str) -> Result<usize> {
        write!(self.0.get_mut(), "GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n")?;
        let (mut line, mut length) = (String::new(), 0);
        self.0.read_line(&mut line)?;
        if !line.contains(" 200 ") {
            bail!("{path}: {line}");
        }
        while self.0.read_line(&mut line)? > 2 {
            let last = line.lines().last().unwrap_or_default();
            if let Some((name, value)) = last.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
        let mut page = vec![0; length];
        self.0.read_exact(&mut page)?;
        Ok(length)
    }

    /// Median milliseconds of asking for pages in turn, and those of the server's processor for each.
    fn time(&mut self, of: &Serving, pages: &[String], rounds: usize) -> Result<(f64, f64)> {
        let mut all = Vec::new();
        let cpu = of.cpu();
        for path in pages.iter().cycle().take(rounds * pages.len()) {
            let t = Instant::now();
            self.get(path)?;
            all.push(t.elapsed().as_secs_f64() * 1e3);
        }
        let cpu = 1e3 * (of.cpu() - cpu) / all.len() as f64;
        Ok((median(&mut all), cpu))
    }
}

impl Serving {
    fn start(program: &[OsString], data: &Path, workers: &str) -> Result<Self> {
        let (exe, before) = program.split_first().context("the program's own path is not known")?;
        let t = Instant::now();
        let mut child = Command::new(exe)
            .args(before)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--films",
                "0",
                "--workers",
                workers,
                "--data",
            ])
            .arg(data)
            .env("RUST_LOG", "warn")
            .stderr(Stdio::piped())
            .spawn()?;
        let mut lines = BufReader::new(child.stderr.take().context("no stderr")?).lines();
        let first = lines.next().context("the server said nothing")??;
        let address = first.rsplit_once("://").context("the server named no address")?.1.to_owned();
        let start = loop {
            if Asking::new(&address).and_then(|mut a| a.get("/")).is_ok() {
                break t.elapsed();
            }
            if t.elapsed() > Duration::from_secs(60) {
                bail!("the server does not answer");
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        // Only a new server says how its first administrator is made.
        let mut code = None;
        if !data.join("known").exists() {
            let said = lines.next().transpose()?.unwrap_or_default();
            let found = said.split_once("/setup?code=").and_then(|(_, c)| c.split(' ').next());
            code = found.map(str::to_owned);
            std::fs::write(data.join("known"), "")?;
        }
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(Self { child, address, code, start })
    }

    /// Resident memory, MB.
    fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let kb = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
        kb.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<f64>().ok())
            .map_or(f64::NAN, |k| k / 1024.0)
    }

    /// CPU time that it has used, seconds.
    fn cpu(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()));
        let stat = stat.unwrap_or_default();
        let fields: Vec<&str> =
            stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
        let ticks: f64 = [11, 12].iter().filter_map(|i| fields.get(*i)?.parse::<f64>().ok()).sum();
        ticks / 100.0
    }

    fn client(&self, token: Option<String>) -> Result<Client> {
        Ok(Client::new(&format!("http://{}", self.address), token, None)?)
    }

    fn pages(boards: &Boards) -> Vec<String> {
        boards.all.iter().take(BOARDS).map(|b| format!("/boards/{}", b.name)).collect()
    }
}

/// What is done in a folder that goes with it.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn rows(task: &str, program: &[OsString]) -> Result<Vec<Figure>> {
    let dir = Folder(std::env::temp_dir().join(format!("longarm-bench-{}", std::process::id())));
    std::fs::create_dir_all(&dir.0)?;
    let mut rows = Vec::new();
    let suite = task.split_once('/').map_or(task, |(s, _)| s);
    replays(suite, program, &dir.0, &mut rows)?;
    pages(program, &dir.0, &mut rows)?;
    Ok(rows)
}

/// How fast submitted episodes are replayed, beside `longarm verify` of the same run, and what pages take meanwhile.
fn replays(suite: &str, program: &[OsString], dir: &Path, rows: &mut Vec<Figure>) -> Result<()> {
    let (exe, before) = program.split_first().context("the program's own path is not known")?;
    let run = dir.join("run");
    let made = Command::new(exe)
        .args(before)
        .args(["eval", suite, "--policy", "expert", "--episodes", REPLAYED, "--out"])
        .arg(&run)
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .status()?;
    if !made.success() {
        bail!("the run that is to be replayed could not be made");
    }
    let data = dir.join("replays");
    std::fs::create_dir_all(&data)?;
    let tasks = longarm_suites::suite(suite).map(|s| s.ids()).unwrap_or_default();
    let board = format!(
        "suites = false\n[[board]]\nname = \"bench\"\ntasks = {tasks:?}\nepisodes = {REPLAYED}\n"
    );
    std::fs::write(data.join(longarm_server::board::BOARDS), board)?;
    let serving = Serving::start(program, &data, "1")?;
    let mut starts = vec![serving.start.as_secs_f64()];
    std::thread::sleep(Duration::from_secs(1));
    let idle = serving.memory();
    let code = serving.code.clone().context("the server gave no code")?;
    let made =
        serving.client(None)?.post("/api/setup", &json!({ "code": code, "name": "bench" }))?;
    let token = made["token"].as_str().context("no token")?.to_owned();
    let client = serving.client(Some(token.clone()))?;
    let submit = |name: &str| -> Result<String> {
        let out = Command::new(exe)
            .args(before)
            .args(["submit", "--json", "--no-wait", "--name", name, "--server"])
            .arg(format!("http://{}", serving.address))
            .arg(&run)
            .env("LONGARM_TOKEN", &token)
            .output()?;
        let said: serde_json::Value = serde_json::from_slice(&out.stdout)?;
        Ok(said["id"].as_str().context("no submission")?.to_owned())
    };
    // Until all episodes are known and none is played: what is measured begins there.
    let ended = |id: &str| -> Result<u64> {
        loop {
            let s = client.get(&format!("/api/submissions/{id}"))?;
            match s["status"].as_str() {
                Some("published") => return s["played"].as_u64().context("no episodes"),
                Some("uploading" | "queued" | "running") => {
                    // Seldom: what is asked takes time, too.
                    std::thread::sleep(Duration::from_millis(100));
                }
                _ => bail!("the run was not published: {s}"),
            }
        }
    };
    let (mut by_wall, mut by_cpu, mut rates) = (vec![], vec![], vec![]);
    for round in 0..3 {
        let (t, cpu) = (Instant::now(), cpu_time::ProcessTime::now());
        let find = |id: &longarm_types::TaskId| catalogue::task(id.as_str()).ok();
        let verdict = verify(&run, find, 1, |_, _| ())?;
        if !verdict.problems.is_empty() {
            bail!("the run does not replay: {}", verdict.problems[0]);
        }
        let engine = (t.elapsed().as_secs_f64(), cpu.elapsed().as_secs_f64());
        let (t, cpu) = (Instant::now(), serving.cpu());
        let n = ended(&submit(&format!("replayed {round}"))?)?;
        let server = (t.elapsed().as_secs_f64(), serving.cpu() - cpu);
        by_wall.push(engine.0 / server.0);
        by_cpu.push(engine.1 / server.1);
        rates.push(n as f64 * 60.0 / server.1);
    }
    // Pages, while another is replayed.
    let id = submit("replayed meanwhile")?;
    let (stop, asked) = (AtomicBool::new(false), AtomicU64::new(0));
    let t = Instant::now();
    std::thread::scope(|scope| -> Result<()> {
        let ask = || -> Result<()> {
            let mut asking = Asking::new(&serving.address)?;
            while !stop.load(Ordering::Relaxed) {
                asking.get("/boards/bench")?;
                asked.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        };
        let threads: Vec<_> = (0..ASKING).map(|_| scope.spawn(ask)).collect();
        let done = ended(&id);
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            thread.join().unwrap_or_else(|_| bail!("a connection broke"))?;
        }
        done.map(drop)
    })?;
    let requests = asked.load(Ordering::Relaxed) as f64 / t.elapsed().as_secs_f64();
    drop(serving);
    for k in 0..4 {
        let empty = dir.join(format!("empty-{k}"));
        std::fs::create_dir_all(&empty)?;
        starts.push(Serving::start(program, &empty, "1")?.start.as_secs_f64());
    }
    let mut row = |name, value, unit| rows.push(Figure { name, value, unit });
    row("server_start_to_first_page_s", median(&mut starts), "s");
    row("server_idle_mb", idle, "MB");
    row("server_replay_share", median(&mut by_wall), "1");
    row("server_replay_share_cpu", median(&mut by_cpu), "1");
    row("server_replays_per_min_cpu", median(&mut rates), "1/min");
    row("server_requests_per_s_busy", requests, "1/s");
    Ok(())
}

/// Boards of many policies: what their pages take, also while and after very many episodes arrive.
fn pages(program: &[OsString], dir: &Path, rows: &mut Vec<Figure>) -> Result<()> {
    let data = dir.join("boards");
    std::fs::create_dir_all(&data)?;
    let boards = Boards::open(&data)?;
    let some: Vec<_> = boards.all.iter().take(BOARDS).collect();
    bench_store::fill(&data, &boards, &some, POLICIES)?;
    std::fs::write(data.join("known"), "")?;
    // Without workers that replay: what is stored here was never uploaded.
    let serving = Serving::start(program, &data, "0")?;
    let pages = Serving::pages(&boards);
    let mut asking = Asking::new(&serving.address)?;
    // Nobody asked for them before.
    let mut largest = asking.get("/")?;
    let mut first = 0.0f64;
    for page in &pages {
        let t = Instant::now();
        largest = largest.max(asking.get(page)?);
        first = first.max(t.elapsed().as_secs_f64() * 1e3);
    }
    let (usual, before) = asking.time(&serving, &pages, ROUNDS)?;
    // The API is made again for everyone who asks.
    let api = vec![format!("/api/leaderboard?board={}", some[0].name)];
    let (_, api_before) = asking.time(&serving, &api, ROUNDS / 20)?;
    let stop = AtomicBool::new(false);
    let t = Instant::now();
    let (during, took) = std::thread::scope(|scope| -> Result<(f64, f64)> {
        let ingest = scope.spawn(|| {
            let done = bench_store::ingest(&data, some[0]);
            stop.store(true, Ordering::Relaxed);
            done.map(|()| t.elapsed().as_secs_f64())
        });
        let mut all = Vec::new();
        while !stop.load(Ordering::Relaxed) {
            all.push(asking.time(&serving, &pages, ROUNDS / 4)?.1);
        }
        let took = ingest.join().unwrap_or_else(|_| bail!("episodes could not be stored"))?;
        Ok((median(&mut all), took))
    })?;
    let (_, after) = asking.time(&serving, &pages, ROUNDS)?;
    let (_, api_after) = asking.time(&serving, &api, ROUNDS / 20)?;
    let mut row = |name, value, unit| rows.push(Figure { name, value, unit });
    row("server_full_start_to_first_page_s", serving.start.as_secs_f64(), "s");
    row("server_board_first_ms", first, "ms");
    row("server_board_ms", usual, "ms");
    row("server_board_kb", largest as f64 / 1000.0, "kB");
    row("server_ingest_episodes_per_s", EPISODES as f64 / took, "1/s");
    row("server_board_slower_during_ingest_cpu", during / before, "x");
    row("server_board_slower_after_ingest_cpu", after / before, "x");
    row("server_api_slower_after_ingest_cpu", api_after / api_before, "x");
    row("server_full_mb", serving.memory(), "MB");
    Ok(())
}
