//! Cloth against the textbook.

use longarm_soft::{Cloth, ClothSpec, Shape, Sheet, Solid};
use longarm_types::{DQuat, DVec3, Pose};

const G: f64 = 9.81;

/// Steps among solids that stand still.
fn run(cloth: &mut Cloth, solids: &mut [Solid], seconds: f64) {
    for _ in 0..(seconds / 2e-3) as usize {
        cloth.step(2e-3, solids);
    }
}

fn square(spec: ClothSpec, edge: f64, n: usize, place: impl Fn(DVec3) -> DVec3) -> Cloth {
    Cloth::new(spec, &Sheet::rectangle([edge, edge], n, n), place).unwrap()
}

fn mean(cloth: &Cloth) -> DVec3 {
    cloth.positions().iter().sum::<DVec3>() / cloth.positions().len() as f64
}

/// Hung from an edge, a cloth stretches by at most 3 %, from two corners by no more on average.
#[test]
fn own_weight_stretches_little() {
    for n in [24, 32] {
        let upright = |p: DVec3| DVec3::new(p.x, 0.0, p.y);
        let mut cloth = square(ClothSpec::default(), 0.28, n, upright);
        for i in 0..n {
            cloth.hold(n * (n - 1) + i);
        }
        run(&mut cloth, &mut [], 1.0);
        let strain = cloth.strain();
        println!("hung by an edge, {n}: {strain:?}");
        assert!(strain.most <= 0.03, "{strain:?}");
        let mut cloth = square(ClothSpec::default(), 0.28, n, upright);
        cloth.hold(n * (n - 1));
        cloth.hold(n * n - 1);
        run(&mut cloth, &mut [], 1.5);
        let strain = cloth.strain();
        println!("hung by two corners, {n}: {strain:?}");
        assert!(strain.mean <= 0.03, "{strain:?}");
    }
}

/// Tip of a strip that is clamped level and bends by its own weight: the heavy elastica
/// B θ'' = w (l − s) cos θ, by shooting. Returns how far the tip is out and down.
fn elastica(rigidity: f64, weight: f64, length: f64) -> [f64; 2] {
    let shoot = |curvature: f64| {
        let n = 4000;
        let ds = length / f64::from(n);
        let (mut angle, mut bend, mut out, mut down) = (0.0, curvature, 0.0, 0.0);
        for i in 0..n {
            let s = (f64::from(i) + 0.5) * ds;
            let middle = angle + bend * ds / 2.0;
            out += libm::cos(middle) * ds;
            down += libm::sin(middle) * ds;
            bend -= weight * (length - s) * libm::cos(middle) / rigidity * ds;
            angle += bend * ds;
        }
        (bend, out, down)
    };
    let (mut low, mut high) = (0.0, weight * length * length / rigidity);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if shoot(middle).0 > 0.0 { high = middle } else { low = middle }
    }
    let (_, out, down) = shoot(low);
    [out, down]
}

/// A clamped strip bends as beam theory says.
#[test]
fn cantilever_bends_as_a_beam() {
    let (cell, cells) = (0.009, 12);
    let mut off = Vec::new();
    for rigidity in [4e-5, 1e-4] {
        let spec =
            ClothSpec { bending: rigidity, bending_time: 0.02, drag: 4.0, ..ClothSpec::default() };
        let weight = spec.density * G;
        let sheet =
            Sheet::rectangle([cell * f64::from(cells + 2), cell * 4.0], cells as usize + 3, 5);
        let mut cloth = Cloth::new(spec, &sheet, |p| p).unwrap();
        let columns = cells as usize + 3;
        for j in 0..5 {
            for i in 0..3 {
                cloth.hold(j * columns + i);
            }
        }
        run(&mut cloth, &mut [], 3.0);
        let tip = (0..5).map(|j| cloth.positions()[j * columns + columns - 1]).sum::<DVec3>() / 5.0;
        // A hinge stands for half a cell on either side: at the clamp one half is in it.
        let length = cell * (f64::from(cells) + 0.5);
        let root = sheet.vertices[2] - DVec3::X * (cell / 2.0);
        let (out, down) = (tip.x - root.x, root.z - tip.z);
        let [want_out, want_down] = elastica(rigidity, weight, length);
        println!(
            "B {rigidity}: out {out:.4} (beam {want_out:.4}), down {down:.4} (beam {want_down:.4})"
        );
        off.push((down - want_down).abs() / length);
        off.push((out - want_out).abs() / length);
    }
    assert!(off.iter().all(|o| *o < 0.05), "{off:?}");
}

/// On a slope a cloth rests below the friction angle and slides above it as Coulomb says.
#[test]
fn slides_at_the_friction_angle() {
    let friction = 0.5;
    for (slope, slides) in [(0.9, false), (0.97, false), (1.03, true), (1.2, true)] {
        let angle = libm::atan(friction * slope);
        let tilt = DQuat::from_rotation_y(angle);
        let spec = ClothSpec { drag: 0.0, ..ClothSpec::default() };
        let lift = DVec3::Z * spec.radius;
        let mut cloth = square(spec, 0.15, 16, |p| tilt * (p + lift));
        let pose = Pose::new(DVec3::ZERO, tilt);
        let mut solids = [Solid::new(Shape::Plane, pose, friction)];
        let start = mean(&cloth);
        run(&mut cloth, &mut solids, 1.0);
        let way = (mean(&cloth) - start).length();
        let force = solids[0].force;
        let want = G * (libm::sin(angle) - friction * libm::cos(angle)).max(0.0) / 2.0;
        println!("slope {slope}: slid {way:.5} m in 1 s (Coulomb {want:.5}), load {force:.4}");
        if slides {
            assert!((way - want).abs() < 0.05 * want + 0.002, "{way} {want}");
        } else {
            assert!(way < 0.001, "{way}");
        }
    }
}

