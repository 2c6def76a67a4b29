use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use longarm_server::client::{Client, ClientError};
use longarm_server::work::{Findings, Hand, WorkList, WorkerInfo};

use crate::submit::token;

/// Pause before a server without work, or without an answer, is asked again.
const PAUSE: Duration = Duration::from_millis(1000);

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The leaderboard: http://HOST:PORT or https://HOST:PORT.
    #[arg(long, value_name = "URL")]
    server: String,
    /// File of certificates (PEM) to trust for https:// [default: what this machine trusts].
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// File with a judge's token [default: the variable LONGARM_TOKEN].
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Threads that replay.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
    /// End when there is nothing left to do.
    #[arg(long)]
    until_idle: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let client =
        Client::new(&args.server, Some(token(args.token_file.as_ref())?), args.ca.as_deref())?;
    // A wrong address or token should be told at once.
    client.get("/api/account")?;
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    ctrlc::set_handler(move || told.store(true, Ordering::SeqCst))?;
    tell!("working for {} with {} threads", args.server, args.workers);
    let results = std::thread::scope(|scope| {
        let all: Vec<_> =
            (0..args.workers).map(|_| scope.spawn(|| work(args, &client, &stop))).collect();
        all.into_iter().map(|w| w.join()).collect::<Vec<_>>()
    });
    for result in results {
        result.unwrap_or_else(|_| bail!("a worker panicked"))?;
    }
    Ok(())
}

fn work(args: &Args, client: &Client, stop: &AtomicBool) -> Result<()> {
    let info = serde_json::to_value(WorkerInfo::own())?;
    let mut hand = Hand::default();
    while !stop.load(Ordering::SeqCst) {
        let Some(list) = patient(|| client.post("/api/work", &info))? else { continue };
        let list: WorkList = serde_json::from_value(list).context("the server's answer")?;
        if list.episodes.is_empty() {
            if args.until_idle && list.idle {
                return Ok(());
            }
            std::thread::sleep(PAUSE);
        }
        for item in &list.episodes {
            if stop.load(Ordering::SeqCst) {
                return Ok(());
            }
            let found = Findings { episodes: vec![hand.play(item).map_err(anyhow::Error::msg)?] };
            let found = serde_json::to_value(found)?;
            let path = format!("/api/work/{}", list.submission);
            while patient(|| client.post(&path, &found))?.is_none() {
                if stop.load(Ordering::SeqCst) {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Ask; a server that is away is asked again by whoever called.
fn patient<T>(ask: impl FnOnce() -> Result<T, ClientError>) -> Result<Option<T>> {
    match ask() {
        Ok(answer) => Ok(Some(answer)),
        Err(e) if e.status.is_none_or(|s| s >= 500 || s == 429) => {
            tracing::warn!(why = %e, "the server does not answer");
            std::thread::sleep(PAUSE);
            Ok(None)
        }
        Err(e) => Err(e.into()),
    }
}
