//! What people do, in a real browser: sign in, submit in each of the four ways, watch, publish, look, compare,
//! withdraw; and whether everyone can.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::browser::Browser;
use crate::common::{folder, said};
use crate::hosted::{LOOPBACK, TASK, policy};
use crate::server::{Board, EPISODES, TASKS, idle_run, packed, run};

/// What keeps somebody from reading or using a page: returned in words.
const AUDIT: &str = r#"
const wrong = [];
const shown = e => e.getClientRects().length > 0;
for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea, progress"))
  if (!e.labels.length && !e.getAttribute("aria-label")) wrong.push("no label: " + e.outerHTML);
for (const e of document.querySelectorAll("img"))
  if (!e.alt) wrong.push("no words for " + e.outerHTML);
for (const e of document.querySelectorAll("a, button, summary"))
  if (!e.textContent.trim() && !e.getAttribute("aria-label")) wrong.push("no name: " + e.outerHTML);
for (const e of document.querySelectorAll("th"))
  if (!e.scope) wrong.push("a heading of neither row nor column: " + e.outerHTML);
for (const e of document.querySelectorAll("[tabindex]"))
  if (e.tabIndex > 0) wrong.push("out of order: " + e.outerHTML);
const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push("twice: " + id);
let level = 0;
for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
  const now = Number(e.tagName[1]);
  if (now > level + 1) wrong.push("a heading skips a level: " + e.outerHTML);
  level = now;
}
if (document.querySelectorAll("h1").length !== 1 || !document.querySelector("main")) wrong.push("no single h1 and main");
for (const e of document.querySelectorAll(".scroll, pre"))
  if (e.scrollWidth > e.clientWidth && e.tabIndex < 0) wrong.push("keys cannot scroll " + e.outerHTML.slice(0, 80));
