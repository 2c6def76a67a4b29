//! A small part on PostgreSQL wherever there is one: from the first account to a copy that is restored.

use std::path::Path;

use crate::common::{folder, refused, works};
use crate::server::{Board, idle_run, run};
use crate::store::{self, Kind, address_file, has_postgres};

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn tables_in_postgres_are_served_copied_and_restored() {
    if !has_postgres() {
        return;
    }
    let board = Board::start_on(Kind::Postgres, "server-postgres", &[]);
    let ada = board.administrator();
    for (name, run) in [("Copied", run()), ("Idle", idle_run())] {
        let s = board.submit(&ada, name, run);
        assert_eq!(s["status"], "published", "{s}");
    }
    let rows = board.get("/api/leaderboard", None);
    assert_eq!(rows["rows"].as_array().unwrap().len(), 2);
    let at = text(&address_file(&board.data));

    // Nobody else writes to the same tables, from whatever folder.
    let other = folder("server-postgres-other").join("board");
    let serve = ["serve", "--data", &text(&other), "--listen", "127.0.0.1:0", "--postgres", &at];
    refused(&serve, &["another process serves this PostgreSQL database"]);

    // A copy taken meanwhile is a folder of its own, served by SQLite as it is.
    let copy = board.data.join("../copy");
    works(&[
        "serve",
        "backup",
        "--data",
        &text(&board.data),
        "--out",
        &text(&copy),
        "--postgres",
        &at,
    ]);
    let same = |again: &Board| {
        assert!(again.code.is_none());
        assert_eq!(again.get("/api/leaderboard", None)["rows"], rows["rows"]);
        assert_eq!(again.get("/api/key", None), board.get("/api/key", None));
        assert_eq!(again.get("/api/account", Some(&ada))["account"]["name"], "Ada");
        let log = |b: &Board| b.get("/api/audit", Some(&ada))["entries"].clone();
        assert_eq!(log(again), log(&board));
    };
    let again = Board::open(&copy, &[]);
    same(&again);
    assert_eq!(again.terminate(), Some(0));

    // And brought back into an empty database, in which counting goes on.
    let empty = folder("server-postgres-empty").join("board");
    store::new(&empty, Kind::Postgres);
    std::fs::rename(address_file(&empty), address_file(&copy)).unwrap();
    let into = text(&address_file(&copy));
    refused(
        &["serve", "restore", "--data", &text(&copy), "--postgres", &at],
        &["another process serves this PostgreSQL database"],
    );
    works(&["serve", "restore", "--data", &text(&copy), "--postgres", &into]);
    refused(
        &["serve", "restore", "--data", &text(&copy), "--postgres", &into],
        &["holds no longarm.db"],
    );
    refused(&["serve", "--data", &text(&copy), "--listen", "127.0.0.1:0"], &["give --postgres"]);
    let again = Board::open(&copy, &[]);
    same(&again);
    again.account(&ada, "Bob", "submitter");
    assert_eq!(again.submit(&ada, "Later", idle_run())["status"], "published");
    store::sound(&copy);
}

#[test]
fn an_address_is_never_repeated() {
    let data = folder("server-postgres-secret");
    let file = data.join("address");
    let serve = |address: &str, words: &[&str]| {
        std::fs::write(&file, address).unwrap();
        let (data, file) = (text(&data.join("board")), text(&file));
        let args = ["serve", "--data", &data, "--listen", "127.0.0.1:0", "--postgres", &file];
        let o = crate::common::longarm(&args);
        let said = crate::common::said(&o);
        assert_eq!(o.status.code(), Some(2), "{said}");
        assert!(words.iter().all(|w| said.contains(w)), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    };
    serve("postgres://me:hunter2@", &["the database"]);
    serve("host=x password='hunter2", &["cannot be read"]);
    serve("hunter2", &["cannot be read"]);
    serve("postgres://me:hunter2@127.0.0.1:9/board", &["the database"]);
    serve("host=/nowhere user=me password=hunter2", &["the database"]);
}
