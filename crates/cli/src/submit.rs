use std::fs::File;
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::dial_out;
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use longarm_onnx::Checkpoint;
use longarm_results::RUN;
use longarm_server::client::{Client, ClientError};
use longarm_server::pack;
use serde_json::{Value, json};

/// Where a token is looked for that no file gives.
const TOKEN: &str = "LONGARM_TOKEN";
/// Bytes that are sent at once.
const PIECE: u64 = 8 << 20;
/// How often a broken upload goes on.
const TRIES: u32 = 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run directory, as `longarm eval` wrote it.
    #[arg(required_unless_present_any = ["checkpoint", "policy_server", "policy"])]
    dir: Option<PathBuf>,
    /// Let the leaderboard ask your policy at this address, on seeds nobody knows: openpi:HOST:PORT.
    #[arg(long, value_name = "POLICY", conflicts_with = "dir")]
    policy_server: Option<String>,
    /// Connect to the leaderboard, which asks your policy over that connection: its address as you reach it.
    #[arg(long, value_name = "POLICY", conflicts_with_all = ["dir", "policy_server"])]
    policy: Option<String>,
    /// Upload a model that the leaderboard runs on seeds nobody knows: FILE.onnx, or a folder or .tar with it
    /// and its manifest.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["dir", "policy", "policy_server"])]
    checkpoint: Option<PathBuf>,
    /// The board on which it is asked.
    #[arg(long, conflicts_with = "dir")]
    board: Option<String>,
    /// The leaderboard: http://HOST:PORT or https://HOST:PORT.
    #[arg(long, value_name = "URL")]
    server: String,
    /// File of certificates (PEM) to trust for https:// [default: what this machine trusts].
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
    /// What the policy is called on the board.
    #[arg(long)]
    name: String,
    /// File with your token [default: the variable LONGARM_TOKEN].
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Your institution.
    #[arg(long, default_value = "")]
    affiliation: String,
    /// Weights and code are public.
    #[arg(long)]
    open_source: bool,
    /// Whether the policy remembers what it saw before.
    #[arg(long, value_name = "true|false")]
    memory: Option<bool>,
    /// Parameters, in millions.
    #[arg(long, value_name = "M")]
    parameters: Option<f64>,
    /// Where to read more about it.
    #[arg(long, value_name = "URL", default_value = "")]
    link: String,
    /// Anything else.
    #[arg(long, default_value = "")]
    notes: String,
    /// Go on with a submission whose upload broke off, or whose policy was away.
    #[arg(long, value_name = "ID", conflicts_with = "policy_server")]
    resume: Option<String>,
    /// Return once everything was sent.
    #[arg(long, conflicts_with = "policy")]
    no_wait: bool,
    /// Print the submission as JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn token(file: Option<&PathBuf>) -> Result<String> {
    let text = match file {
        Some(path) => std::fs::read_to_string(path).with_context(|| path.display().to_string())?,
        None => std::env::var(TOKEN).with_context(|| {
            format!("no token: put it in a file and give --token-file, or in the variable {TOKEN}")
        })?,
    };
    Ok(text.trim().to_owned())
}

/// An archive that goes with whoever made it.
struct Packed(PathBuf);

