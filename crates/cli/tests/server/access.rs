//! Every endpoint against everyone who may ask.

use crate::server::{Board, idle_run, packed};
use serde_json::{Value, json};

/// A submission's first number of an upload.
fn announced(board: &Board, token: &str, size: usize) -> String {
    let body = json!({ "policyName": "p", "size": size }).to_string();
    let reply = board.ask("POST", "/api/submissions", Some(token), &body);
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.json()["submissionId"].as_str().unwrap().to_owned()
}

#[test]
fn every_endpoint_refuses_whom_it_should() {
    let board = Board::start("server-access", &["--workers", "0"]);
    let ada = board.administrator();
    let bob = board.account(&ada, "Bob", "submitter");
    let eve = board.account(&ada, "Eve", "submitter");
    let judy = board.account(&ada, "Judy", "judge");
    // A token that was good.
    let made = board.ask("POST", "/api/tokens", Some(&bob), "{\"label\": \"old\"}").json();
    let revoked = made["token"].as_str().unwrap().to_owned();
    let own = board.get("/api/account", Some(&bob));
    let old = own["tokens"].as_array().unwrap().iter().find(|t| t["label"] == "old").unwrap();
    let path = format!("/api/tokens/{}", old["id"]);
    assert_eq!(board.ask("DELETE", &path, Some(&eve), "").status, 404, "somebody else's");
    assert_eq!(board.ask("DELETE", &path, Some(&bob), "").status, 200);
    let id = announced(&board, &bob, 10);

    let all = board.get("/api/openapi.json", None);
    let mut seen = 0;
    for (path, methods) in all["paths"].as_object().unwrap() {
        let path = path.replace("{id}", &id);
        for (method, about) in methods.as_object().unwrap() {
            let ask =
                |token: Option<&str>| board.ask(&method.to_uppercase(), &path, token, "").status;
            if about.get("security").is_none() {
                assert!(
                    ![401, 403].contains(&ask(None)) || path == "/api/setup",
                    "{method} {path}"
                );
                continue;
            }
            seen += 1;
            for (who, token) in [
                ("nobody", None),
                ("a guess", Some("longarm_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")),
                ("a word", Some("please")),
                ("a revoked token", Some(revoked.as_str())),
            ] {
                assert_eq!(ask(token), 401, "{method} {path} for {who}");
            }
        }
    }
    assert!(seen >= 15, "{seen} endpoints need a token");

    // Who may do what, by role.
    let may = |method: &str, path: &str, body: &str, expected: [u16; 4]| {
        let who = [("Eve", &eve), ("Bob", &bob), ("Judy", &judy), ("Ada", &ada)];
        for ((name, token), status) in who.into_iter().zip(expected) {
            let reply = board.ask(method, path, Some(token), body);
            assert_eq!(reply.status, status, "{method} {path} by {name}: {}", reply.text());
        }
    };
    let of = |rest: &str| format!("/api/submissions/{id}{rest}");
    may("GET", &of(""), "", [404, 200, 200, 200]);
    may("GET", &of("/upload"), "", [404, 200, 200, 200]);
    may("POST", &of("/publish"), "", [403, 403, 409, 409]);
    may("POST", &of("/retry"), "", [404, 409, 409, 409]);
    may("POST", &of("/withdraw"), "", [404, 409, 409, 409]);
    may("GET", "/api/accounts", "", [403, 403, 403, 200]);
    may("GET", "/api/audit", "", [403, 403, 403, 200]);
    may(
        "POST",
        "/api/accounts",
        "{\"name\": \"Mal\", \"role\": \"administrator\"}",
        [403, 403, 403, 200],
    );
    may("PATCH", "/api/accounts/2", "{\"role\": \"administrator\"}", [403, 403, 403, 200]);
    may("PATCH", "/api/accounts/2", "{\"role\": \"submitter\"}", [403, 200, 403, 200]);
    may("POST", &of("/cancel"), "", [404, 200, 409, 409]);
    // Everybody sees their own.
    let count = |token: &str| {
        board.get("/api/submissions", Some(token))["submissions"].as_array().unwrap().len()
    };
    assert_eq!((count(&eve), count(&bob), count(&judy)), (0, 1, 1));
    // The last administrators cannot lock everyone out; a disabled account is out at once.
    let accounts = board.get("/api/accounts", Some(&ada));
    let id_of = |name: &str| {
        let all = accounts["accounts"].as_array().unwrap();
        all.iter().find(|a| a["name"] == name).unwrap()["id"].clone()
    };
    let mal = format!("/api/accounts/{}", id_of("Mal"));
    assert_eq!(board.ask("PATCH", &mal, Some(&ada), "{\"role\": \"submitter\"}").status, 200);
    let own = format!("/api/accounts/{}", id_of("Ada"));
    assert_eq!(board.ask("PATCH", &own, Some(&ada), "{\"role\": \"judge\"}").status, 409);
    let body = "{\"role\": \"submitter\", \"disabled\": true}";
    assert_eq!(
        board.ask("PATCH", &format!("/api/accounts/{}", id_of("Eve")), Some(&ada), body).status,
        200
    );
    assert_eq!(board.ask("GET", "/api/account", Some(&eve), "").status, 401);
    // The code on the console works once.
    let body = json!({ "code": board.code, "name": "Second" }).to_string();
    assert_eq!(board.ask("POST", "/api/setup", None, &body).status, 403);
}