/// Jaws hold what two friction coefficients times their force carry, and no more.
#[test]
fn grip_carries_friction_times_force() {
    let n = 24;
    for (share, holds) in [(0.9, false), (1.1, true), (20.0, true)] {
        let spec = ClothSpec::default();
        let mut cloth = square(spec.clone(), 0.28, n, |p| DVec3::new(p.x, 0.0, p.y));
        let weight = cloth.mass() * G;
        let friction = 0.5;
        let half = DVec3::new(0.012, 0.003, 0.010);
        let shape = Shape::Box { half, round: 0.001 };
        let jaw = |side: f64| {
            let at = Pose::at(0.0, side * (half.y + spec.radius), 0.14 - 0.008);
            let mut jaw = Solid::new(shape.clone(), at, friction);
            jaw.grip = DVec3::Y * (-side * share * weight / (2.0 * friction));
            jaw
        };
        let mut solids = [jaw(1.0), jaw(-1.0)];
        let top = n * (n - 1) + n / 2;
        // First it comes to rest in a firm grip: dropped into the jaws, it would pull twice as hard.
        let grips = solids.each_ref().map(|s| s.grip);
        solids.iter_mut().for_each(|s| s.grip = s.grip.normalize() * 5.0);
        run(&mut cloth, &mut solids, 1.5);
        for (solid, grip) in solids.iter_mut().zip(grips) {
            solid.grip = grip;
        }
        let start = cloth.positions()[top].z;
        run(&mut cloth, &mut solids, 1.0);
        let slip = start - cloth.positions()[top].z;
        let load = solids[0].force + solids[1].force;
        println!(
            "grip {share}: slip {slip:.5} m, load {load:.4}, weight {weight:.4}, {:?}",
            cloth.strain()
        );
        if holds {
            assert!(slip < 0.001, "{slip}");
            assert!((load.z + weight).abs() < 0.1 * weight, "{load} {weight}");
        } else {
            assert!(slip > 0.02, "{slip}");
        }
    }
}

/// A cloth that is thrown keeps momentum, and its energy does not grow.
#[test]
fn thrown_cloth_keeps_momentum_and_gains_no_energy() {
    let spec = ClothSpec { gravity: DVec3::ZERO, drag: 0.0, ..ClothSpec::default() };
    let mut cloth = square(spec, 0.28, 24, |p| p);
    let places = cloth.positions().to_vec();
    for (i, p) in places.iter().enumerate() {
        let wave = 0.5 * libm::sin(30.0 * p.x) * libm::cos(20.0 * p.y);
        let v = DVec3::new(0.2, 0.0, 0.1 + wave) + DVec3::new(0.0, 0.0, 2.0).cross(*p);
        cloth.set_velocity(i, v);
    }
    let (momentum, spin, mut energy) = (cloth.momentum(), cloth.angular_momentum(), cloth.energy());
    let area = cloth.area();
    let (first, mut most, mut widest): (f64, f64, f64) = (energy, 0.0, area);
    for _ in 0..500 {
        cloth.step(2e-3, &mut []);
        let now = cloth.energy();
        most = most.max(now / first);
        energy = now;
        widest = widest.max(cloth.area());
    }
    let drift = (cloth.momentum() - momentum).length() / momentum.length();
    let turn = (cloth.angular_momentum() - spin).length() / spin.length();
    println!(
        "momentum off by {drift:.2e}, spin by {turn:.2e}, energy at most {most:.4} of the first, {:.4} at last, area at most {:.4}",
        energy / first,
        widest / area
    );
    assert!(drift < 1e-9 && turn < 0.02, "{drift} {turn}");
    assert!(most < 1.001, "{most}");
    assert!(widest < 1.02 * area, "{widest} {area}");
}

/// A cloth at rest on a table weighs what it weighs.
#[test]
fn table_feels_the_weight() {
    let spec = ClothSpec::default();
    let mut cloth = square(spec.clone(), 0.28, 24, |p| p + DVec3::Z * (spec.radius + 0.01));
    let mut solids = [Solid::new(Shape::Plane, Pose::IDENTITY, 0.5)];
    run(&mut cloth, &mut solids, 1.0);
    let mut sum = DVec3::ZERO;
    for _ in 0..100 {
        cloth.step(2e-3, &mut solids);
        sum += solids[0].force / 100.0;
    }
    let weight = cloth.mass() * G;
    println!("table feels {sum:.6}, weight {weight:.6}");
    assert!((sum.z + weight).abs() < 0.01 * weight, "{sum} {weight}");
    assert!(sum.x.abs() + sum.y.abs() < 0.01 * weight);
    assert!(cloth.speed() < 0.005, "{}", cloth.speed());
}
