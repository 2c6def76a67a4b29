//! Policy servers behind TLS, with certificates made here, good and bad.

mod support;

use std::{
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    thread::sleep,
    time::Duration,
};

use longarm_policy::{Decision, Policy, PolicyError, Remote};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, date_time_ymd,
};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring::default_provider,
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
};
use support::{Server, actions, episode, observation};
use tungstenite::{Message, WebSocket};

type Secured = WebSocket<StreamOwned<ServerConnection, TcpStream>>;

/// A server's certificate and key.
struct Identity(CertificateDer<'static>, PrivateKeyDer<'static>);

/// An authority, its certificate in a file.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: PathBuf,
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn params(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
}

fn key(pair: &KeyPair) -> PrivateKeyDer<'static> {
    PrivatePkcs8KeyDer::from(pair.serialize_der()).into()
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = params(&[]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        Self { file: file(&format!("{name}.pem"), &issuer.pem()), issuer }
    }

    fn signs(&self, params: &CertificateParams) -> Identity {
        let pair = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&pair, &self.issuer).unwrap();
        Identity(certificate.der().clone(), key(&pair))
    }
}

/// As `openssl req -x509` makes it: authority and server at once.
fn self_signed(names: &[&str], name: &str) -> (Identity, PathBuf) {
    let mut params = params(names);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let pair = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&pair).unwrap();
    (
        Identity(certificate.der().clone(), key(&pair)),
        file(&format!("{name}.pem"), &certificate.pem()),
    )
}

/// A server behind TLS that greets and hands the connection over.
fn secured(
    Identity(certificate, key): Identity,
    serve: impl Fn(usize, &mut Secured) + Send + Sync + 'static,
) -> Server {
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    Server::raw(move |n, tcp| {
        let stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), tcp);
        if let Ok(mut ws) = tungstenite::accept(stream)
            && ws.send(Message::binary(vec![0x80])).is_ok()
        {
            serve(n, &mut ws);
        }
    })
}

