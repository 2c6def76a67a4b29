//! Pages: what people put in comes out as text, forms come from our own pages, and nothing is fetched
//! from elsewhere.

use crate::server::{Board, Reply, idle_run, packed, run};

const MARKUP: &str = "<script>alert('x')</script>\"'&<img src=x onerror=alert(1)>";

/// Send a form as a browser would.
fn post(board: &Board, path: &str, cookie: &str, origin: &str, fields: &[(&str, &str)]) -> Reply {
    let escaped = |text: &str| text.bytes().map(|b| format!("%{b:02x}")).collect::<String>();
    let body: Vec<_> = fields.iter().map(|(k, v)| format!("{k}={}", escaped(v))).collect();
    let body = body.join("&");
    let head = format!(
        "POST {path} HTTP/1.1\r\nCookie: {cookie}\r\nOrigin: {origin}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}",
        body.len()
    );
    board.raw(&head, body.as_bytes())
}

fn page(board: &Board, path: &str, cookie: &str) -> Reply {
    board.raw(&format!("GET {path} HTTP/1.1\r\nCookie: {cookie}"), b"")
}

fn sign_in(board: &Board, token: &str) -> String {
    let origin = format!("http://{}", board.address);
    let reply = post(board, "/sign-in", "longarm_session=mine", &origin, &[("token", token)]);
    assert_eq!(reply.status, 303, "{}", reply.text());
    let cookie = reply.header("set-cookie").unwrap();
    for word in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    // Not the one that somebody put there before.
    assert!(!cookie.contains("longarm_session=mine"), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

/// The hidden number of a page's forms.
fn form(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"form\" value=\"").expect("a form");
    rest.split('"').next().unwrap().to_owned()
}

#[test]
fn what_people_write_is_shown_and_never_run() {
    let board = Board::start("server-pages", &[]);
    let administrator = board.administrator();
    // Even the account's name is markup.
    let ada = board.account(&administrator, "<script>alert(2)</script>", "administrator");
    let fields = [
        ("policyName", "<b onload=alert(1)>&\"'"),
        ("name", MARKUP),
        ("affiliation", MARKUP),
        ("notes", MARKUP),
        ("openSource", "yes"),
        ("link", "https://example.org/?a=b&c='d'"),
    ];
    let reply = board.send(&ada, &fields, &packed(run()));
    assert_eq!(reply.status, 201, "{}", reply.text());
    let id = reply.json()["submissionId"].as_str().unwrap().to_owned();
    let s = board.ended(&ada, &id);
    assert_eq!(s["status"], "published", "{s}");
    let row = s["leaderboardRowId"].as_str().unwrap().to_owned();
    let other = board.submit(&ada, "Plain", idle_run());
    let other = other["leaderboardRowId"].as_str().unwrap();
    let cookie = sign_in(&board, &ada);
    let paths = [
        "/".to_owned(),
        "/boards/quick".to_owned(),
        "/boards/quick?trust=replayed&open=yes&view=labels&page=7&memory=%3Cscript%3E".to_owned(),
        format!("/rows/{row}"),
        format!("/rows/{row}/report"),
        format!("/compare?a={row}&b={other}"),
        "/submit".to_owned(),
        "/sign-in".to_owned(),
        "/account".to_owned(),
        format!("/submissions/{id}"),
        "/nowhere/<script>".replace('<', "%3C").replace('>', "%3E"),
    ];
    for path in &paths {
        for cookie in ["", &cookie] {
            let reply = page(&board, path, cookie);
            let text = reply.text();
            let policy = reply.header("content-security-policy").unwrap_or_default();
            assert!(policy.starts_with("default-src 'none'"), "{path}: {policy}");
            // Our own files are scripts, if anything is; the report, which has its style in it, allows none.
            let scripts = policy.split("; ").find(|p| p.starts_with("script-src"));
            assert!(scripts.is_none_or(|s| s == "script-src 'self'"), "{path}: {policy}");
            let text = text.replace("<script src=\"/page.js\" defer></script>", "");
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
            assert_eq!(reply.header("x-frame-options"), Some("DENY"), "{path}");
            for evil in ["<script", "onerror=alert(1)>", "<b onload", "<img src=x"] {
                assert!(!text.contains(evil), "{path} holds {evil}");
            }
            if reply.status == 200 {
                assert!(text.contains("<title>") && text.contains("lang=\"en\""), "{path}");
                let mut fetched = text.split("src=\"").skip(1);
                assert!(
                    path.ends_with("report") || fetched.all(|s| s.starts_with("/rows/")),
                    "{path} fetches something"
                );
            }
        }
    }
    let text = page(&board, &format!("/rows/{row}"), "").text();
    assert!(text.contains("&lt;script&gt;alert("), "{text}");
    assert!(text.contains("&lt;b onload=alert(1)&gt;"), "{text}");
    // A page that was not changed is not sent again.
    let first = page(&board, "/boards/quick", "");
    let tag = first.header("etag").unwrap();
    let again = board.raw(&format!("GET /boards/quick HTTP/1.1\r\nIf-None-Match: {tag}"), b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
}

#[test]
fn forms_come_from_our_own_pages() {
    let board = Board::start("server-forms", &["--workers", "0"]);
    let code = board.code.clone().unwrap();
    let origin = format!("http://{}", board.address);
    // The first administrator through the link on the console.
    let shown = page(&board, &format!("/setup?code={code}"), "").text();
    assert!(shown.contains(&code) && shown.contains("<form"), "{shown}");
    let foreign =
        post(&board, "/setup", "", "http://evil.example", &[("code", &code), ("name", "Mal")]);
    assert_eq!(foreign.status, 403);
    let made = post(&board, "/setup", "", &origin, &[("code", &code), ("name", "Ada")]);
    assert_eq!(made.status, 200, "{}", made.text());
    let text = made.text();
    let (_, token) = text.split_once("<code id=\"token\">").unwrap();
    let token = token.split('<').next().unwrap().to_owned();
    assert_eq!(made.header("cache-control"), Some("no-store"));
    assert_eq!(
        post(&board, "/setup", "", &origin, &[("code", &code), ("name", "Eve")]).status,
        403
    );
    assert_eq!(page(&board, "/setup", "").status, 404);

    assert_eq!(page(&board, "/account", "").status, 303);
    assert_eq!(post(&board, "/sign-in", "", &origin, &[("token", "longarm_no")]).status, 403);
    let cookie = sign_in(&board, &token);
    let own = page(&board, "/account", &cookie);
    assert_eq!(own.status, 200);
    let body = r#"{"policyName": "p", "size": 100}"#;
    let reply = board.ask("POST", "/api/submissions", Some(&token), body);
    let id = reply.json()["submissionId"].as_str().unwrap().to_owned();
    let path = format!("/submissions/{id}/cancel");
    let hidden = form(&page(&board, &format!("/submissions/{id}"), &cookie).text());
    // Without the page's number, with another session's, from another site, with a cookie to the API.
    for (fields, origin) in [
        (vec![], origin.as_str()),
        (vec![("form", "")], &origin),
        (vec![("form", "longarm_AAAA")], &origin),
        (vec![("form", hidden.as_str())], "http://evil.example"),
    ] {
        assert_eq!(post(&board, &path, &cookie, origin, &fields).status, 403, "{fields:?}");
    }
    assert_eq!(post(&board, &format!("/api{path}"), &cookie, &origin, &[]).status, 401);
    assert_eq!(board.get(&format!("/api/submissions/{id}"), Some(&token))["status"], "uploading");
    // A form with a file in it: the number comes first, or nothing of it is taken.
    let send = |fields: &[(&str, &str)], origin: &str| {
        let part = |(k, v): &(&str, &str)| {
            format!("--XX\r\nContent-Disposition: form-data; name=\"{k}\"\r\n\r\n{v}\r\n")
        };
        let body = fields.iter().map(part).collect::<String>() + "--XX--\r\n";
        let head = format!(
            "POST /submit HTTP/1.1\r\nCookie: {cookie}\r\nOrigin: {origin}\r\n\
             Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: {}",
            body.len()
        );
        board.raw(&head, body.as_bytes()).status
    };
    let (name, archive) = (("policyName", "p"), ("run", "x"));
    let number = ("form", hidden.as_str());
    for (fields, origin, status) in [
        (vec![name, archive], origin.as_str(), 403),
        (vec![("form", ""), name, archive], &origin, 403),
        (vec![("form", "longarm_AAAA"), name, archive], &origin, 403),
        (vec![name, archive, number], &origin, 403),
        (vec![number, name, archive], "http://evil.example", 403),
        (vec![number, name], &origin, 400),
        (vec![number, name, ("way", "magic"), archive], &origin, 400),
        (vec![number, name, ("way", "remote"), archive], &origin, 400),
        (vec![number, name, ("way", "checkpoint"), ("modelFile", "x")], &origin, 400),
    ] {
        assert_eq!(send(&fields, origin), status, "{fields:?} from {origin}");
    }
    let drafts = std::fs::read_dir(board.data.join("uploads")).unwrap();
    assert_eq!(drafts.count(), 0, "nothing stays of what was refused");
    let n = |b: &Board| {
        b.get("/api/submissions", Some(&token))["submissions"].as_array().unwrap().len()
    };
    assert_eq!(n(&board), 1);
    assert_eq!(send(&[number, name, archive], &origin), 303);
    assert_eq!(n(&board), 2);
    assert_eq!(post(&board, &path, &cookie, &origin, &[("form", &hidden)]).status, 303);
    assert_eq!(board.get(&format!("/api/submissions/{id}"), Some(&token))["status"], "cancelled");
    // Signed out, the session is worth nothing, also to whoever copied it.
    assert_eq!(post(&board, "/sign-out", &cookie, &origin, &[("form", &hidden)]).status, 303);
    assert_eq!(page(&board, "/account", &cookie).status, 303);
    // A revoked token takes its sessions with it.
    let cookie = sign_in(&board, &token);
    let tokens = board.get("/api/account", Some(&token))["tokens"].clone();
    let path = format!("/api/tokens/{}", tokens[0]["id"]);
    assert_eq!(board.ask("DELETE", &path, Some(&token), "").status, 200);
    assert_eq!(page(&board, "/account", &cookie).status, 303);
}
