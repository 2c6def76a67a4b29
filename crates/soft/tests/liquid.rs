//! Liquid against the textbook.

use longarm_soft::scenes::PourScene;
use longarm_soft::{Liquid, LiquidSpec, Shape, Solid};
use longarm_types::{DVec3, Digest, Pose, RunningHash};

const G: f64 = 9.81;
const D: f64 = 0.005;

fn run(liquid: &mut Liquid, solids: &mut [Solid], seconds: f64) {
    for _ in 0..libm::round(seconds / 2e-3) as usize {
        liquid.step(2e-3, solids);
    }
}

fn wall(lower: [f64; 3], upper: [f64; 3]) -> Solid {
    let (lower, upper) = (DVec3::from(lower), DVec3::from(upper));
    let middle = (lower + upper) / 2.0;
    let shape = Shape::Box { half: (upper - lower) / 2.0, round: 0.0 };
    Solid::new(shape, Pose::at(middle.x, middle.y, middle.z), 0.0)
}

/// A tank whose inside is [0, x] × [0, y] × [0, z], with walls of a thickness: floor, then the sides at
/// x = 0, the far x, y = 0, the far y.
fn tank([x, y, z]: [f64; 3], t: f64) -> Vec<Solid> {
    vec![
        wall([-t, -t, -t], [x + t, y + t, 0.0]),
        wall([-t, -t, 0.0], [0.0, y + t, z]),
        wall([x, -t, 0.0], [x + t, y + t, z]),
        wall([0.0, -t, 0.0], [x, 0.0, z]),
        wall([0.0, y, 0.0], [x, y + t, z]),
    ]
}

fn block(size: [f64; 3]) -> Liquid {
    block_of(D, size)
}

fn block_of(spacing: f64, size: [f64; 3]) -> Liquid {
    let places = Liquid::fill(DVec3::ZERO, DVec3::from(size), spacing);
    let places: Vec<_> = places.map(|p| (p, 0)).collect();
    Liquid::new(LiquidSpec { spacing, ..LiquidSpec::default() }, &places).unwrap()
}

/// Height of the surface: the mean height of particles at rest is half of it.
fn level(liquid: &Liquid) -> f64 {
    2.0 * liquid.positions().iter().map(|p| p.z).sum::<f64>() / liquid.positions().len() as f64
}

/// A floor carries ρ g depth, a wall half of that on average, and the volume is kept.
#[test]
fn pressure_is_that_of_the_depth() {
    press(D);
}

/// `cargo test -p longarm-soft --test liquid -- --ignored --nocapture`
#[test]
#[ignore = "half the spacing takes ten times as long"]
fn pressure_is_that_of_the_depth_at_half_the_spacing() {
    press(D / 2.0);
}

/// A box of half the liquid's density floats with half of it below the level beside it. The liquid stands higher
/// than its volume says, by 3 % for a box eight spacings wide: it stays away from edges.
#[test]
fn box_floats_as_archimedes_says() {
    float(D);
}

/// `cargo test -p longarm-soft --test liquid -- --ignored --nocapture`
#[test]
#[ignore = "half the spacing takes ten times as long"]
fn box_floats_as_archimedes_says_at_half_the_spacing() {
    float(D / 2.0);
}

fn float(spacing: f64) {
    let (wide, deep, edge, share) = (0.08, 0.06, 0.04, 0.5);
    let mut solids = tank([wide, wide, 0.12], 0.0015);
    let mut liquid = block_of(spacing, [wide, wide, deep]);
    let mass = share * 1000.0 * edge * edge * edge;
    let (mut bottom, mut speed) = (deep + 0.002, 0.0);
    let at = |bottom: f64| Pose::at(wide / 2.0, wide / 2.0, bottom + edge / 2.0);
    let shape = Shape::Box { half: DVec3::splat(edge / 2.0), round: 0.0 };
    solids.push(Solid::new(shape, at(bottom), 0.0));
    let (mut mean, mut level) = (0.0, 0.0);
    for k in 0..1500 {
        // As a world does it: what the last step felt moves the body in the next.
        speed += (solids[5].force.z / mass - G) * 2e-3;
        // It bobs for long otherwise.
        speed *= 0.98;
        bottom += speed * 2e-3;
        solids[5].advance(at(bottom));
        liquid.step(2e-3, &mut solids);
        if k >= 1250 {
            mean += bottom / 250.0;
            let beside = |p: &&DVec3| {
                let off = (**p - DVec3::splat(wide / 2.0)).truncate().abs().max_element();
                off > edge / 2.0 + spacing
            };
            let beside: Vec<f64> = liquid.positions().iter().filter(beside).map(|p| p.z).collect();
            level += 2.0 * beside.iter().sum::<f64>() / beside.len() as f64 / 250.0;
        }
    }
    let under = (level - mean) / edge;
    // What is under water follows from the volume, too.
    let displaced = (deep - mean) / (1.0 - edge * edge / (wide * wide)) / edge;
    println!("{under:.3} of the box is under water, {displaced:.3} by volume, Archimedes {share}");
    assert!((under - share).abs() < 0.05 * share, "{under}");
    assert!((displaced - share).abs() < 0.1 * share, "{displaced}");
}

