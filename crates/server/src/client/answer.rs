//! Connections over which a server asks a policy on this side.

use std::io;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy};
use tokio::net::TcpStream;

use super::{Client, ClientError, TUNNEL, WAIT};

/// Pause before a server that does not answer is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// Longest beginning of an answer.
const HEAD: usize = 16 << 10;

/// Bytes both ways, plain or encrypted.
trait Both: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Both for T {}

impl Client {
    /// Answer what the server asks over connections that we open, with the answers of a policy at an address on
    /// this side; return when the server says that it is over.
    pub fn answer(&self, path: &str, policy: &str) -> Result<(), ClientError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|e| self.lost(&e))?;
        runtime.block_on(async {
            loop {
                match self.tunnel(path).await {
                    Ok(theirs) => wait(theirs, policy.to_owned()).await,
                    Err(e) if e.status == Some(409) => return Ok(()),
                    Err(e) => {
                        tracing::warn!(why = %e, "no connection to the leaderboard");
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        })
    }

    async fn connect(&self) -> io::Result<Box<dyn Both>> {
        let stream = TcpStream::connect((self.address.host.as_str(), self.address.port)).await?;
        stream.set_nodelay(true)?;
        #[cfg(feature = "tls")]
        if let Some(trust) = &self.trust {
            let name = self.address.host.clone().try_into().map_err(io::Error::other)?;
            let connector = tokio_rustls::TlsConnector::from(trust.config());
            return Ok(Box::new(connector.connect(name, stream).await?));
        }
        Ok(Box::new(stream))
    }

    /// Open a connection over which the server asks.
    async fn tunnel(&self, path: &str) -> Result<Box<dyn Both>, ClientError> {
        let head =
            self.head("GET", path) + "Connection: upgrade\r\nUpgrade: " + TUNNEL + "\r\n\r\n";
        let open = async {
            let mut stream = self.connect().await?;
            stream.write_all(head.as_bytes()).await?;
            stream.flush().await?;
            // Byte by byte: what follows the answer is not ours to read.
            let mut answer = Vec::new();
            while !answer.ends_with(b"\r\n\r\n") && answer.len() < HEAD {
                answer.push(stream.read_u8().await?);
            }
            Ok::<_, io::Error>((stream, answer))
        };
        let (stream, answer) = tokio::time::timeout(WAIT, open)
            .await
            .map_err(|e| self.lost(&e))?
            .map_err(|e| self.lost(&e))?;
        let answer = String::from_utf8_lossy(&answer);
        match answer.split(' ').nth(1).and_then(|s| s.parse().ok()) {
            Some(101) => Ok(stream),
            status => {
                let what = format!("{} lets nobody in", self.address.authority());
                Err(ClientError { status, what })
            }
        }
    }
}

/// Wait for the first question; the policy answers this and all that follow while others wait.
async fn wait(mut theirs: Box<dyn Both>, policy: String) {
    let mut first = vec![0; 4096];
    let n = match theirs.read(&mut first).await {
        Ok(n) if n > 0 => n,
        _ => return tokio::time::sleep(PAUSE).await,
    };
    tokio::spawn(async move {
        let carried = async {
            let mut ours = TcpStream::connect(&policy).await?;
            ours.set_nodelay(true)?;
            ours.write_all(&first[..n]).await?;
            carry(theirs, ours).await
        };
        if let Err(e) = carried.await {
            tracing::warn!(policy, why = %e, "the policy does not answer");
        }
    });
}

/// Carry bytes both ways until one side ends; then both end.
async fn carry(theirs: Box<dyn Both>, mut ours: TcpStream) -> io::Result<()> {
    let (mut from_them, mut to_them) = tokio::io::split(theirs);
    let (mut from_us, mut to_us) = ours.split();
    let mut there = pin!(copy(&mut from_them, &mut to_us));
    let mut back = pin!(copy(&mut from_us, &mut to_them));
    let one = std::future::poll_fn(|context| match there.as_mut().poll(context) {
        Poll::Pending => back.as_mut().poll(context),
        ended => ended,
    });
    one.await.map(drop)
}
