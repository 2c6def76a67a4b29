//! Statistics against scipy, statsmodels and exact distributions.

mod tables;

use longarm_results::stats::*;
use longarm_types::Seed;
use proptest::prelude::*;
use tables as reference;

fn near(got: f64, want: f64, tolerance: f64, what: &str) {
    assert!((got - want).abs() <= tolerance, "{what}: got {got}, want {want}");
}

#[test]
fn proportions_match_statsmodels_and_scipy() {
    for &(k, n, c, wl, wh, cl, ch) in reference::PROPORTIONS {
        let w = wilson(k, n, c);
        near(w.lo, wl, 1e-12, &format!("wilson lo {k}/{n} at {c}"));
        near(w.hi, wh, 1e-12, &format!("wilson hi {k}/{n} at {c}"));
        let e = clopper_pearson(k, n, c);
        near(e.lo, cl, 1e-10, &format!("clopper-pearson lo {k}/{n} at {c}"));
        near(e.hi, ch, 1e-10, &format!("clopper-pearson hi {k}/{n} at {c}"));
    }
    // The widths quoted in the reference notes.
    near(wilson(45, 50, 0.95).lo, 0.786, 5e-4, "90 % of 50");
    near(wilson(50, 50, 0.95).lo, 0.929, 5e-4, "all of 50");
}

#[test]
fn special_functions_match_scipy() {
    for &(a, b, x, want) in reference::BETA_INC {
        near(beta_inc(a, b, x), want, 1e-10 * want.max(1e-3), &format!("I_{x}({a}, {b})"));
    }
    for &(a, b, p, want) in reference::BETA_INC_INV {
        near(beta_inc_inv(a, b, p), want, 1e-11, &format!("inverse at {p} ({a}, {b})"));
    }
    for &(p, want) in reference::NORMAL_QUANTILE {
        near(normal_quantile(p), want, 1e-12 * want.abs().max(1.0), &format!("normal at {p}"));
        if p > 1e-200 {
            near(normal_cdf(normal_quantile(p)), p, 1e-12, "there and back");
        }
    }
    assert!(beta_inc(-1.0, 2.0, 0.5).is_nan() && normal_quantile(1.5).is_nan());
}

#[test]
fn tests_match_statsmodels() {
    for &(a, b, want) in reference::MCNEMAR {
        let got = mcnemar_exact(a, b);
        near(got, want, 1e-12_f64.max(1e-9 * want), &format!("mcnemar {a} {b}"));
        assert_eq!(got, mcnemar_exact(b, a));
    }
    for (p, want) in reference::HOLM {
        for (g, w) in holm(p).iter().zip(*want) {
            near(*g, *w, 1e-12, "holm");
        }
    }
    for &(x, mean, std, se) in reference::MOMENTS {
        let m = Moments::of(x);
        near(m.mean, mean, 1e-6, "mean");
        near(m.std, std, 1e-7, "std");
        near(m.se, se, 1e-7, "se");
    }
    for &(x, q, want) in reference::QUANTILES {
        near(quantile(x, q), want, 1e-12, "quantile");
    }
    for &(ks, ns, mean, lo, hi) in reference::MEAN_OF_PROPORTIONS {
        let tasks: Vec<_> = ks.iter().copied().zip(ns.iter().copied()).collect();
        let i = mean_of_proportions(&tasks, 0.95);
        near(i.mean, mean, 1e-12, "mean of proportions");
        near(i.lo, lo, 1e-10, "its lower end");
        near(i.hi, hi, 1e-10, "its upper end");
    }
}

fn zeros_and_ones(k: u64, n: u64) -> Vec<f64> {
    (0..n).map(|i| if i < k { 1.0 } else { 0.0 }).collect()
}

#[test]
fn bootstrap_finds_the_exact_quantiles() {
    let boot = Bootstrap { replicates: 200_000, ..Default::default() };
    for &(ks, ns, lo, hi) in reference::EXACT_BOOTSTRAP {
        let strata: Vec<_> = ks.iter().zip(ns).map(|(&k, &n)| zeros_and_ones(k, n)).collect();
        let i = boot.stratified_mean(&strata, "test");
        near(i.lo, lo, 1e-9, "lower end");
        near(i.hi, hi, 1e-9, "upper end");
    }
    for &(x, lo, hi) in reference::BCA {
        let boot = Bootstrap { method: BootstrapMethod::Bca, ..boot };
        let i = boot.stratified_mean(&[x.to_vec()], "test");
        let width = hi - lo;
        near(i.lo, lo, 0.01 * width, "BCa lower end");
        near(i.hi, hi, 0.01 * width, "BCa upper end");
    }
}