fn press(spacing: f64) {
    let size = [0.05, 0.05, 0.06];
    let mut solids = tank([0.05, 0.05, 0.12], 0.0015);
    let mut liquid = block_of(spacing, size);
    run(&mut liquid, &mut solids, 0.6);
    let (mut floor, mut side) = (0.0, 0.0);
    let looks = 100;
    for _ in 0..looks {
        liquid.step(2e-3, &mut solids);
        floor -= solids[0].force.z / f64::from(looks);
        side += (solids[2].force.x - solids[1].force.x) / 2.0 / f64::from(looks);
    }
    let depth = size[2];
    let want = 1000.0 * G * depth;
    let (floor, side) = (floor / (size[0] * size[1]), side / (size[1] * depth));
    let volume = level(&liquid) / depth;
    println!(
        "floor {floor:.1} Pa, want {want:.1}; side {side:.1} Pa, want {:.1}; volume {volume:.4}",
        want / 2.0
    );
    assert!((floor - want).abs() < 0.03 * want, "{floor} {want}");
    assert!((side - want / 2.0).abs() < 0.05 * want, "{side} {want}");
    assert!((volume - 1.0).abs() < 0.02, "{volume}");
}

/// A column that is let go runs out as Martin and Moyce measured (1952, table 2, n² = 2).
#[test]
fn dam_breaks_as_measured() {
    let a = 0.055;
    let mut solids = tank([0.4, 0.03, 0.2], 0.005);
    let mut liquid = block([a, 0.03, 2.0 * a]);
    solids.push(wall([a, 0.0, 0.0], [a + 0.005, 0.03, 0.2]));
    run(&mut liquid, &mut solids, 0.3);
    solids.pop();
    let measured =
        [(1.19, 1.44), (1.63, 1.89), (1.98, 2.33), (2.32, 2.78), (2.65, 3.22), (2.98, 3.67)];
    let mut front = Vec::new();
    for k in 1..=140 {
        liquid.step(2e-3, &mut solids);
        // Of the outermost particles a few are spray.
        let mut out: Vec<f64> = liquid.positions().iter().map(|p| p.x).collect();
        out.sort_by(f64::total_cmp);
        let time = f64::from(k) * 2e-3 * libm::sqrt(2.0 * G / a);
        front.push((time, (out[out.len() - 1 - 6] + D / 2.0) / a));
    }
    let mut worst: f64 = 0.0;
    for (time, way) in measured {
        let (at, _) =
            front.iter().find(|(_, w)| *w >= way).copied().unwrap_or((f64::INFINITY, 0.0));
        println!("front at {way} column widths: {at:.2}, measured {time:.2}");
        worst = worst.max((at - time).abs() / time);
    }
    assert!(worst < 0.15, "{worst}");
}

/// Through a hole a tank empties as Torricelli says, with the contraction of a sharp edge.
#[test]
fn hole_lets_out_what_torricelli_says() {
    let (x, y, depth, hole) = (0.06, 0.06, 0.08, 0.03);
    let t = 0.0015;
    let mut solids = tank([x, y, 0.12], t);
    // A slot across the floor.
    let (a, b) = ((x - hole) / 2.0, (x + hole) / 2.0);
    solids[0] = wall([-t, -t, -t], [a, y + t, 0.0]);
    solids.push(wall([b, -t, -t], [x + t, y + t, 0.0]));
    solids.push(wall([a, -t, -t], [b, y + t, 0.0]));
    let mut liquid = block([x, y, depth]);
    run(&mut liquid, &mut solids, 0.3);
    solids.pop();
    let inside = |l: &Liquid| l.positions().iter().filter(|p| p.z > 0.0).count() as f64;
    let whole = inside(&liquid);
    let (mut time, mut marks) = (0.0, [0.0; 2]);
    while marks[1] == 0.0 && time < 2.0 {
        liquid.step(2e-3, &mut solids);
        time += 2e-3;
        let left = inside(&liquid) / whole;
        for (mark, share) in marks.iter_mut().zip([0.85, 0.35]) {
            if *mark == 0.0 && left < share {
                *mark = time;
            }
        }
    }
    let want = |c: f64| {
        (libm::sqrt(0.85 * depth) - libm::sqrt(0.35 * depth)) * libm::sqrt(2.0 / G) * (x / hole) / c
    };
    let took = marks[1] - marks[0];
    assert!((took - want(0.61)).abs() < 0.2 * want(0.61), "{took}");
    println!(
        "from 85 to 35 % in {took:.3} s; Torricelli {:.3} s, contracted by 0.61 {:.3} s",
        want(1.0),
        want(0.61)
    );
}

