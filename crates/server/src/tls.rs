//! Encrypted connections to this server: its certificate, read again when asked, and a door that shakes hands
//! with many at once.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring::{default_provider, sign::any_supported_type};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::{ServerConfig, sign::CertifiedKey};
use tokio_rustls::server::TlsStream;

use crate::ServeError;

/// How long a handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes at once; whoever comes then waits.
const AT_ONCE: usize = 256;

/// Where a server's certificate and its key are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// PEM: the server's certificate, and those between it and the authority.
    pub chain: PathBuf,
    /// PEM: its private key.
    pub key: PathBuf,
}

impl Certificate {
    fn read(&self) -> Result<CertifiedKey, ServeError> {
        let wrong = |path: &Path, why: String| ServeError::Io { path: path.to_owned(), why };
        let bytes = |path: &Path| std::fs::read(path).map_err(|e| wrong(path, e.to_string()));
        let chain: Result<Vec<_>, _> =
            CertificateDer::pem_slice_iter(&bytes(&self.chain)?).collect();
        let chain = chain.map_err(|e| wrong(&self.chain, format!("no certificate in PEM: {e}")))?;
        if chain.is_empty() {
            let why = "it holds no certificate; it takes PEM, -----BEGIN CERTIFICATE-----";
            return Err(wrong(&self.chain, why.into()));
        }
        let key = PrivateKeyDer::from_pem_slice(&bytes(&self.key)?)
            .map_err(|e| wrong(&self.key, format!("no private key in PEM: {e}")))?;
        let key = any_supported_type(&key).map_err(|e| wrong(&self.key, e.to_string()))?;
        let both = CertifiedKey::new(chain, key);
        both.keys_match().map_err(|_| {
            let why = format!("it is not the key of the certificate in {}", self.chain.display());
            wrong(&self.key, why)
        })?;
        Ok(both)
    }
}

/// The certificate as it was read last.
#[derive(Debug)]
pub(crate) struct Shown {
    files: Certificate,
    now: RwLock<Arc<CertifiedKey>>,
}

impl Shown {
    pub(crate) fn open(files: Certificate) -> Result<Arc<Self>, ServeError> {
        let now = RwLock::new(Arc::new(files.read()?));
        Ok(Arc::new(Self { files, now }))
    }

    /// Read the files again; what was good stays until something better is there.
    pub(crate) fn reload(&self) {
        match self.files.read() {
            Ok(new) => {
                *self.now.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
                tracing::info!("the certificate was read again");
            }
            Err(e) => tracing::error!(error = %e, "the certificate stays as it was"),
        }
    }
}

impl ResolvesServerCert for Shown {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Connections whose handshake is done.
pub(crate) struct Door {
    address: SocketAddr,
    ready: mpsc::Receiver<(TlsStream<TcpStream>, SocketAddr)>,
}

impl Door {
    /// Shake hands with whoever comes; on SIGHUP the certificate is read again.
    pub(crate) fn open(tcp: TcpListener, shown: Arc<Shown>) -> std::io::Result<Self> {
        let address = tcp.local_addr()?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(std::io::Error::other)?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&shown) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        #[cfg(unix)]
        tokio::spawn(async move {
            use tokio::signal::unix::{SignalKind, signal};
            let Ok(mut asked) = signal(SignalKind::hangup()) else { return };
            while asked.recv().await.is_some() {
                tokio::task::block_in_place(|| shown.reload());
            }
        });
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let (tell, ready) = mpsc::channel(16);
        tokio::spawn(shake_hands(tcp, acceptor, tell));
        Ok(Self { address, ready })
    }
}

async fn shake_hands(
    mut tcp: TcpListener,
    acceptor: TlsAcceptor,
    tell: mpsc::Sender<(TlsStream<TcpStream>, SocketAddr)>,
) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let (stream, peer) = Listener::accept(&mut tcp).await;
        let _ = stream.set_nodelay(true);
        let (acceptor, tell) = (acceptor.clone(), tell.clone());
        tokio::spawn(async move {
            let shaken = tokio::time::timeout(HANDSHAKE, acceptor.accept(stream)).await;
            drop(place);
            match shaken {
                Ok(Ok(stream)) => drop(tell.send((stream, peer)).await),
                Ok(Err(e)) => tracing::debug!(%peer, error = %e, "no encrypted connection"),
                Err(_) => tracing::debug!(%peer, "a handshake took too long"),
            }
        });
    }
}

impl Listener for Door {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(one) => one,
            // Nobody comes any more.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        Ok(self.address)
    }
}
