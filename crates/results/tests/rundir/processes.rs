//! Several processes and one run directory.

use super::*;

/// Not a test: what the processes started below do.
#[test]
fn child_process() {
    let Some(dir) = std::env::var_os("LONGARM_TEST_CHILD") else { return };
    let config = made_up::config("expert", 30, 0);
    let run = RunDir::open_resume(dir.as_ref(), &config).unwrap();
    let done = run.finished();
    for row in made_up::rows(&config, 0.9, 0.9) {
        if !done.contains(&(row.episode.task.clone(), row.episode.seed)) {
            run.append(&row).unwrap();
            std::thread::sleep(Duration::from_micros(300));
        }
    }
    run.finish().unwrap();
    if std::env::var_os("LONGARM_TEST_HOLD").is_some() {
        println!("holding");
        std::thread::sleep(Duration::from_secs(60));
    }
}

fn child(dir: &Path) -> Command {
    let mut c = Command::new(std::env::current_exe().unwrap());
    c.args(["processes::child_process", "--exact", "--nocapture"]).env("LONGARM_TEST_CHILD", dir);
    c.stdout(Stdio::null()).stderr(Stdio::null());
    c
}

#[test]
fn killed_thirty_times_it_ends_like_an_undisturbed_run() {
    let dir = fresh("kill");
    assert!(child(&dir.join("calm")).status().unwrap().success());
    let mut rng = Seed(3).stream("kills");
    for _ in 0..30 {
        let mut c = child(&dir.join("killed")).spawn().unwrap();
        std::thread::sleep(Duration::from_secs_f64(rng.range(0.0, 0.04)));
        c.kill().unwrap();
        c.wait().unwrap();
    }
    assert!(child(&dir.join("killed")).status().unwrap().success());
    for file in [EPISODES, "results.json", "run.toml"] {
        let read = |d: &str| std::fs::read(dir.join(d).join(file)).unwrap();
        assert!(read("calm") == read("killed"), "{file} differs");
    }
}

#[test]
fn one_writer_at_a_time() {
    let dir = fresh("lock").join("r");
    let config = made_up::config("expert", 30, 0);
    let mut c = child(&dir).env("LONGARM_TEST_HOLD", "1").spawn().unwrap();
    while !dir.join("results.json").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let e = RunDir::open_resume(&dir, &config).unwrap_err();
    assert!(matches!(e, Error::Locked { .. }), "{e}");
    assert!(e.to_string().contains(&format!("process {}", c.id())), "{e}");
    let e = merge(std::slice::from_ref(&dir), &dir.join("../m")).unwrap_err();
    assert!(matches!(e, Error::Locked { .. }), "{e}");
    // Looking is allowed.
    assert!(Run::read(&dir).unwrap().results.complete);
    c.kill().unwrap();
    c.wait().unwrap();
    let run = RunDir::open_resume(&dir, &config).unwrap();
    let e = RunDir::open_resume(&dir, &config).unwrap_err().to_string();
    assert!(e.contains(&format!("process {}", std::process::id())), "{e}");
    drop(run);
    RunDir::open_resume(&dir, &config).unwrap();
}

/// Processes that start meanwhile have copies of all our open files between their fork and their exec.
#[test]
fn a_lock_ends_with_its_holder_while_other_threads_start_processes() {
    let dir = fresh("spawn");
    let done = AtomicBool::new(false);
    let refused = std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    assert!(Command::new("true").status().unwrap().success());
                }
            });
        }
        let refused = (0..2000).filter(|_| Lock::take(&dir).is_err()).count();
        done.store(true, Ordering::Relaxed);
        refused
    });
    assert_eq!(refused, 0, "of 2000 times the directory was in use though nobody used it");
}
