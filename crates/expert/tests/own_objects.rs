//! The tasks of docs/own-tasks.md with objects from files: the expert solves them.

use longarm_catalogue::Catalogue;
use longarm_expert::{Expert, Memory};
use longarm_sim::{Env, EnvSettings};
use longarm_types::Seed;

/// Writes the files of the page.
fn follow(dir: &std::path::Path) {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/own-tasks.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some((_, file)) = line.strip_prefix("```").and_then(|l| l.split_once(" title=")) else {
            continue;
        };
        let text: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
        let path = dir.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.join("\n") + "\n").unwrap();
    }
}

#[test]
fn the_expert_takes_objects_it_has_never_seen() {
    let dir = std::env::temp_dir().join(format!("longarm-own-{}", std::process::id()));
    follow(&dir);
    let found = Catalogue::default().select(&[dir.join("mine").to_str().unwrap()]).unwrap();
    assert_eq!(found.len(), 2);
    for f in found {
        let horizon = f.task.horizon;
        for seed in 0..3 {
            let mut env = Env::new(f.task.clone(), EnvSettings::default()).unwrap();
            env.reset(Seed(seed)).unwrap();
            let mut expert = Expert::new(Memory::Whole);
            expert.begin(&mut env).unwrap();
            let mut steps = 0;
            while env.tracker().status().score() < 100.0 && steps < horizon {
                let action = expert.act(&mut env).unwrap();
                env.step(&action).unwrap();
                steps += 1;
            }
            let score = env.tracker().status().score();
            assert_eq!(score, 100.0, "{} seed {seed} after {steps} steps", f.task.id);
            println!("{} seed {seed}: {steps} steps of {horizon}", f.task.id);
        }
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
