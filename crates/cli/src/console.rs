use std::path::PathBuf;

use anyhow::Result;
use longarm_server::{ConsoleSettings, Server, Settings, asked_to_end};

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
    /// How tablets reach it from outside, such as https://lab.example.org: the QR codes of tasks lead there.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Encrypt connections: the certificate and those between it and the authority, as PEM.
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The certificate's private key, as PEM.
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> Result<()> {
    let settings = Settings {
        listen: args.listen,
        workers: 0,
        upload: args.max_upload.saturating_mul(1 << 20),
        #[cfg(feature = "tls")]
        certificate: args
            .tls_cert
            .zip(args.tls_key)
            .map(|(chain, key)| longarm_server::Certificate { chain, key }),
        public_url: args.public_url.clone(),
        console: Some(ConsoleSettings { bridge: args.bridge, policy: args.policy }),
        ..Settings::new(args.data)
    };
    let scheme = if settings.encrypts() { "https" } else { "http" };
    let server = Server::open(settings)?;
    let address = server.address()?;
    let url = args.public_url.unwrap_or_else(|| format!("{scheme}://{address}"));
    tell!("longarm console on {scheme}://{address}");
    tell!("judges open {url}/console");
    if let Some(code) = server.setup_code() {
        tell!("no account yet: make the first judge's at {url}/setup?code={code} (once)");
    }
    Ok(server.run(asked_to_end())?)
}