#[test]
fn what_cannot_be_read_is_refused_in_words() {
    let board = Board::start("server-malformed", &["--workers", "0", "--per-day", "3"]);
    let ada = board.administrator();
    let long = "x".repeat(200);
    for (body, words) in [
        ("", "the body"),
        ("{", "the body"),
        ("[]", "the body"),
        ("{\"policyName\": \"p\"}", "size"),
        ("{\"policyName\": 7, \"size\": 1}", "string"),
        ("{\"policyName\": \" \", \"size\": 1}", "policyName is empty"),
        ("{\"policyName\": \"p\", \"size\": 0}", "size is 0"),
        ("{\"policyName\": \"p\", \"size\": -1}", "the body"),
        ("{\"policyName\": \"p\", \"size\": 1, \"link\": \"javascript:alert(1)\"}", "link"),
        ("{\"policyName\": \"p\", \"size\": 1, \"parameters\": -5}", "parameters"),
        ("{\"policyName\": \"a\\u0007b\", \"size\": 1}", "control characters"),
        (&format!("{{\"policyName\": \"{long}\", \"size\": 1}}"), "200 characters"),
    ] {
        let reply = board.ask("POST", "/api/submissions", Some(&ada), body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.text());
        let said = reply.json()["error"].as_str().unwrap().to_owned();
        assert!(said.contains(words), "{body} said {said}");
    }
    let huge = format!("{{\"policyName\": \"{}\"}}", "x".repeat(100_000));
    for path in ["/api/submissions", "/api/accounts", "/api/tokens"] {
        assert_eq!(board.ask("POST", path, Some(&ada), &huge).status, 413, "{path}");
    }
    let body = json!({ "policyName": "p", "size": 99_000_000_000u64 }).to_string();
    assert_eq!(board.ask("POST", "/api/submissions", Some(&ada), &body).status, 413);
    assert_eq!(board.ask("GET", "/api/nothing", None, "").status, 404);
    assert_eq!(board.ask("DELETE", "/api/leaderboard", None, "").status, 405);
    assert_eq!(board.ask("GET", "/api/leaderboard?trust=blind", None, "").status, 400);
    assert_eq!(board.ask("GET", "/api/leaderboard?board=none", None, "").status, 404);
    // As many a day as were agreed; what was cancelled does not count.
    let ids: Vec<String> = (0..3).map(|_| announced(&board, &ada, 5)).collect();
    let body = json!({ "policyName": "p", "size": 5 }).to_string();
    assert_eq!(board.ask("POST", "/api/submissions", Some(&ada), &body).status, 429);
    assert_eq!(
        board.ask("POST", &format!("/api/submissions/{}/cancel", ids[0]), Some(&ada), "").status,
        200
    );
    announced(&board, &ada, 5);
    // Guessing gets slow.
    let mut last = 0;
    for _ in 0..150 {
        last = board.ask("GET", "/api/account", Some("longarm_wrong"), "").status;
    }
    assert_eq!(last, 429);
    assert_eq!(board.ask("GET", "/api/leaderboard", None, "").status, 200);
}

#[test]
fn an_upload_goes_on_where_it_broke_off() {
    let board = Board::start("server-upload", &["--workers", "0"]);
    let ada = board.administrator();
    let bytes = packed(idle_run());
    let id = announced(&board, &ada, bytes.len());
    let path = format!("/api/submissions/{id}/upload");
    let append = |offset: usize, part: &[u8], length: usize| {
        let head = format!(
            "PATCH {path} HTTP/1.1\r\nAuthorization: Bearer {ada}\r\nUpload-Offset: {offset}\r\nContent-Length: {length}"
        );
        board.raw(&head, part)
    };
    let offset = || board.get(&path, Some(&ada))["offset"].as_u64().unwrap() as usize;
    let third = bytes.len() / 3;
    assert_eq!(append(0, &bytes[..third], third).json()["offset"], third);
    assert_eq!(offset(), third);
    let wrong = append(0, &bytes[..third], third);
    assert_eq!(wrong.status, 409);
    assert!(wrong.text().contains("go on from there"), "{}", wrong.text());
    // Two thirds are announced; the line breaks after a few bytes.
    {
        use std::io::Write;
        let mut stream = std::net::TcpStream::connect(&board.address).unwrap();
        let head = format!(
            "PATCH {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {ada}\r\nUpload-Offset: {third}\r\nContent-Length: {}\r\n\r\n",
            bytes.len() - third
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&bytes[third..third + 100]).unwrap();
    }
    board.until("what arrived is kept", || offset() == third + 100);
    let mut status = 409;
    board.until("the broken one is given up", || {
        status = append(third + 100, &bytes[third + 100..], bytes.len() - third - 100).status;
        status != 409
    });
    assert_eq!(status, 200);
    let s: Value = board.get(&format!("/api/submissions/{id}"), Some(&ada));
    assert_eq!(s["received"], bytes.len(), "{s}");
    assert_ne!(s["status"], "uploading");
    assert_eq!(append(bytes.len(), b"more", 4).status, 409);
    // More than was announced.
    let id = announced(&board, &ada, 3);
    let head = format!(
        "PATCH /api/submissions/{id}/upload HTTP/1.1\r\nAuthorization: Bearer {ada}\r\nUpload-Offset: 0\r\nContent-Length: 9"
    );
    assert_eq!(board.raw(&head, b"123456789").status, 413);
}
