//! `cargo xtask fuzz compile [SECONDS]`: objects with wild but allowed numbers, through the reader of
//! users' files and then MuJoCo's compiler and a second of simulation, in a child process. What
//! crashes the child must become a refusal of the reader: the object is left as `fuzz-crash.xml`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio, exit};
use std::time::{Duration, Instant};

use longarm_assets::{Asset, Instance, RigName, Structure, outside};
use longarm_sim::World;
use longarm_types::{Rng, Seed};

/// A number of the kind that breaks compilers: tiny, huge, equal, negative.
fn wild(rng: &mut Rng, least: f64, most: f64) -> f64 {
    match rng.below(6) {
        0 => least,
        1 => most,
        2 => least * 1.000001,
        _ => {
            let t = rng.unit();
            libm::exp(libm::log(least.max(1e-9)) * (1.0 - t) + libm::log(most) * t)
        }
    }
}

fn geom(rng: &mut Rng) -> String {
    let kinds = ["box", "sphere", "cylinder", "capsule", "ellipsoid", "mesh"];
    let kind = kinds[rng.below(kinds.len())];
    let mut size = || wild(rng, 1e-5, 5.0);
    let size = format!("{} {} {}", size(), size(), size());
    let pos: Vec<String> = (0..3).map(|_| (wild(rng, 1e-6, 100.0) - 1.0).to_string()).collect();
    let quat: Vec<String> = (0..4).map(|_| (rng.unit() - 0.5 + 1e-3).to_string()).collect();
    let shape = if kind == "mesh" {
        "type=\"mesh\" mesh=\"m\"".to_owned()
    } else {
        format!("type=\"{kind}\" size=\"{size}\"")
    };
    let (density, friction) = (wild(rng, 1e-3, 30_000.0), wild(rng, 1e-6, 10.0));
    format!(
        "<geom {shape} pos=\"{}\" quat=\"{}\" density=\"{density}\" friction=\"{friction}\" condim=\"{}\"/>",
        pos.join(" "),
        quat.join(" "),
        [1, 3, 4, 6][rng.below(4)],
    )
}

fn mesh(rng: &mut Rng) -> String {
    let n = 4 + rng.below(30);
    let flat = rng.below(4) == 0;
    let mut out = String::new();
    for _ in 0..n {
        let z = if flat { 1e-7 * rng.unit() } else { wild(rng, 1e-6, 5.0) };
        out += &format!("v {} {} {z}\n", wild(rng, 1e-6, 5.0), wild(rng, 1e-6, 5.0));
    }
    for _ in 0..4 + rng.below(60) {
        let mut i = || 1 + rng.below(n);
        out += &format!("f {} {} {}\n", i(), i(), i());
    }
    out
}

/// The object of a number, as files.
fn files(seed: u64) -> BTreeMap<String, Vec<u8>> {
    let mut rng = Seed(seed).stream("fuzz compile");
    let rng = &mut rng;
    let mut body = String::new();
    for _ in 0..=rng.below(4) {
        body += &geom(rng);
    }
    for k in 0..rng.below(3) {
        let (kind, range) = [("hinge", 3.0), ("slide", 1.0)][rng.below(2)];
        let (lo, hi) = (-range * rng.unit(), wild(rng, 1e-6, range));
        let damping = wild(rng, 1e-9, 1000.0);
        let own = geom(rng);
        body += &format!(
            "<body name=\"p{k}\"><joint type=\"{kind}\" axis=\"1 0 {}\" range=\"{lo} {hi}\" damping=\"{damping}\"/>{own}</body>",
            rng.unit()
        );
    }
    let model = format!(
        "<mujoco><compiler angle=\"radian\"/><asset><mesh name=\"m\" file=\"m.obj\"/></asset>\
         <worldbody><body>{body}</body></worldbody></mujoco>"
    );
    let fixed = rng.below(3) == 0;
    let toml = format!(
        "noun = \"o\"\nmodel = \"o.xml\"\nfixed = {fixed}\nmass = {}\n",
        wild(rng, 0.001, 50.0)
    );
    [("o.toml", toml), ("o.xml", model), ("m.obj", mesh(rng))]
        .map(|(name, text)| (name.to_owned(), text.into_bytes()))
        .into()
}

/// Compiles and runs objects from `first` on, saying each number before it is tried.
fn child(first: u64, seconds: u64) {
    let started = Instant::now();
    let rig =
        RigName::all().into_iter().find(|r| r.as_str() == "panda").unwrap_or(RigName::all()[0]);
    let mut out = std::io::stdout().lock();
    let mut seed = first;
    while started.elapsed() < Duration::from_secs(seconds) {
        let asset: Result<Asset, _> = outside::from_files("o.toml", files(seed));
        let passed = asset.is_ok();
        let _ = writeln!(out, "{seed} {}", u8::from(passed));
        let _ = out.flush();
        if let Ok(asset) = asset {
            let instances = vec![Instance { name: "o".into(), asset }];
            // Refused or not: it must come back.
            let _ = World::new(&Structure { rig: rig.rig(), instances });
        }
        seed += 1;
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, first, seconds] = &args[..]
        && mode == "--child"
    {
        return child(first.parse().unwrap_or(0), seconds.parse().unwrap_or(0));
    }
    let seconds: u64 = args.first().map_or(300, |a| a.parse().unwrap_or(300));
    let started = Instant::now();
    let (mut first, mut tried, mut passed, mut crashes) = (0u64, 0u64, 0u64, 0u64);
    while started.elapsed() < Duration::from_secs(seconds) {
        let left = seconds - started.elapsed().as_secs().min(seconds);
        let program = std::env::current_exe().expect("this program has a path");
        let mut child = Command::new(program)
            .args(["--child", &first.to_string(), &left.max(1).to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("starts itself");
        let mut last = first;
        for line in
            BufReader::new(child.stdout.take().expect("piped")).lines().map_while(Result::ok)
        {
            if let Some((seed, ok)) = line.split_once(' ') {
                last = seed.parse().unwrap_or(last);
                tried += 1;
                passed += u64::from(ok == "1");
            }
        }
        let status = child.wait().expect("a child ends");
        if status.success() {
            break;
        }
        crashes += 1;
        eprintln!("object {last} ends MuJoCo's compiler with {status}");
        for (name, bytes) in files(last) {
            let _ = std::fs::write(format!("fuzz-crash-{name}"), bytes);
        }
        first = last + 1;
    }
    println!(
        "{tried} objects in {seconds} s, {passed} passed the allow-list, {crashes} crashes of the compiler"
    );
    if crashes > 0 {
        exit(1);
    }
}
