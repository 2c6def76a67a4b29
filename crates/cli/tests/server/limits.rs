//! Streams without end, floods, and a table of everyone at every endpoint.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::time::Duration;

use serde_json::json;

use crate::server::Board;

/// What an endless upload may send before somebody must have stopped it.
const TEN_GIGABYTES: u64 = 10 << 30;

/// Send a body in chunks for as long as anybody takes it; how many bytes were taken, and the answer.
fn pour(board: &Board, head: &str, first: &[u8]) -> (u64, String) {
    let mut stream = std::net::TcpStream::connect(&board.address).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!("{head}\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut piece = format!("{:x}\r\n", first.len()).into_bytes();
    piece.extend_from_slice(first);
    piece.extend_from_slice(b"\r\n");
    stream.write_all(&piece).unwrap();
    let mut piece = b"10000\r\n".to_vec();
    piece.resize(piece.len() + 0x10000, 0);
    piece.extend_from_slice(b"\r\n");
    let mut sent = 0;
    while sent < TEN_GIGABYTES && stream.write_all(&piece).is_ok() {
        sent += 0x10000;
    }
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    (sent, answer)
}

#[test]
fn streams_without_end_are_cut_off() {
    let board = Board::start("server-streams", &["--workers", "0", "--max-upload", "1"]);
    let ada = board.administrator();
    let token = format!("Authorization: Bearer {ada}");
    let body = json!({ "policyName": "p", "size": 1000 }).to_string();
    let made = board.ask("POST", "/api/submissions", Some(&ada), &body).json();
    let id = made["submissionId"].as_str().unwrap();
    let form = "--XX\r\nContent-Disposition: form-data; name=\"run\"; filename=\"r\"\r\n\r\n";
    let model =
        "--XX\r\nContent-Disposition: form-data; name=\"modelFile\"; filename=\"m\"\r\n\r\n";
    let field = "--XX\r\nContent-Disposition: form-data; name=\"notes\"\r\n\r\n";
    let multipart = "Content-Type: multipart/form-data; boundary=XX";
    for (what, head, first) in [
        ("an archive", format!("POST /api/submissions HTTP/1.1\r\n{token}\r\n{multipart}"), form),
        ("a model", format!("POST /api/submissions HTTP/1.1\r\n{token}\r\n{multipart}"), model),
        ("a page's form", format!("POST /submit HTTP/1.1\r\n{token}\r\n{multipart}"), form),
        ("a field", format!("POST /api/submissions HTTP/1.1\r\n{token}\r\n{multipart}"), field),
        (
            "more than announced",
            format!("PATCH /api/submissions/{id}/upload HTTP/1.1\r\n{token}\r\nUpload-Offset: 0"),
            "x",
        ),
        ("JSON", format!("POST /api/submissions HTTP/1.1\r\n{token}"), "{\"policyName\": \""),
        ("a label", format!("POST /api/tokens HTTP/1.1\r\n{token}"), "{\"label\": \""),
        ("findings", format!("POST /api/work/{id} HTTP/1.1\r\n{token}"), "{\"episodes\": \""),
        ("a sign-in", "POST /sign-in HTTP/1.1".to_owned(), "token="),
        ("to a page", "POST /setup HTTP/1.1".to_owned(), "code="),
    ] {
        let (sent, answer) = pour(&board, &head, first.as_bytes());
        // What was refused, and what lay in buffers on the way.
        assert!(sent < 64 << 20, "{what}: {sent} bytes were taken; {answer}");
        assert!(!answer.starts_with("HTTP/1.1 2"), "{what}: {answer}");
    }
    let uploads = std::fs::read_dir(board.data.join("uploads")).unwrap().map(Result::unwrap);
    let kept: u64 = uploads.map(|e| e.metadata().unwrap().len()).sum();
    assert!(kept <= 1000, "{kept} bytes stayed");
    assert_eq!(board.ask("GET", "/healthz", None, "").status, 200);
}

#[test]
fn floods_are_slowed() {
    let board = Board::start("server-floods", &["--workers", "0"]);
    let ada = board.administrator();
    let bob = board.account(&ada, "Bob", "submitter");
    // Whoever guesses codes.
    let body = json!({ "code": "longarm_AAAA", "name": "Mal" }).to_string();
    let guessed: BTreeSet<u16> =
        (0..130).map(|_| board.ask("POST", "/api/setup", None, &body).status).collect();
    assert_eq!(guessed, BTreeSet::from([403, 429]));
    // Whoever changes too much at once; others go on.
    let changed: BTreeSet<u16> = (0..700)
        .map(|_| board.ask("DELETE", "/api/tokens/999999", Some(&bob), "").status)
        .collect();
    assert_eq!(changed, BTreeSet::from([404, 429]));
    assert_eq!(board.ask("DELETE", "/api/tokens/999999", Some(&ada), "").status, 404);
    assert_eq!(board.ask("GET", "/api/account", Some(&bob), "").status, 200);
    // Bodies that are nested to the bottom, numbers that are none, texts that are cut.
    let deep = format!("{{\"label\": {}", "[".repeat(60_000));
    for body in [deep.as_str(), "{\"label\": 1e999}", "{\"label\": \"\\ud800\"}", "\u{0}", "nul"] {
        assert_eq!(board.ask("POST", "/api/tokens", Some(&ada), body).status, 400);
    }
    // Names that no path has.
    for id in ["%00", "a%00b", "..%2f..", "%ff", &"x".repeat(5000), "-1", "9223372036854775808"] {
        for path in ["/api/submissions/ID", "/api/rows/ID", "/rows/ID", "/boards/ID"] {
            let path = path.replace("ID", id);
            let status = board.ask("GET", &path, Some(&ada), "").status;
            assert!([400, 404].contains(&status), "{path}: {status}");
        }
        let path = format!("/api/accounts/{id}");
        let status = board.ask("PATCH", &path, Some(&ada), "{\"role\": \"judge\"}").status;
        assert!([400, 404].contains(&status), "{path}: {status}");
    }
}

/// Who is needed: `p`ublic, any `a`ccount, a `j`udge, an administrator `A`.
const NEEDED: &[(&str, &str, char)] = &[
    ("get", "/healthz", 'p'),
    ("get", "/metrics", 'p'),
    ("get", "/api/openapi.json", 'p'),
    ("get", "/api/key", 'p'),
    ("get", "/api/boards", 'p'),
    ("get", "/api/leaderboard", 'p'),
    ("get", "/api/rows/{id}", 'p'),
    ("get", "/api/rows/{id}/receipt", 'p'),
    ("get", "/api/account", 'a'),
    ("post", "/api/tokens", 'a'),
    ("delete", "/api/tokens/{id}", 'a'),
    ("get", "/api/submissions", 'a'),
    ("post", "/api/submissions", 'a'),
    ("get", "/api/submissions/{id}", 'a'),
    ("get", "/api/submissions/{id}/upload", 'a'),
    ("patch", "/api/submissions/{id}/upload", 'a'),
    ("get", "/api/submissions/{id}/policy", 'a'),
    ("post", "/api/submissions/{id}/cancel", 'a'),
    ("post", "/api/submissions/{id}/retry", 'a'),
    ("post", "/api/submissions/{id}/withdraw", 'a'),
    ("post", "/api/submissions/{id}/publish", 'j'),
    ("post", "/api/work", 'j'),
    ("post", "/api/work/{id}", 'j'),
    ("get", "/api/accounts", 'A'),
    ("post", "/api/accounts", 'A'),
    ("patch", "/api/accounts/{id}", 'A'),
    ("get", "/api/audit", 'A'),
];

#[test]
fn everyone_at_every_endpoint() {
    let board = Board::start("server-table", &["--workers", "0"]);
    let ada = board.administrator();
    let tokens = ["", "submitter", "judge"].map(|role| match role {
        "" => None,
        role => Some(board.account(&ada, role, role)),
    });
    let all = board.get("/api/openapi.json", None);
    let mut described = BTreeSet::new();
    for (path, methods) in all["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|m| *m != "parameters") {
            described.insert((method.clone(), path.clone()));
        }
    }
    let order = |c: char| "pajA".find(c).unwrap();
    for (method, path, needed) in NEEDED {
        let known = described.remove(&((*method).to_owned(), (*path).to_owned()));
        assert!(known, "{method} {path} is not described");
        let path = path.replace("{id}", "nothing");
        let known = tokens.iter().map(Option::as_deref).chain([Some(ada.as_str())]);
        for (role, token) in [None, Some('a'), Some('j'), Some('A')].into_iter().zip(known) {
            let status = board.ask(&method.to_uppercase(), &path, token, "").status;
            let who = format!("{method} {path} by {role:?}: {status}");
            match role.unwrap_or('p') {
                role if order(role) >= order(*needed) => {
                    assert!(![401, 403].contains(&status), "{who}")
                }
                'p' => assert_eq!(status, 401, "{who}"),
                _ => assert_eq!(status, 403, "{who}"),
            }
            assert!(status < 500, "{who}");
        }
    }
    described.remove(&("post".to_owned(), "/api/setup".to_owned()));
    assert!(described.is_empty(), "who may ask these? {described:?}");
}