/// In a shaken cup with walls of 1.5 mm nothing is lost, and a saved liquid goes on to the bit.
#[test]
fn shaken_cup_does_not_leak() {
    shake(2.0);
}

/// `cargo test -p longarm-soft --test liquid -- --ignored`: a minute of simulated time.
#[test]
#[ignore = "a minute of simulated time"]
fn shaken_cup_does_not_leak_in_a_minute() {
    shake(60.0);
}

fn digest(liquid: &Liquid) -> Digest {
    let mut hash = RunningHash::default();
    liquid.digest(&mut hash);
    hash.digest()
}

fn shake(seconds: f64) {
    let mut solids = tank([0.04, 0.04, 0.15], 0.0015);
    let start: Vec<Pose> = solids.iter().map(|s| s.to).collect();
    let mut liquid = block([0.04, 0.04, 0.04]);
    let mut saved = None;
    let steps = libm::round(seconds / 2e-3) as u32;
    let way = |time: f64| {
        DVec3::new(
            0.02 * libm::sin(8.0 * time),
            0.01 * libm::sin(11.0 * time),
            0.01 * libm::sin(6.0 * time),
        )
    };
    let to = |solids: &mut Vec<Solid>, k: u32| {
        for (solid, pose) in solids.iter_mut().zip(&start) {
            solid.advance(Pose::new(pose.pos + way(f64::from(k) * 2e-3), pose.rot));
        }
    };
    for k in 0..steps {
        to(&mut solids, k + 1);
        if k + 100 == steps {
            let mut state = Vec::new();
            liquid.save(&mut state);
            saved = Some((state, solids.clone()));
        }
        liquid.step(2e-3, &mut solids);
    }
    let middle = way(f64::from(steps) * 2e-3);
    let lost = liquid.positions().iter().filter(|p| {
        let p = **p - middle;
        p.x < 0.0 || p.x > 0.04 || p.y < 0.0 || p.y > 0.04 || p.z < 0.0
    });
    let lost = lost.count();
    println!("{lost} of {} particles lost in {seconds} s", liquid.positions().len());
    assert_eq!(lost, 0);
    let mut still = liquid.clone();
    run(&mut still, &mut solids, 1.0);
    let volume = (level(&still) - 2.0 * middle.z) / 0.04;
    println!("volume {volume:.4} after it");
    assert!((volume - 1.0).abs() < 0.02, "{volume}");
    let last = digest(&liquid);
    let (state, mut solids) = saved.unwrap();
    let mut twin = block([0.04, 0.04, 0.04]);
    assert!(twin.restore(&state) && !twin.clone().restore(&state[1..]));
    for k in steps - 100..steps {
        if k > steps - 100 {
            to(&mut solids, k + 1);
        }
        twin.step(2e-3, &mut solids);
    }
    assert_eq!(digest(&twin), last);
}

/// From cup to cup little is spilled and nothing passes through walls.
#[test]
fn pour_ends_in_the_other_cup() {
    let mut scene = PourScene::new().unwrap();
    let count = scene.liquid.positions().len();
    while !scene.done() {
        scene.advance();
    }
    let share = scene.poured();
    println!("{count} particles, {share:.3} in the second cup, {:.3} in the first", scene.left());
    assert!(share > 0.9, "{share}");
    assert!(share + scene.left() > 0.97);
}

/// A thrown blob keeps its momentum.
#[test]
fn thrown_blob_keeps_momentum() {
    let spec = LiquidSpec { gravity: DVec3::ZERO, ..LiquidSpec::default() };
    let places: Vec<_> =
        Liquid::fill(DVec3::ZERO, DVec3::splat(0.03), 0.9 * D).map(|p| (p, 0)).collect();
    let mut liquid = Liquid::new(spec, &places).unwrap();
    for i in 0..places.len() {
        liquid.set_velocity(i, DVec3::new(0.3, 0.0, 0.1));
    }
    let before = liquid.momentum();
    run(&mut liquid, &mut [], 0.3);
    let off = (liquid.momentum() - before).length() / before.length();
    println!("momentum off by {off:.1e}");
    // Pairs are summed in single precision.
    assert!(off < 1e-5, "{off}");
}