#[test]
fn bootstrap_is_a_function_of_its_seed() {
    let strata = vec![zeros_and_ones(3, 10), zeros_and_ones(20, 25), vec![], vec![1.0; 5]];
    let boot = Bootstrap::default();
    let first = boot.stratified_mean(&strata, "x");
    assert_eq!(first, boot.stratified_mean(&strata, "x"));
    assert_ne!(first, Bootstrap { seed: Seed(1), ..boot }.stratified_mean(&strata, "x"));
    near(first.mean, (0.3 + 0.8 + 1.0) / 3.0, 1e-12, "mean without the empty stratum");
    let flat = boot.stratified_mean(&[vec![1.0; 9]], "x");
    assert_eq!((flat.lo, flat.hi), (1.0, 1.0));
}

#[test]
fn betting_matches_brute_force() {
    for &(x, lo, hi, p) in reference::BETTING {
        let mut b = BettingMean::new();
        x.iter().for_each(|v| b.push(*v));
        let i = b.interval(0.95);
        near(i.lo, lo, 1e-9, "lower end");
        near(i.hi, hi, 1e-9, "upper end");
        near(b.p_value(0.5), p, 1e-10, "p");
    }
}

/// The promise is over all looks at once: simulate peeking after every episode.
#[test]
fn peeking_does_not_break_the_sequential_guarantee() {
    let runs = 2000;
    for p in [0.1, 0.5, 0.9] {
        let (mut missed, mut fixed_missed) = (0, 0);
        for run in 0..runs {
            let mut rng = Seed(run).stream("coverage");
            let (mut mean, mut k) = (BettingMean::new(), 0);
            let (mut out, mut fixed_out) = (false, false);
            for n in 1..=300_u64 {
                let success = rng.unit() < p;
                mean.push(if success { 1.0 } else { 0.0 });
                k += u64::from(success);
                let edge = (2.0_f64 / 0.05).ln();
                out |= mean.log_evidence_above(p) >= edge || mean.log_evidence_below(p) >= edge;
                let w = wilson(k, n, 0.95);
                fixed_out |= n >= 10 && !(w.lo..=w.hi).contains(&p);
            }
            missed += u64::from(out);
            fixed_missed += u64::from(fixed_out);
        }
        let (rate, fixed) = (missed as f64 / runs as f64, fixed_missed as f64 / runs as f64);
        assert!(rate <= 0.05, "confidence sequence missed {p} in {rate} of the runs");
        assert!(fixed > 0.15, "peeking at Wilson should show why: {fixed}");
    }
}

#[test]
fn sequential_comparison_is_honest_and_stops_early() {
    let play = |a: f64, b: f64, seed: u64, most: u64| {
        let mut rng = Seed(seed).stream("compare");
        let mut test = SequentialComparison::new(0.95);
        for n in 1..=most {
            // Shared seeds: a common difficulty makes the two correlated.
            let hard = rng.range(-0.2, 0.2);
            let x = f64::from(u8::from(rng.unit() < a + hard));
            let y = f64::from(u8::from(rng.unit() < b + hard));
            if test.push(x, y) != Verdict::Open {
                return (test.verdict(), n);
            }
        }
        (Verdict::Open, most)
    };
    let runs = 1000;
    let wrong = (0..runs).filter(|s| play(0.6, 0.6, *s, 400).0 != Verdict::Open).count();
    assert!(wrong as f64 <= 0.05 * runs as f64, "{wrong} of {runs} equal pairs were separated");
    let ends: Vec<_> = (0..200).map(|s| play(0.75, 0.45, s, 400)).collect();
    let right = ends.iter().filter(|e| e.0 == Verdict::First).count();
    let steps = ends.iter().map(|e| e.1).sum::<u64>() / 200;
    assert!(right >= 195, "only {right} of 200 found");
    assert!(steps < 150, "took {steps} episodes on average");
    assert!(ends.iter().all(|e| e.0 != Verdict::Second));
}

