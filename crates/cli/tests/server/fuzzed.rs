//! Whether the API does what its own description says, asked by schemathesis (from PyPI; `cargo xtask interop`).

use std::path::Path;
use std::process::Command;

use xtask::python;

use crate::common::folder;
use crate::server::{Board, idle_run};

/// What schemathesis reads where there is a token, which is in its environment.
const HEADERS: &str = r#"
[headers]
Authorization = "Bearer ${LONGARM_TOKEN}"
"#;

/// What it reads in any case.
const CONFIG: &str = r#"
[reports.junit]
enabled = false

# Some rules no schema says: names are more than blanks, what a worker tells is JSON in a text.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "400", "401", "403", "404", "409", "429"]

# Whoever guesses is told to wait before anything else is looked at.
[checks.missing_required_header]
expected-statuses = ["400", "401", "403", "404", "429"]
"#;

#[test]
#[ignore = "installs schemathesis from PyPI"]
fn the_api_is_as_its_description_says() {
    let venv = Path::new(env!("CARGO_TARGET_TMPDIR")).join("venv-schemathesis");
    let python =
        python::environment(&python::system().unwrap(), &venv, &["schemathesis==4.32.5"]).unwrap();
    let board = Board::start("server-fuzzed", &["--workers", "0", "--per-day", "1000000"]);
    let ada = board.administrator();
    let dir = folder("server-fuzzed-by");
    // Something to be found, and an account that may do everything but end the tests.
    let whole = board.send(&ada, &[("policyName", "There")], &crate::server::packed(idle_run()));
    assert_eq!(whole.status, 201);
    for (role, token) in [
        ("administrator", ada.clone()),
        ("submitter", board.account(&ada, "Sam", "submitter")),
        ("nobody", String::new()),
    ] {
        let headers = if token.is_empty() { "" } else { HEADERS };
        std::fs::write(dir.join("schemathesis.toml"), format!("{headers}{CONFIG}")).unwrap();
        let examples = std::env::var("LONGARM_EXAMPLES").unwrap_or_else(|_| "60".into());
        let o = Command::new(python.with_file_name("schemathesis"))
            .args(["run", &format!("http://{}/api/openapi.json", board.address)])
            .args(["--checks", "all", "--seed", "19", "--max-examples", &examples])
            .args(["--request-timeout", "60"])
            // Connections that are taken over are no answers, and accounts that are disabled end the run.
            .args(["--exclude-path", "/api/submissions/{id}/policy"])
            .env("LONGARM_TOKEN", &token)
            .current_dir(&dir)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&o.stdout);
        println!("{role}\n{said}");
        assert!(o.status.success(), "{role}: {said}{}", String::from_utf8_lossy(&o.stderr));
    }
    assert_eq!(board.ask("GET", "/healthz", None, "").status, 200);
    let log = board.log.lock().unwrap();
    assert!(!log.contains("panicked"), "{log}");
}
