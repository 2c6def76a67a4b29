//! Runs that are not what they claim, and archives that are more than they seem.

use std::io::Write;
use std::path::Path;

use crate::common::{folder, works};
use crate::server::{Board, TASKS, copy_of, packed, run};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

/// Change the rows of a run, line by line.
fn edit(run: &Path, mut change: impl FnMut(usize, &mut Value)) {
    let path = run.join("episodes.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text.lines().enumerate().map(|(i, line)| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        change(i, &mut row);
        format!("{row}\n")
    });
    let text: String = lines.collect();
    std::fs::write(path, text).unwrap();
}

fn replace(run: &Path, file: &str, from: &str, to: &str) {
    let path = run.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{from} is not in {text}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// The trace of an episode of a task, on the suite's own test seeds.
fn trace(run: &Path, task: usize, episode: usize) -> std::path::PathBuf {
    run.join(format!("traces/{}/{}.trace", TASKS[task], [10001, 10003][episode]))
}

#[test]
fn what_a_run_claims_is_played_again() {
    let board = Board::start("server-cheats", &["--per-day", "100"]);
    let ada = board.administrator();
    let refused = |name: &str, words: &str, spoil: &dyn Fn(&Path)| {
        let run = copy_of(run(), &format!("cheat-{name}"));
        spoil(&run);
        let s = board.submit(&ada, name, &run);
        assert_eq!(s["status"], "failed", "{name}: {s}");
        let said = s["problems"].to_string();
        assert!(said.contains(words), "{name} said {said}, without {words:?}");
        assert!(!said.contains(&*board.data.display().to_string()), "{said}");
    };
    refused("edited-score", "score 55.5, replayed 100", &|run| {
        edit(run, |i, row| {
            if i == 0 {
                row["score"] = 55.5.into()
            }
        });
    });
    refused("edited-outcome", "outcome TaskFailure, replayed Success", &|run| {
        edit(run, |i, row| {
            if i == 1 {
                row["outcome"] = "task_failure".into()
            }
        });
    });
    refused("dropped-episode", "the run 3 of them; the first that is missing", &|run| {
        let path = run.join("episodes.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        let kept: Vec<_> = text.lines().skip(1).collect();
        std::fs::write(path, kept.join("\n") + "\n").unwrap();
    });
    refused("twice", "has two rows", &|run| {
        let path = run.join("episodes.jsonl");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(path, text.clone() + text.lines().next().unwrap() + "\n").unwrap();
    });
    refused("broken-by-us", "the run 3 of them", &|run| {
        edit(run, |i, row| {
            if i == 2 {
                row["outcome"] = "harness_error".into()
            }
        });
    });
    refused("missing-trace", "is missing", &|run| std::fs::remove_file(trace(run, 0, 1)).unwrap());
    refused("swapped-traces", "is one of", &|run| {
        let (a, b) = (trace(run, 0, 0), trace(run, 0, 1));
        let (x, y) = (std::fs::read(&a).unwrap(), std::fs::read(&b).unwrap());
        std::fs::write(a, y).unwrap();
        std::fs::write(b, x).unwrap();
    });
    refused("another-task", "is one of", &|run| {
        std::fs::copy(trace(run, 1, 0), trace(run, 0, 0)).map(drop).unwrap();
    });
    refused("cut-trace", "do not match its hash", &|run| {
        let bytes = std::fs::read(trace(run, 0, 0)).unwrap();
        std::fs::write(trace(run, 0, 0), &bytes[..bytes.len() - 4]).unwrap();
    });
    refused("other-actions", "action hash", &|run| {
        // A genuine trace of the same episode: of somebody who stands still.
        let idle = crate::server::idle_run();
        std::fs::copy(trace(idle, 0, 0), trace(run, 0, 0)).map(drop).unwrap();
    });
    refused("engine", "engine 9.9.9", &|run| {
        let engine = format!("engine = \"{}\"", env!("CARGO_PKG_VERSION"));
        replace(run, "run.toml", &engine, "engine = \"9.9.9\"");
    });
    refused("helped", "without hints", &|run| {
        replace(run, "run.toml", "[options]\n", "[options]\nhints = \"subtask\"\n");
    });
    refused("garbage", "episodes.jsonl", &|run| {
        std::fs::write(run.join("episodes.jsonl"), "{\"task\": 7}\n").unwrap();
    });
    refused("no-toml", "run.toml", &|run| std::fs::write(run.join("run.toml"), "= [").unwrap());
    // Seeds of their own choice.
    let chosen = folder("cheat-seeds").join("run");
    let out = chosen.display().to_string();
    works(&[
        "eval",
        TASKS[0],
        TASKS[1],
        "--policy",
        "idle",
        "--episodes",
        "2",
        "--seed",
        "700",
        "--out",
        &out,
    ]);
    let s = board.submit(&ada, "chosen-seeds", &chosen);
    assert_eq!(s["status"], "failed");
    assert!(
        s["problems"].to_string().contains("no episode of a board's tasks and test seeds"),
        "{s}"
    );
    // A task that is not the board's, under its name.
    refused("another-hash", "it is another version of it", &|run| {
        let config = std::fs::read_to_string(run.join("run.toml")).unwrap();
        let (_, hash) = config.split_once("hash = \"").unwrap();
        let hash = &hash[..32];
        replace(run, "run.toml", hash, &"a".repeat(32));
    });
    assert_eq!(board.get("/api/leaderboard", None)["rows"].as_array().unwrap().len(), 0);
    // Whoever failed may try again from the same files, with the same end.
    let list = board.get("/api/submissions", Some(&ada));
    let all = list["submissions"].as_array().unwrap();
    let edited = all.iter().find(|s| s["policyName"] == "edited-score").unwrap();
    let id = edited["id"].as_str().unwrap();
    let again = board.ask("POST", &format!("/api/submissions/{id}/retry"), Some(&ada), "");
    assert_eq!(again.status, 200, "{}", again.text());
    assert_eq!(board.ended(&ada, id)["problems"], edited["problems"]);
}

/// An archive with one entry, whatever its name and kind.
fn archive(name: &[u8], kind: tar::EntryType, link: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes()[..name.len()].copy_from_slice(name);
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    if !link.is_empty() {
        header.set_link_name(link).unwrap();
    }
    header.set_cksum();
    let mut out = header.as_bytes().to_vec();
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(512) + 1024, 0);
    out
}

#[test]
fn archives_write_nothing_but_a_run() {
    use tar::EntryType as Kind;
    let board = Board::start(
        "server-archives",
        &["--per-day", "100", "--max-unpacked", "4", "--max-upload", "1"],
    );
    let ada = board.administrator();
    let outside = board.data.parent().unwrap().join("outside");
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    bomb.write_all(&archive(b"video.mp4", Kind::Regular, "", &vec![0; 64 << 20])).unwrap();
    let whole = packed(run());
    let mut twice = archive(b"run.toml", Kind::Regular, "", b"a");
    twice.truncate(1024);
    twice.extend(archive(b"run.toml", Kind::Regular, "", b"b"));
    let mut two = archive(b"a/run.toml", Kind::Regular, "", b"a");
    two.truncate(1024);
    two.extend(archive(b"b/episodes.jsonl", Kind::Regular, "", b"b"));
    for (name, archive, words) in [
        ("bomb", bomb.finish().unwrap(), "more bytes than this server takes"),
        ("climbing", archive(b"../outside", Kind::Regular, "", b"x"), "not a path inside"),
        ("absolute", archive(b"/tmp/outside", Kind::Regular, "", b"x"), "not a path inside"),
        ("within", archive(b"traces/../../outside", Kind::Regular, "", b"x"), "not a path inside"),
        (
            "symlink",
            archive(b"run.toml", Kind::Symlink, "/etc/passwd", b""),
            "neither a file nor a folder",
        ),
        ("hardlink", archive(b"traces", Kind::Link, "/etc", b""), "neither a file nor a folder"),
        ("device", archive(b"run.toml", Kind::Char, "", b""), "neither a file nor a folder"),
        ("pipe", archive(b"run.toml", Kind::Fifo, "", b""), "neither a file nor a folder"),
        ("not-text", archive(b"\xff\xfe/run.toml", Kind::Regular, "", b"x"), "not text"),
        ("twice", twice, "is in the archive twice"),
        ("two-runs", two, "several runs"),
        ("foreign", archive(b"holiday.jpg", Kind::Regular, "", b"x"), "holds no run.toml"),
        ("cut", whole[..whole.len() / 2].to_vec(), "cannot be"),
        (
            "noise",
            b"these are plain words and not an archive, but long enough for a header".repeat(20),
            "cannot be read",
        ),
    ] {
        let reply = board.send(&ada, &[("policyName", name)], &archive);
        assert_eq!(reply.status, 201, "{name}: {}", reply.text());
        let s = board.ended(&ada, reply.json()["submissionId"].as_str().unwrap());
        assert_eq!(s["status"], "failed", "{name}: {s}");
        let said = s["problems"].to_string();
        assert!(said.contains(words), "{name} said {said}, without {words:?}");
        assert!(!outside.exists() && !Path::new("/tmp/outside").exists(), "{name}");
        let left: Vec<_> = std::fs::read_dir(board.data.join("runs")).unwrap().collect();
        assert!(left.is_empty(), "{name} left {left:?}");
    }
    // Larger than what is taken: refused while it arrives, and nothing stays.
    let large = board.send(&ada, &[("policyName", "large")], &vec![0; 2 << 20]);
    assert!(large.status == 413 || large.status == 0, "{large:?}");
    let drafts = std::fs::read_dir(board.data.join("uploads")).unwrap();
    let drafts =
        drafts.filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(drafts.count(), 0);
}
