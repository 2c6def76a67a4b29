//! How a server of ours is reached, said the same way for all of them.

use anyhow::Result;
use longarm_server::{Server, Settings, asked_to_end};

#[derive(clap::Args)]
pub(crate) struct Reached {
    /// How people reach it from outside, such as https://lab.example.org: links and QR codes lead there.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Encrypt connections: the certificate and those between it and the authority, as PEM. Read again on SIGHUP.
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<std::path::PathBuf>,
    /// The certificate's private key, as PEM.
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<std::path::PathBuf>,
}

impl Reached {
    /// Open a server and run it until it is asked to end. `says` tells what is where, given its address and the one
    /// that people use; `first` is who is made by the link of the first start.
    pub(crate) fn run(
        self,
        settings: Settings,
        first: &str,
        says: impl FnOnce(&str, &str),
    ) -> Result<()> {
        let settings = Settings {
            #[cfg(feature = "tls")]
            certificate: (self.tls_cert.zip(self.tls_key))
                .map(|(chain, key)| longarm_server::Certificate { chain, key }),
            public_url: self.public_url.clone(),
            ..settings
        };
        let scheme = if settings.encrypts() { "https" } else { "http" };
        let server = Server::open(settings)?;
        let address = format!("{scheme}://{}", server.address()?);
        let url = self.public_url.as_ref().unwrap_or(&address);
        says(&address, url);
        if let Some(code) = server.setup_code() {
            tell!("no account yet: make the first {first} at {url}/setup?code={code} (once)");
        }
        Ok(server.run(asked_to_end())?)
    }
}
