use std::path::PathBuf;

use anyhow::Result;
use longarm_server::{Limits, Range, Server, Settings, asked_to_end, backup};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    serve: Option<Serve>,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Copy everything into a new folder, while the server runs or not; serve it to restore.
    Backup {
        /// Folder of the server.
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        /// Folder of the copy; must not exist.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

#[derive(clap::Args)]
struct Serve {
    /// Folder for everything the server keeps; made if it is not there.
    #[arg(long, value_name = "DIR", required = true)]
    data: PathBuf,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Threads that replay submissions; 0 leaves it to `longarm work` elsewhere and checks a sample.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    workers: usize,
    /// Let every submission wait for a judge, not only those in which something moved oddly.
    #[arg(long)]
    review: bool,
    /// Submissions of an account within a day.
    #[arg(long, value_name = "N", default_value_t = 20)]
    per_day: u64,
    /// Largest archive, in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 2048)]
    max_upload: u64,
    /// Most megabytes that an archive may unpack to.
    #[arg(long, value_name = "MB", default_value_t = 8192)]
    max_unpacked: u64,
    /// Seconds after which episodes that `longarm work` took elsewhere are given to somebody else.
    #[arg(long, value_name = "S", default_value_t = 120, value_parser = clap::value_parser!(i64).range(1..))]
    worker_lease: i64,
    /// Megabytes of memory that an uploaded model may use.
    #[arg(long, value_name = "MB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    model_memory: u64,
    /// Seconds of processor time that an uploaded model may take for an answer.
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    model_cpu: u64,
    /// Addresses inside, such as 10.1.0.0/16, at which submitted policies may be asked; public ones always may.
    #[arg(long, value_name = "RANGE")]
    allow_policies: Vec<Range>,
    /// How people reach the server from outside, such as https://board.example.org.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
}

pub(crate) fn run(args: Args) -> Result<()> {
    if let Some(Action::Backup { data, out }) = args.action {
        return Ok(backup(&data, &out)?);
    }
    let Some(args) = args.serve else {
        anyhow::bail!("--data DIR says where the server keeps its files")
    };
    let usual = Settings::new(args.data);
    let bytes = args.max_unpacked.saturating_mul(1 << 20);
    let server = Server::open(Settings {
        listen: args.listen,
        workers: args.workers,
        review: args.review,
        per_day: args.per_day,
        upload: args.max_upload.saturating_mul(1 << 20),
        unpacked: Limits { bytes, ..usual.unpacked },
        lease: args.worker_lease,
        model: longarm_onnx::Limits {
            memory_mb: args.model_memory,
            cpu_seconds: args.model_cpu,
            ..usual.model
        },
        allowed: args.allow_policies,
        public_url: args.public_url.clone(),
        ..usual
    })?;
    let address = server.address()?;
    let url = args.public_url.unwrap_or_else(|| format!("http://{address}"));
    tell!("longarm serves on http://{address}");
    if let Some(code) = server.setup_code() {
        tell!("no account yet: make the first administrator at {url}/setup?code={code} (once)");
    }
    Ok(server.run(asked_to_end())?)
}