/// Coverage of the suite interval, also where a percentile bootstrap fails: few episodes, high
/// success.
#[test]
fn suite_interval_covers() {
    let runs = 2000;
    for (truth, n, bootstrap_fails) in [
        ([0.97, 0.95, 0.99, 0.9, 0.98], 10, true),
        ([0.97, 0.95, 0.99, 0.9, 0.98], 50, false),
        ([0.02, 0.5, 0.98, 0.6, 0.2], 10, false),
        ([0.0, 0.0, 1.0, 1.0, 0.5], 20, false),
        ([0.5, 0.5, 0.5, 0.5, 0.5], 5, false),
    ] {
        let mean = truth.iter().sum::<f64>() / 5.0;
        let (mut ours, mut boot) = (0, 0);
        for run in 0..runs {
            let mut rng = Seed(run).stream("suite");
            let mut play = |p: f64| ((0..n).filter(|_| rng.unit() < p).count() as u64, n);
            let tasks = truth.map(&mut play);
            let i = mean_of_proportions(&tasks, 0.95);
            ours += u64::from((i.lo..=i.hi).contains(&mean));
            let strata: Vec<_> = tasks.iter().map(|&(k, n)| zeros_and_ones(k, n)).collect();
            let b = Bootstrap { replicates: 300, ..Default::default() };
            let b = b.stratified_mean(&strata, "t");
            boot += u64::from((b.lo..=b.hi).contains(&mean));
        }
        let (ours, boot) = (ours as f64 / runs as f64, boot as f64 / runs as f64);
        println!("{truth:?} n {n}: {ours} against the bootstrap's {boot}");
        assert!(ours >= 0.93, "covers {ours} at {truth:?}");
        assert!(!bootstrap_fails || boot < 0.91, "the bootstrap covers {boot}");
    }
}

#[test]
fn letters_by_hand() {
    // 0 best; 0 differs from 2 and 3, 1 from 3, the rest do not.
    let pairs = [(0, 2), (0, 3), (1, 3)];
    let show = letters(&[0.9, 0.8, 0.6, 0.5], |i, j| pairs.contains(&(i, j)));
    assert_eq!(show, ["a", "ab", "bc", "c"]);
    assert_eq!(letters(&[0.5, 0.9], |_, _| false), ["a", "a"]);
    assert_eq!(letters(&[0.5, 0.9, 0.7], |_, _| true), ["c", "a", "b"]);
    assert!(letters(&[], |_, _| true).is_empty());
}

proptest! {
    #[test]
    fn letters_say_what_the_tests_say(
        estimates in prop::collection::vec(0.0..1.0f64, 1..9),
        bits in prop::collection::vec(any::<bool>(), 64),
    ) {
        let differ = |i: usize, j: usize| bits[i * 8 + j];
        let n = estimates.len().min(8);
        let shown = letters(&estimates[..n], differ);
        for i in 0..n {
            prop_assert!(!shown[i].is_empty());
            for j in i + 1..n {
                let share = shown[i].chars().any(|c| shown[j].contains(c));
                prop_assert_eq!(share, !differ(i, j));
            }
        }
    }

    #[test]
    fn intervals_hold_their_estimate(k in 0..400u64, more in 0..400u64, c in 0.5..0.999f64) {
        let n = k + more;
        for i in [wilson(k, n, c), clopper_pearson(k, n, c)] {
            prop_assert!(0.0 <= i.lo && i.lo <= i.mean && i.mean <= i.hi && i.hi <= 1.0);
        }
        let (w, e) = (wilson(k, n, c), clopper_pearson(n - k, n, c));
        prop_assert!((wilson(n - k, n, c).lo - (1.0 - w.hi)).abs() < 1e-12 || n == 0);
        prop_assert!((clopper_pearson(k, n, c).lo - (1.0 - e.hi)).abs() < 1e-10 || n == 0);
    }

    #[test]
    fn betting_ignores_order(mut x in prop::collection::vec(0.0..=1.0f64, 1..40)) {
        let fill = |x: &[f64]| {
            let mut b = BettingMean::new();
            x.iter().for_each(|v| b.push(*v));
            b
        };
        let a = fill(&x).interval(0.95);
        x.reverse();
        let b = fill(&x).interval(0.95);
        prop_assert!((a.lo - b.lo).abs() < 1e-12 && (a.hi - b.hi).abs() < 1e-12);
        prop_assert!(a.lo <= a.mean + 1e-9 && a.mean <= a.hi + 1e-9);
    }
}