const colour = text => text.match(/[\d.]+/g).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
  .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = e => {
  for (; e; e = e.parentElement) {
    const c = colour(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c;
  }
  return [255, 255, 255];
};
for (const e of document.querySelectorAll("body *")) {
  const words = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  if (!words || !shown(e) || e.matches("option")) continue;
  const [a, b] = [light(colour(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) wrong.push("hard to read: " + e.outerHTML.slice(0, 120));
}
if (document.documentElement.scrollWidth > innerWidth) wrong.push("wider than the window");
return wrong;
"#;

/// A person before a browser.
struct Person {
    browser: Browser,
    dir: PathBuf,
    board: Board,
}

impl Person {
    fn go(&self, path: &str) {
        self.browser.go(&format!("http://{}{path}", self.board.address));
    }

    /// Look at the page in every form; pictures of it go into the folder.
    fn look(&self, name: &str) {
        for (width, dark, kind) in
            [(390, false, "narrow"), (1280, true, "dark"), (1280, false, "wide")]
        {
            self.browser.size(width, 900);
            self.browser.dark(dark);
            let wrong = self.browser.script(AUDIT, &[]);
            assert_eq!(wrong, json!([]), "{name}, {kind}: {}", self.browser.url());
            self.browser.screenshot_whole(&self.dir.join(format!("{name}-{kind}.png")));
        }
    }

    fn sign_in(&self, token: &str) {
        self.go("/sign-in");
        self.browser.find("input[name=token]").type_text(token);
        self.browser.find("main button").click();
        self.browser.shows("You are a");
    }

    /// Fill the form for one of the ways, send it and return the submission's id.
    fn submit(&self, way: &str, name: &str, fields: &[(&str, &str)]) -> String {
        self.go("/submit");
        self.browser.find(&format!("label[for=way-{way}]")).click();
        self.browser.find("input[name=policyName]").type_text(name);
        for (field, value) in fields {
            let field = self.browser.find(&format!("[name={field}]"));
            match field.attribute("type").as_deref() {
                Some("select-one") | None => {
                    let body = "arguments[0].value = arguments[1]";
                    self.browser.script(body, &[field.argument(), (*value).into()]);
                }
                _ => field.type_text(value),
            }
        }
        self.look(&format!("submit-{way}"));
        self.browser.find("form.submit button").click();
        self.browser.until("it is sent", || self.browser.url().contains("/submissions/"));
        self.browser.url().rsplit('/').next().unwrap().to_owned()
    }

    /// Press a button of the submission whose page this is.
    fn press(&self, label: &str) {
        let all = self.browser.all("main form button");
        let button = all.iter().find(|b| b.text() == label);
        button.unwrap_or_else(|| panic!("no button {label}: {}", self.browser.words())).click();
    }

    /// Wait for a submission's end on its page, which says so by itself, and publish it.
    fn publish(&self, name: &str) {
        self.browser.shows("completed");
        self.look(&format!("completed-{name}"));
        self.press("Publish");
        self.browser.shows("published");
    }
}

fn text(path: &Path) -> String {
    path.canonicalize().unwrap().display().to_string()
}

fn archive(dir: &Path, name: &str, run: &Path) -> String {
    let path = dir.join(format!("{name}.tar.gz"));
    std::fs::write(&path, packed(run)).unwrap();
    text(&path)
}

#[test]
fn from_the_first_account_to_a_withdrawn_row() {
    let dir = folder("server-browser-whole");
    let Some(browser) = Browser::start(&dir, 1280, 900) else { return };
    let data = dir.join("board");
    std::fs::create_dir_all(&data).unwrap();
    let boards = format!(
        "suites = false\n[[board]]\nname = \"quick\"\ntitle = \"Quick\"\ntasks = {TASKS:?}\nepisodes = {EPISODES}\n\
         [[board]]\nname = \"one\"\ntitle = \"One task\"\ntasks = [{TASK:?}]\nepisodes = 2\n"
    );
    std::fs::write(data.join("boards.toml"), boards).unwrap();
    let board = Board::open(&data, &[&["--review"][..], &LOOPBACK].concat());
    let code = board.code.clone().unwrap();
    let me = Person { browser, dir: dir.clone(), board };
    let see = &me.browser;

    // The link of the console makes the first account.
    me.go(&format!("/setup?code={code}"));
    me.look("setup");
    see.find("input[name=name]").type_text("Ada");
    see.find("main button").click();
    let token = see.find("#token").text();
    assert!(token.starts_with("longarm_"), "{token}");
    me.look("token");
    me.go("/");
    me.look("home-empty");
    me.sign_in(&token);
    me.look("account-empty");

    // A run, which its page shows being replayed.
    me.submit(
        "replay",
        "Careful",
        &[("run", &archive(&dir, "careful", run())), ("affiliation", "A Lab")],
    );
    me.publish("replay");
    me.submit(
        "replay",
        "Lazy",
        &[("run", &archive(&dir, "lazy", idle_run())), ("openSource", "yes")],
    );
    me.publish("second");

    // A policy that is asked where it is.
    let (server, shown) = policy(|_, _| {
        std::thread::sleep(Duration::from_millis(100));
        true
    });
    let at = format!("openpi:127.0.0.1:{}?execute=all", server.port);
    me.submit("remote", "Asked", &[("policy", &at), ("board", "one"), ("memory", "no")]);
    see.shows("Episodes played: 1 of 2");
    me.look("running");
    me.publish("remote");
    assert_eq!(shown.lock().unwrap().len(), 2);

    // A policy whose submitter connects, as the page says.
    me.submit("dial-out", "Behind", &[("policy", &at), ("board", "one"), ("parameters", "3000")]);
    let command = see.find("main pre code").text();
    me.look("dial-out");
    let token_file = dir.join("token");
    std::fs::write(&token_file, &token).unwrap();
    let line = command.replace("SERVER", &format!("http://{}", me.board.address));
    let line = line.replace("--token-file token", &format!("--token-file {}", text(&token_file)));
    let bin = Path::new(env!("CARGO_BIN_EXE_longarm")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let o = Command::new("bash").args(["-c", &line]).env("PATH", path).output().unwrap();
    assert!(o.status.success(), "{line}: {}", said(&o));
    me.publish("dial-out");

    #[cfg(feature = "onnx")]
    {
        let model = crate::models::write(&dir, "mover");
        let manifest = dir.join("mover.onnx.toml");
        let fields = [
            ("modelFile", text(&model)),
            ("manifest", text(&manifest)),
            ("board", "one".to_owned()),
        ];
        let fields: Vec<(&str, &str)> = fields.iter().map(|(k, v)| (*k, v.as_str())).collect();
        me.submit("checkpoint", "Model", &fields);
        me.publish("checkpoint");
    }
    me.go("/account");
    me.look("account");
    look_around(&me);
    withdraw(&me);

    // What the pages' policy forbids would be told on the console, and nobody else was asked for anything.
    let complaints = see.console();
    assert!(complaints.iter().all(|c| c.contains("404")), "{complaints:?}");
    let own = format!("http://{}/", me.board.address);
    let asked = see.requests();
    assert!(asked.len() > 50, "{} requests", asked.len());
    let others = asked.iter().filter(|u| !u.starts_with(&own) && !u.starts_with("data:"));
    assert_eq!(others.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// Boards, views, filters, a row with its films, two rows side by side.
fn look_around(me: &Person) {
    let see = &me.browser;
    me.go("/");
    see.shows("Over all boards");
    me.look("home");
    me.go("/boards/quick");
    me.look("board");
    for view in ["Capabilities", "Tasks"] {
        let links = see.all("nav.views a");
        links.iter().find(|l| l.text() == view).unwrap_or_else(|| panic!("no {view}")).click();
        see.shows("The best is bold");
        me.look(&format!("view-{}", view.to_lowercase()));
    }
    see.find("th.turn a").click();
    see.find("th[aria-sort=descending]");
    see.script("document.querySelector('select[name=open]').value = 'yes'", &[]);
    see.find("form.filters button").click();
    see.until("one is left", || see.all("tbody tr").len() == 1);
    assert!(see.words().contains("Lazy") && !see.words().contains("Careful"));
    me.go("/boards/one?trust=hosted&size=large");
    assert_eq!(see.all("tbody tr").len(), 1, "{}", see.words());

    // A row: its report, and films that are made when there is time.
    me.go("/boards/quick");
    see.find("td.name a, th.name a").click();
    see.shows("What it is good at");
    me.board.until("episodes are filmed", || {
        me.browser.go(&me.browser.url());
        see.all("figure").len() == 4
    });
    let whole = "const i = document.querySelector('figure img'); i.loading = 'eager'; return i.complete && i.naturalWidth > 400";
    see.until("a filmstrip is drawn", || see.script(whole, &[]) == true);
    see.find("figure summary").click();
    see.script("document.querySelector('figure video').preload = 'auto'", &[]);
    let plays = "const v = document.querySelector('figure video'); return v.readyState > 0 && v.duration > 1 && v.videoWidth > 300";
    see.until("a film can be played", || see.script(plays, &[]) == true);
    let there = "const v = document.querySelector('figure video'); v.currentTime = v.duration / 2; return v.seekable.length";
    assert_eq!(see.script(there, &[]), 1);
    see.until("the middle of it", || {
        see.script("return document.querySelector('figure video').readyState > 1", &[]) == true
    });
    me.look("row");
    let links = see.all("main a");
    links.iter().find(|l| l.text() == "The whole report").unwrap().click();
    see.until("the report", || see.url().ends_with("/report"));
    see.screenshot(&me.dir.join("report.png"));

    me.go("/boards/quick");
    let forms = see.all("form.filters button");
    forms.iter().find(|b| b.text() == "Side by side").unwrap().click();
    see.shows("Only Careful");
    me.look("compare");
    see.find("tbody th a").click();
    see.shows("episode by episode");
    assert!(see.words().contains("solved in"), "{}", see.words());
    me.look("compare-task");
}

fn withdraw(me: &Person) {
    let see = &me.browser;
    me.go("/account");
    let all = see.all("tbody th a");
    all.iter().find(|l| l.text() == "Careful").unwrap().click();
    see.shows("published");
    me.press("Withdraw");
    see.shows("withdrawn");
    me.look("withdrawn");
    me.go("/boards/quick");
    assert!(!see.words().contains("Careful"), "{}", see.words());
    me.go("/account");
    me.press("Sign out");
    see.until("home again", || see.all("a[href='/sign-in']").len() == 1);
    me.go("/account");
    assert!(see.url().ends_with("/sign-in"), "{}", see.url());
    me.look("sign-in");
}

#[test]
fn pages_work_by_keys_alone_and_without_scripts() {
    let dir = folder("server-browser-plain");
    let Some(browser) = Browser::start(&dir, 1280, 900) else { return };
    let board = Board::start("server-plain", &[]);
    let token = board.administrator();
    let me = Person { browser, dir: dir.clone(), board };
    let see = &me.browser;
    see.scripts(false);
    // Tab comes first to what skips the heading, then to what the page is for.
    me.go("/sign-in");
    see.press("\u{e004}");
    let focus = || {
        see.script("return document.activeElement.textContent || document.activeElement.name", &[])
    };
    assert_eq!(focus(), "Skip to content");
    see.press("\u{e007}\u{e004}");
    assert_eq!(focus(), "token");
    see.press(&format!("{token}\u{e007}"));
    see.shows("You are an administrator");
    me.go("/submit");
    see.find("input[name=run]").type_text(&archive(&dir, "plain", run()));
    see.find("input[name=policyName]").type_text("Plain\u{e007}");
    see.until("it is sent", || see.url().contains("/submissions/"));
    // Nobody but the page itself loads it again.
    see.shows("published");
    assert_eq!(see.script("return document.querySelectorAll('script').length", &[]), 0);
    let rows: Value = me.board.get("/api/leaderboard", None);
    assert_eq!(rows["rows"][0]["policyName"], "Plain");
}
