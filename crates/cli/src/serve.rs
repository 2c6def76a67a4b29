use std::path::PathBuf;

use anyhow::{Context, Result};
use longarm_server::{Limits, PostgresAddress, Range, Settings, backup, restore};

use crate::reached::Reached;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    serve: Option<Serve>,
    #[command(flatten)]
    reached: Reached,
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
        #[command(flatten)]
        tables: Tables,
    },
    /// Move the tables of a folder, a copy or one that was served so far, into an empty PostgreSQL database.
    Restore {
        /// The folder; it is served with --postgres afterwards.
        #[arg(long, value_name = "DIR")]
        data: PathBuf,
        #[command(flatten)]
        tables: Tables,
    },
}

/// Where the variable is that names a database.
const POSTGRES: &str = "LONGARM_POSTGRES";

/// Where the tables are.
#[derive(clap::Args)]
struct Tables {
    /// The tables are in PostgreSQL: file with the address [without FILE: the variable LONGARM_POSTGRES].
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    postgres: Option<PathBuf>,
    /// File of certificates (PEM) to trust where that address asks for sslmode=require.
    #[arg(long, value_name = "FILE", requires = "postgres")]
    postgres_ca: Option<PathBuf>,
}

impl Tables {
    fn address(self) -> Result<Option<PostgresAddress>> {
        let Some(file) = self.postgres else { return Ok(None) };
        let address = match file.as_os_str().is_empty() {
            true => std::env::var(POSTGRES).with_context(|| {
                format!("--postgres takes a file, or the variable {POSTGRES} the address")
            })?,
            false => std::fs::read_to_string(&file).with_context(|| file.display().to_string())?,
        };
        Ok(Some(PostgresAddress { address, ca: self.postgres_ca }))
    }
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
    /// Megabytes of films of submitted episodes that are kept; 0 makes none.
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    films: u64,
    /// Addresses inside, such as 10.1.0.0/16, at which submitted policies may be asked; public ones always may.
    #[arg(long, value_name = "RANGE")]
    allow_policies: Vec<Range>,
    // Not a flattened `Tables`, and `Reached` is beside: clap does not look into what is flattened within what may be missing.
    /// Keep the tables in PostgreSQL: file with the address, postgres://USER:PASSWORD@HOST/NAME, which never stands on
    /// a command line [without FILE: the variable LONGARM_POSTGRES].
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "")]
    postgres: Option<PathBuf>,
    /// File of certificates (PEM) to trust where that address asks for sslmode=require.
    #[arg(long, value_name = "FILE", requires = "postgres")]
    postgres_ca: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Result<()> {
    match args.action {
        Some(Action::Backup { data, out, tables }) => {
            return Ok(backup(&data, &out, tables.address()?.as_ref())?);
        }
        Some(Action::Restore { data, tables }) => {
            let Some(at) = tables.address()? else {
                anyhow::bail!(
                    "--postgres FILE says into which database; a copy is otherwise served as it is"
                )
            };
            return Ok(restore(&data, &at)?);
        }
        None => {}
    }
    let reached = args.reached;
    let Some(args) = args.serve else {
        anyhow::bail!("--data DIR says where the server keeps its files")
    };
    let usual = Settings::new(args.data);
    let bytes = args.max_unpacked.saturating_mul(1 << 20);
    let settings = Settings {
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
        films: args.films.saturating_mul(1 << 20),
        allowed: args.allow_policies,
        postgres: Tables { postgres: args.postgres, postgres_ca: args.postgres_ca }.address()?,
        ..usual
    };
    reached.run(settings, "administrator", |address, _| tell!("longarm serves on {address}"))
}
