//! Encrypted connections: our own programs, curl and browsers' cookies; certificates that are replaced.

use std::path::{Path, PathBuf};
use std::process::Command;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

use crate::common::{command, folder, refused, said};
use crate::hosted::{TASK, policy};
use crate::server::{Board, ca, run};

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Make an authority and a certificate of 127.0.0.1; the authority's is what clients trust.
fn certify(dir: &Path, authority: &Path) -> (PathBuf, PathBuf) {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    // Another name than the server's, which would otherwise seem to have signed itself.
    params.distinguished_name.push(DnType::CommonName, "A test's authority");
    let root = params.self_signed(&key).unwrap();
    std::fs::write(authority, root.pem()).unwrap();
    let issuer = Issuer::new(params, key);
    let own = KeyPair::generate().unwrap();
    let names = ["127.0.0.1", "localhost"].map(str::to_owned).to_vec();
    let signed = CertificateParams::new(names).unwrap().signed_by(&own, &issuer).unwrap();
    let (chain, key) = (dir.join("chain.pem"), dir.join("key.pem"));
    std::fs::write(&chain, signed.pem() + &root.pem()).unwrap();
    std::fs::write(&key, own.serialize_pem()).unwrap();
    (chain, key)
}

#[test]
fn connections_are_encrypted_by_flag() {
    let dir = folder("server-encrypted");
    let data = dir.join("board");
    std::fs::create_dir_all(&data).unwrap();
    let boards = format!(
        "suites = false\n[[board]]\nname = \"one\"\ntasks = [{TASK:?}]\nepisodes = 1\n\
         [[board]]\nname = \"quick\"\ntasks = {:?}\nepisodes = 2\n",
        crate::server::TASKS
    );
    std::fs::write(data.join("boards.toml"), boards).unwrap();
    let (chain, key) = certify(&dir, &ca(&data));
    let (chain_, key_) = (text(&chain), text(&key));
    let mut board = Board::open(&data, &["--tls-cert", &chain_, "--tls-key", &key_]);
    let code = board.code.clone().unwrap();
    assert!(board.log.lock().unwrap().contains(&format!("https://{}/setup?code=", board.address)));
    let ada = board.administrator();
    let (url, trusted) = (format!("https://{}", board.address), text(&ca(&data)));

    // Our own program, in all that it does: uploads, workers, policies that are asked over its connection.
    let ours = |args: &[&str]| {
        let o = command(args).args(["--server", &url]).env("LONGARM_TOKEN", &ada).output().unwrap();
        (o.status.success(), said(&o))
    };
    let dir_ = text(run());
    let (good, said) = ours(&["submit", &dir_, "--name", "Private", "--ca", &trusted]);
    assert!(good, "{said}");
    let (good, said) = ours(&["work", "--until-idle", "--workers", "1", "--ca", &trusted]);
    assert!(good, "{said}");
    let (server, _) = policy(|_, _| true);
    let at = format!("openpi:127.0.0.1:{}?execute=all", server.port);
    let dial = ["submit", "--policy", &at, "--board", "one", "--name", "Behind", "--ca", &trusted];
    let (good, said) = ours(&dial);
    assert!(good, "{said}");
    assert_eq!(board.get("/api/leaderboard", None)["rows"].as_array().unwrap().len(), 2);
    // Nobody who is not trusted is told a token.
    let (good, said) = ours(&["work", "--until-idle"]);
    assert!(!good && said.contains("not trusted"), "{said}");
    let plain = format!("http://{}", board.address);
    let o = command(&["work", "--server", &plain]).env("LONGARM_TOKEN", &ada).output().unwrap();
    assert!(!o.status.success());

    // A cookie for encrypted connections only.
    let body = format!("token={ada}");
    let reply = board.raw(
        &format!(
            "POST /sign-in HTTP/1.1\r\nOrigin: {url}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}",
            body.len()
        ),
        body.as_bytes(),
    );
    assert_eq!(reply.status, 303, "{}", reply.text());
    assert!(reply.header("set-cookie").unwrap().contains("; Secure"), "{}", reply.head);
    assert!(!reply.head.contains(&code));

    curl(&url, &trusted);
    replaced(&mut board, &dir);

    // What cannot be served is said at once.
    let other = certify(&folder("server-encrypted-other"), &dir.join("unused.pem"));
    let data = text(&dir.join("never"));
    let serve = |chain: &Path, key: &Path, words: &str| {
        let (chain, key) = (text(chain), text(key));
        let args = ["serve", "--data", &data, "--listen", "127.0.0.1:0"];
        refused(&[&args[..], &["--tls-cert", &chain, "--tls-key", &key]].concat(), &[words]);
    };
    serve(&chain, &other.1, "it is not the key of the certificate");
    serve(&key, &key, "holds no certificate");
    serve(&chain, &chain, "no private key");
    serve(&dir.join("nothing"), &key, "nothing");
}

fn curl(url: &str, trusted: &str) {
    let ask = |more: &[&str]| {
        let url = format!("{url}/healthz");
        Command::new("curl")
            .args(["--silent", "--show-error", "--fail"])
            .args(more)
            .arg(&url)
            .output()
    };
    let Ok(stranger) = ask(&[]) else {
        eprintln!("skipped: no curl here");
        return;
    };
    assert_eq!(stranger.status.code(), Some(60), "its certificate is nobody's that is known");
    for version in ["--tlsv1.2", "--tlsv1.3"] {
        let known = ask(&["--cacert", trusted, version]).unwrap();
        assert!(known.status.success(), "{version}: {}", said(&known));
        assert_eq!(known.stdout, b"{\"status\":\"ok\"}");
    }
    let old = ask(&["--cacert", trusted, "--tls-max", "1.1"]).unwrap();
    assert!(!old.status.success());
}

/// A certificate is replaced while the server runs; a broken one is not taken.
fn replaced(board: &mut Board, dir: &Path) {
    let health = |b: &Board| b.ask("GET", "/healthz", None, "").status;
    std::fs::write(dir.join("chain.pem"), "not yet").unwrap();
    board.signal("-HUP");
    board.until("it says that it stays", || {
        board.log.lock().unwrap().contains("the certificate stays as it was")
    });
    assert_eq!(health(board), 200);
    let newer = dir.join("newer.pem");
    certify(dir, &newer);
    board.signal("-HUP");
    board.until("it was read", || {
        board.log.lock().unwrap().contains("the certificate was read again")
    });
    // Read once more: whoever was let in before may come back without showing anything.
    for (authority, status) in [(ca(&board.data), 0), (newer, 200)] {
        board.trust(&authority);
        assert_eq!(health(board), status);
    }
}
