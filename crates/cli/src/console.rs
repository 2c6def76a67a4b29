use std::path::PathBuf;

use anyhow::Result;
use longarm_server::{ConsoleSettings, Settings};

use crate::reached::Reached;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder for everything the console keeps, its runs among it; made if it is not there.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The lab's bridge, which drives the arm: longarm help bridge.
    #[arg(long, value_name = "ws://HOST:PORT")]
    bridge: String,
    /// Policy that drives it: a server such as openpi:HOST:PORT, onnx:FILE, replay:DIR.
    #[arg(long)]
    policy: String,
    /// Where tablets reach it; port 0 takes a free one.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Largest video, in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 2048)]
    max_upload: u64,
    #[command(flatten)]
    reached: Reached,
}

pub(crate) fn run(args: Args) -> Result<()> {
    let settings = Settings {
        listen: args.listen,
        workers: 0,
        upload: args.max_upload.saturating_mul(1 << 20),
        console: Some(ConsoleSettings { bridge: args.bridge, policy: args.policy }),
        ..Settings::new(args.data)
    };
    args.reached.run(settings, "judge's", |address, url| {
        tell!("longarm console on {address}");
        tell!("judges open {url}/console");
    })
}