fn answers(ws: &mut Secured) -> bool {
    loop {
        match ws.read() {
            Ok(Message::Binary(_)) => return ws.send(actions(2, 0.5)).is_ok(),
            Ok(Message::Close(_)) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

fn answering(identity: Identity) -> Server {
    secured(identity, |_, ws| while answers(ws) {})
}

fn connect(host: &str, server: &Server, options: &str) -> Result<Remote, PolicyError> {
    Remote::connect(&format!("wss://{host}:{}?retries=0&{options}", server.port).parse().unwrap())
}

fn trusting(path: &Path) -> String {
    format!("ca={}", path.display())
}

fn asked(remote: &mut Remote) -> Result<usize, PolicyError> {
    let mut decision = Decision::default();
    remote.act(&observation(), &mut decision)?;
    Ok(decision.chunk.len())
}

/// Two episodes of three questions.
fn serves(mut remote: Remote) {
    for _ in 0..2 {
        remote.begin_episode(&episode()).unwrap();
        for _ in 0..3 {
            assert_eq!(asked(&mut remote).unwrap(), 2);
        }
        remote.end_episode();
    }
}

fn refuses(remote: Result<Remote, PolicyError>, words: &str) {
    let said = remote.expect_err("the certificate is bad").to_string();
    assert!(said.contains(words), "{said:?} does not say {words:?}");
    assert!(!said.contains('\n') && !said.contains("attempts"), "{said:?}");
}

#[test]
fn a_private_authority() {
    let authority = Authority::new("private");
    let server = answering(authority.signs(&params(&["localhost", "127.0.0.1"])));
    for host in ["localhost", "127.0.0.1"] {
        serves(connect(host, &server, &trusting(&authority.file)).unwrap());
    }
    let spec = format!("vla-eval:wss://localhost:{}/v1?{}", server.port, trusting(&authority.file));
    let said = Remote::connect(&spec.parse().unwrap()).unwrap_err().to_string();
    assert!(
        said.starts_with(&format!("policy server wss://localhost:{}/v1: ", server.port)),
        "{said}"
    );
}

#[test]
fn a_certificate_that_signed_itself() {
    let (identity, file) = self_signed(&["localhost"], "itself");
    let server = answering(identity);
    serves(connect("localhost", &server, &trusting(&file)).unwrap());
    let words = "it is for localhost (subjectAltName), not for 127.0.0.1";
    refuses(connect("127.0.0.1", &server, &trusting(&file)), words);
    let (_, other) = self_signed(&["localhost"], "another");
    refuses(connect("localhost", &server, &trusting(&other)), "ca=FILE");
}

#[test]
fn strangers() {
    let authority = Authority::new("stranger");
    let server = answering(authority.signs(&params(&["localhost"])));
    let other = trusting(&Authority::new("known").file);
    let words =
        "its certificate is not trusted: it is signed by nobody who is trusted here; ca=FILE";
    refuses(connect("localhost", &server, &other), words);
}

#[test]
fn another_name_and_another_time() {
    let authority = Authority::new("names");
    let ca = trusting(&authority.file);
    let server = answering(authority.signs(&params(&["gpu1", "gpu2.lab"])));
    refuses(
        connect("localhost", &server, &ca),
        "it is for gpu1, gpu2.lab (subjectAltName), not for localhost",
    );
    let mut past = params(&["localhost"]);
    past.not_after = date_time_ymd(2020, 1, 1);
    refuses(connect("localhost", &answering(authority.signs(&past)), &ca), "it has expired");
    let mut future = params(&["localhost"]);
    future.not_before = date_time_ymd(2999, 1, 1);
    let server = answering(authority.signs(&future));
    refuses(connect("localhost", &server, &ca), "it is not valid yet");
}

#[test]
fn no_certificates_to_trust() {
    let (identity, _) = self_signed(&["localhost"], "unused");
    let server = answering(identity);
    refuses(connect("localhost", &server, "ca=/nowhere/ca.pem"), "from /nowhere/ca.pem");
    let empty = file("empty.pem", "not a certificate\n");
    refuses(connect("localhost", &server, &trusting(&empty)), "-----BEGIN CERTIFICATE-----");
    let broken =
        file("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    refuses(connect("localhost", &server, &trusting(&broken)), "broken.pem");
}

#[test]
fn servers_without_tls() {
    let (identity, file) = self_signed(&["localhost"], "plain");
    let plain = Server::openpi(|_, _, ws| drop(ws.send(actions(1, 0.0))));
    refuses(connect("localhost", &plain, &trusting(&file)), "a server without TLS is ws://");
    let silent = Server::raw(|_, _tcp| sleep(Duration::from_secs(30)));
    refuses(
        connect("localhost", &silent, &format!("timeout=0.3&{}", trusting(&file))),
        "no answer within 0.3 s",
    );
    // The other way round nothing is answered that is HTTP.
    let server = answering(identity);
    let text = format!("ws://localhost:{}?retries=0&timeout=2", server.port);
    assert!(Remote::connect(&text.parse().unwrap()).is_err());
}

#[test]
fn slow_and_lost() {
    let authority = Authority::new("slow");
    let server = secured(authority.signs(&params(&["localhost"])), |connection, ws| {
        while answers(ws) {
            match connection {
                0 => drop(ws.get_ref().sock.shutdown(std::net::Shutdown::Both)),
                1 => sleep(Duration::from_secs(30)),
                _ => {}
            }
        }
    });
    let options = format!("timeout=0.5&first-timeout=20&reconnect=5&{}", trusting(&authority.file));
    let mut remote = connect("localhost", &server, &options).unwrap();
    remote.begin_episode(&episode()).unwrap();
    assert_eq!(asked(&mut remote).unwrap(), 2);
    let e = asked(&mut remote).unwrap_err();
    assert!(matches!(&e, PolicyError::Unavailable(e) if e.lost), "{e}");
    remote.begin_episode(&episode()).unwrap();
    assert_eq!(asked(&mut remote).unwrap(), 2);
    let e = asked(&mut remote).unwrap_err();
    assert!(matches!(&e, PolicyError::Fault(why) if why.contains("no answer within 0.5 s")), "{e}");
    serves(remote);
}

/// The part of the next test that runs where an environment variable names the system's authorities.
#[test]
#[ignore = "run by the_authorities_of_the_system"]
fn with_the_system_s_authorities() {
    let Ok(text) = std::env::var("LONGARM_TEST_SERVER") else { return };
    serves(Remote::connect(&text.parse().unwrap()).unwrap());
}

#[test]
fn the_authorities_of_the_system() {
    let authority = Authority::new("system");
    let server = answering(authority.signs(&params(&["localhost"])));
    let child = |trusted: &Path| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "with_the_system_s_authorities", "--ignored"])
            .env("SSL_CERT_FILE", trusted)
            .env_remove("SSL_CERT_DIR")
            .env("LONGARM_TEST_SERVER", format!("wss://localhost:{}?retries=0", server.port))
            .output()
            .unwrap()
    };
    let trusts = child(&authority.file);
    assert!(trusts.status.success(), "{}", String::from_utf8_lossy(&trusts.stdout));
    let other = child(&Authority::new("elsewhere").file);
    assert!(!other.status.success() && server.count() == 3, "{}", server.count());
}
