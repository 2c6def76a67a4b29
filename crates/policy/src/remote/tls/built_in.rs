//! TLS by rustls, with ring: it needs a C compiler, which the video encoder needs anyway, and no CMake.

use std::{
    io::{self, Read, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, Error, InvalidMessage,
    RootCertStore, SignatureScheme, StreamOwned,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_name,
    },
    crypto::ring::default_provider,
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    server::ParsedCertificate,
};

use super::super::{fault::Fault, stream::Timed};

/// Whose certificates are believed.
#[derive(Debug)]
pub struct Trust(Arc<ClientConfig>);

impl Trust {
    /// Trust what a PEM file holds, or else the authorities this machine trusts.
    pub fn load(ca: Option<&Path>) -> Result<Self, String> {
        let own = ca.map_or(Ok(Vec::new()), read)?;
        let mut roots = RootCertStore::empty();
        match ca {
            Some(path) => {
                for certificate in &own {
                    roots.add(certificate.clone()).map_err(|e| {
                        format!("{} holds a certificate that cannot be read ({e})", path.display())
                    })?;
                }
            }
            None => {
                let system = rustls_native_certs::load_native_certs();
                roots.add_parsable_certificates(system.certs);
                if roots.is_empty() {
                    let why = system.errors.first().map(|e| format!(" ({e})")).unwrap_or_default();
                    return Err(format!(
                        "this machine has no certificates of authorities to trust{why}; install \
                         ca-certificates, or name a file of them by ca=FILE"
                    ));
                }
            }
        }
        let provider = Arc::new(default_provider());
        let authorities =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
                .build()
                .map_err(|e| e.to_string())?;
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| e.to_string())?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Verifier { authorities, own }))
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }

    /// Return it as rustls wants it, for clients with streams of their own.
    pub fn config(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.0)
    }
}

fn read(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |e: &dyn std::fmt::Display| {
        format!("cannot read the certificates to trust from {}: {e}", path.display())
    };
    let bytes = std::fs::read(path).map_err(|e| wrong(&e))?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match all.map_err(|e| wrong(&e))? {
        none if none.is_empty() => {
            Err(wrong(&"there is none in it; it takes PEM, -----BEGIN CERTIFICATE-----"))
        }
        some => Ok(some),
    }
}

/// Asks the authorities, and takes a certificate that is itself among those to trust: `openssl req -x509`
/// makes ones that are authority and server at once, which the rules for authorities refuse.
#[derive(Debug)]
struct Verifier {
    authorities: Arc<WebPkiServerVerifier>,
    own: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.authorities.verify_server_cert(end, between, name, ocsp, now) {
            // Neither expired nor for another name nor signed by a stranger.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if self.own.contains(end) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verdict => verdict,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authorities.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authorities.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authorities.supported_verify_schemes()
    }
}

/// A connection over TLS.
#[derive(Debug)]
pub(in super::super) struct Encrypted(Box<StreamOwned<ClientConnection, Timed>>);

impl Encrypted {
    /// Shakes hands, and so finds out whether the server is the one that is meant.
    pub(in super::super) fn open(
        trust: &Trust,
        host: &str,
        timed: Timed,
        limit: Duration,
    ) -> Result<Self, Fault> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| Fault::Request(format!("no certificate can be for {host:?}")))?;
        let client = ClientConnection::new(trust.0.clone(), name)
            .map_err(|e| Fault::Request(e.to_string()))?;
        let mut tls = StreamOwned::new(client, timed);
        while tls.conn.is_handshaking() {
            tls.conn.complete_io(&mut tls.sock).map_err(|e| match e.kind() {
                io::ErrorKind::TimedOut => Fault::Slow(limit),
                _ => refusal(&e).unwrap_or_else(|| {
                    let why =
                        "it ended the TLS handshake; a server without TLS is ws:// or http://";
                    Fault::Down(format!("{why} ({e})"))
                }),
            })?;
        }
        Ok(Self(Box::new(tls)))
    }

    /// The socket below.
    pub(in super::super) fn timed(&mut self) -> &mut Timed {
        &mut self.0.sock
    }
}

impl Read for Encrypted {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buf) {
                // It was busy with TLS's own messages; the socket waits no longer than its deadline.
                Err(e) if e.kind() == io::ErrorKind::WouldBlock && !self.0.sock.polling => {}
                done => return done,
            }
        }
    }
}

impl Write for Encrypted {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        self.0.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Return what TLS has against the server, if that is why the connection failed.
pub(in super::super) fn refusal(e: &io::Error) -> Option<Fault> {
    let e = e.get_ref()?.downcast_ref::<Error>()?;
    Some(Fault::Request(match e {
        Error::InvalidCertificate(e) => format!("its certificate is not trusted: {}", against(e)),
        Error::InvalidMessage(InvalidMessage::InvalidContentType) => {
            "it does not speak TLS; a server without TLS is ws:// or http://".to_owned()
        }
        Error::AlertReceived(alert) => format!("it refuses the encrypted connection ({alert:?})"),
        e => format!("no encrypted connection: {e}"),
    }))
}

fn against(e: &CertificateError) -> String {
    match e {
        // The second: by another of the same name.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => {
            "it is signed by nobody who is trusted here; ca=FILE names the certificate that signed \
             it, or itself if it signed itself"
                .to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            let names: Vec<_> = presented.iter().map(|n| bare(n)).collect();
            let names = if names.is_empty() { "no name".to_owned() } else { names.join(", ") };
            format!("it is for {names} (subjectAltName), not for {}", expected.to_str())
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "it has expired".to_owned()
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "it is not valid yet; is the clock of this machine right?".to_owned()
        }
        CertificateError::Other(_) => format!(
            "it cannot be a server's ({e}); if it signed itself, ca=FILE with that certificate trusts it"
        ),
        e => e.to_string(),
    }
}

/// `DnsName("gpu1")` without its kind.
fn bare(name: &str) -> &str {
    let inner = name.split_once('(').map_or(name, |(_, rest)| rest.trim_end_matches(')'));
    inner.trim_matches('"')
}
