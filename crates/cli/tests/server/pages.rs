//! Pages: what people put in comes out as text, forms come from our own pages, and nothing is fetched
//! from elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

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
    let ada = board.administrator();
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
            assert!(!policy.contains("script-src"), "{path}: {policy}");
            assert_eq!(reply.header("x-content-type-options"), Some("nosniff"), "{path}");
            assert_eq!(reply.header("x-frame-options"), Some("DENY"), "{path}");
            for evil in ["<script", "onerror=alert(1)>", "<b onload", "<img src=x"] {
                assert!(!text.contains(evil), "{path} holds {evil}");
            }
            if reply.status == 200 {
                assert!(text.contains("<title>") && text.contains("lang=\"en\""), "{path}");
                assert!(
                    !text.contains("src=\"") || path.ends_with("report"),
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

fn chromium() -> Option<PathBuf> {
    ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .map(PathBuf::from)
        .into_iter()
        .find(|p| p.exists())
}

/// Load a page in a real browser; return what became of it, and draw it.
fn browse(chromium: &Path, dir: &Path, url: &str, name: &str, width: u32, dark: bool) -> String {
    let browse = |more: &[String]| {
        let mut c = Command::new(chromium);
        c.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            "--enable-logging=stderr",
        ]);
        c.arg(format!("--user-data-dir={}", dir.join("profile").display()));
        c.arg(format!("--window-size={width},1000"));
        if dark {
            c.arg("--blink-settings=preferredColorScheme=0");
        }
        c.args(more).arg(url).output().unwrap()
    };
    browse(&[format!("--screenshot={}", dir.join(format!("{name}.png")).display())]);
    let o = browse(&["--dump-dom".to_owned()]);
    let said = String::from_utf8_lossy(&o.stderr);
    // What the page's policy forbids, the browser tells on its console.
    assert!(!said.contains("Content Security Policy"), "{url}: {said}");
    String::from_utf8_lossy(&o.stdout).into_owned()
}

#[test]
fn a_real_browser_shows_the_board() {
    let Some(chromium) = chromium() else {
        eprintln!("skipped: no Chromium here; apt-get install chromium");
        return;
    };
    let board = Board::start("server-browser", &[]);
    let ada = board.administrator();
    for (name, run) in [("Careful", run()), ("Lazy", idle_run())] {
        assert_eq!(board.submit(&ada, name, run)["status"], "published");
    }
    let dir = board.data.parent().unwrap().to_owned();
    let rows = board.get("/api/leaderboard", None);
    let id = |i: usize| rows["rows"][i]["id"].as_str().unwrap().to_owned();
    for (path, name, words) in [
        ("/".to_owned(), "home", "Over all boards"),
        ("/boards/quick".to_owned(), "board", "Side by side"),
        (format!("/rows/{}", id(0)), "row", "Check it yourself"),
        (format!("/compare?a={}&b={}", id(0), id(1)), "compare", "Both solved"),
        ("/submit".to_owned(), "submit", "How far a row can be trusted"),
    ] {
        for (width, dark, kind) in
            [(1280, false, "wide"), (390, false, "narrow"), (1280, true, "dark")]
        {
            let url = format!("http://{}{path}", board.address);
            let shown = browse(&chromium, &dir, &url, &format!("{name}-{kind}"), width, dark);
            assert!(shown.contains(words), "{path}: {shown}");
            assert!(shown.contains("class=\"brand\""), "{path}: {shown}");
        }
    }
}
