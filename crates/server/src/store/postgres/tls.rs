//! Encrypted connections to a database, for addresses that ask for them (`sslmode=require`).

use std::future::Future;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use longarm_policy::remote::dial::Trust;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream as Stream;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::super::{StoreError, Stored};

/// Makes connections to servers whose certificates the system trusts.
#[derive(Clone)]
pub(super) struct Encrypted(Arc<ClientConfig>);

impl Encrypted {
    pub(super) fn new(ca: Option<&Path>) -> Stored<Self> {
        let trust = Trust::load(ca).map_err(StoreError::Database)?;
        Ok(Self(trust.config()))
    }
}

/// A connector to a host by name.
pub(super) struct Named(TlsConnector, ServerName<'static>);

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Encrypted {
    type Stream = Private<S>;
    type TlsConnect = Named;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Named, io::Error> {
        let name = ServerName::try_from(domain.to_owned()).map_err(io::Error::other)?;
        Ok(Named(Arc::clone(&self.0).into(), name))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Named {
    type Stream = Private<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Private<S>, io::Error>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.0.connect(self.1, stream).await.map(Private) })
    }
}

/// An encrypted stream.
pub(super) struct Private<S>(Stream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Private<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Private<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Private<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