impl Drop for Packed {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether it was not refused.
pub(crate) fn run(args: &Args) -> Result<bool> {
    let client = || -> Result<Client> {
        let token = token(args.token_file.as_ref())?;
        Ok(Client::new(&args.server, Some(token), args.ca.as_deref())?)
    };
    if let Some(path) = &args.checkpoint {
        let model = Checkpoint::read(path)?;
        let client = client()?;
        let id =
            upload(args, &client, &json!({ "checkpoint": true, "board": args.board }), |to| {
                model.pack(to).with_context(|| format!("{} cannot be packed", path.display()))
            })?;
        return ended(args, &client, &id);
    }
    let (client, id) = match (&args.dir, args.policy_server.as_ref().or(args.policy.as_ref())) {
        (Some(dir), _) => {
            if !dir.join(RUN).is_file() {
                bail!("{} is not a run directory: it has no {RUN}", dir.display());
            }
            let client = client()?;
            let id = upload(args, &client, &json!({}), |to| {
                pack(dir, to).with_context(|| format!("{} cannot be packed", dir.display()))
            })?;
            (client, id)
        }
        (None, Some(policy)) => {
            let client = client()?;
            let mut asked = description(args);
            asked["policy"] = policy.as_str().into();
            let here = args.policy.is_some().then(|| dial_out::address(policy)).transpose()?;
            asked["dialOut"] = here.is_some().into();
            if let Some(board) = &args.board {
                asked["board"] = board.as_str().into();
            }
            let id = match &args.resume {
                Some(id) => again(&client, id)?,
                None => create(args, &client, &asked)?,
            };
            if let Some(here) = here {
                dial_out::answer(&client, &id, here);
            }
            (client, id)
        }
        // Clap asks for one of them.
        (None, None) => return Ok(false),
    };
    ended(args, &client, &id)
}

/// Say what became of a submission.
fn ended(args: &Args, client: &Client, id: &str) -> Result<bool> {
    let s = match args.no_wait {
        true => client.get(&format!("/api/submissions/{id}"))?,
        false => wait(client, id)?,
    };
    told(&s, args)
}

fn create(args: &Args, client: &Client, asked: &Value) -> Result<String> {
    let made = client.post("/api/submissions", asked)?;
    let id = made["submissionId"].as_str().context("the server named no submission")?.to_owned();
    if !args.json {
        tell!("submission {id}");
    }
    Ok(id)
}

/// Let a submission go on that has failed meanwhile.
fn again(client: &Client, id: &str) -> Result<String> {
    if client.get(&format!("/api/submissions/{id}"))?["status"] == "failed" {
        client.post(&format!("/api/submissions/{id}/retry"), &json!({}))?;
    }
    Ok(id.to_owned())
}

/// Pack an archive, send it and return the submission's id.
fn upload(
    args: &Args,
    client: &Client,
    how: &Value,
    pack: impl FnOnce(&Path) -> Result<u64>,
) -> Result<String> {
    let packed = std::env::temp_dir().join(format!("longarm-submit-{}.tar", std::process::id()));
    let packed = Packed(packed);
    let size = pack(&packed.0)?;
    let id = match &args.resume {
        Some(id) => id.clone(),
        None => {
            let mut asked = description(args);
            asked["size"] = size.into();
            for (name, value) in how.as_object().into_iter().flatten() {
                asked[name.as_str()] = value.clone();
            }
            create(args, client, &asked)?
        }
    };
    send(client, &id, &packed, size)?;
    Ok(id)
}

fn description(args: &Args) -> Value {
    json!({
        "policyName": args.name,
        "affiliation": args.affiliation,
        "openSource": args.open_source,
        "memory": args.memory,
        "parameters": args.parameters,
        "link": args.link,
        "notes": args.notes,
    })
}

fn bar(template: &str) -> Result<ProgressBar> {
    let bar = match std::io::stderr().is_terminal() {
        true => ProgressBar::new(0),
        false => ProgressBar::hidden(),
    };
    Ok(bar.with_style(ProgressStyle::with_template(template)?))
}

/// Send what has not arrived, piece by piece; where the connection breaks, from what has.
fn send(client: &Client, id: &str, packed: &Packed, size: u64) -> Result<()> {
    let path = format!("/api/submissions/{id}/upload");
    let bar = bar("{bar:32} {bytes}/{total_bytes} sent")?;
    bar.set_length(size);
    let mut broken = 0;
    let again = |e: &ClientError| e.status.is_none_or(|s| s == 409 || s >= 500);
    loop {
        let asked = client.get(&path);
        let state = match asked {
            Ok(state) => state,
            Err(e) if broken < TRIES && e.status.is_none() => {
                broken += 1;
                std::thread::sleep(Duration::from_millis(500));
                continue;
            }
            Err(e) => return Err(e.into()),
        };
        if state["status"] != "uploading" {
            bar.finish_and_clear();
            return Ok(());
        }
        if state["size"].as_u64() != Some(size) {
            bail!(
                "submission {id} is of another archive: it announced {} bytes and this run packs to {size}",
                state["size"]
            );
        }
        let offset =
            state["offset"].as_u64().context("the server does not say how much has arrived")?;
        bar.set_position(offset);
        let mut file = File::open(&packed.0)?;
        file.seek(SeekFrom::Start(offset))?;
        let piece = PIECE.min(size.saturating_sub(offset));
        match client.append(&path, offset, piece, &mut file.take(piece)) {
            Ok(_) => broken = 0,
            Err(e) if broken < TRIES && again(&e) => {
                broken += 1;
                std::thread::sleep(Duration::from_millis(500));
            }
            Err(e) => return Err(e.into()),
        }
    }
}

fn wait(client: &Client, id: &str) -> Result<Value> {
    let bar = bar("{bar:32} {pos}/{len} played")?;
    let mut lost = 0;
    loop {
        match client.get(&format!("/api/submissions/{id}")) {
            Ok(s) => {
                lost = 0;
                bar.set_length(s["episodes"].as_u64().unwrap_or(0));
                bar.set_position(s["played"].as_u64().unwrap_or(0));
                if !["uploading", "queued", "running"].iter().any(|w| s["status"] == *w) {
                    bar.finish_and_clear();
                    return Ok(s);
                }
            }
            // A server that is started again takes a moment.
            Err(e) if e.status.is_none() && lost < 60 => lost += 1,
            Err(e) => return Err(e.into()),
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn told(s: &Value, args: &Args) -> Result<bool> {
    let mut out = std::io::stdout().lock();
    let status = s["status"].as_str().unwrap_or_default();
    let good = !["failed", "cancelled", "withdrawn"].contains(&status);
    if args.json {
        serde_json::to_writer_pretty(&mut out, s)?;
        writeln!(out)?;
        return Ok(good);
    }
    for problem in s["problems"].as_array().into_iter().flatten() {
        writeln!(out, "{}", problem.as_str().unwrap_or_default())?;
    }
    let server = args.server.trim_end_matches('/');
    writeln!(
        out,
        "{}: {status}, {server}/submissions/{}",
        args.name,
        s["id"].as_str().unwrap_or_default()
    )?;
    for row in s["rows"].as_array().into_iter().flatten() {
        writeln!(out, "{server}/rows/{}", row.as_str().unwrap_or_default())?;
    }
    if status == "completed" {
        writeln!(out, "a judge of this server will look at it")?;
    }
    Ok(good)
}
