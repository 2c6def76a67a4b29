//! The few special functions the statistics need.

use libm::{erfc, exp, fabs, lgamma, log, log1p, sqrt};

/// The standard normal distribution function.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * erfc(-x / std::f64::consts::SQRT_2)
}

/// The standard normal quantile (Wichura's AS 241, about 1e-16 relative).
///
/// Returns infinities at 0 and 1, NaN outside.
pub fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    if p == 1.0 {
        return f64::INFINITY;
    }
    let poly = |c: &[f64; 8], x: f64| c.iter().rev().fold(0.0, |acc, &k| acc * x + k);
    let q = p - 0.5;
    if fabs(q) <= 0.425 {
        let r = 0.180625 - q * q;
        return q * poly(&CENTRE.0, r) / poly(&CENTRE.1, r);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = sqrt(-log(tail));
    let value = if r <= 5.0 {
        poly(&MIDDLE.0, r - 1.6) / poly(&MIDDLE.1, r - 1.6)
    } else {
        poly(&TAIL.0, r - 5.0) / poly(&TAIL.1, r - 5.0)
    };
    if q < 0.0 { -value } else { value }
}

type Rational = ([f64; 8], [f64; 8]);
const CENTRE: Rational = (
    [
        3.387_132_872_796_366_608,
        133.141_667_891_784_377_45,
        1_971.590_950_306_551_442_7,
        13_731.693_765_509_461_125,
        45_921.953_931_549_871_457,
        67_265.770_927_008_700_853,
        33_430.575_583_588_128_105,
        2_509.080_928_730_122_672_7,
    ],
    [
        1.0,
        42.313_330_701_600_911_252,
        687.187_007_492_057_908_3,
        5_394.196_021_424_751_107_7,
        21_213.794_301_586_595_867,
        39_307.895_800_092_710_61,
        28_729.085_735_721_942_674,
        5_226.495_278_852_854_561,
    ],
);
const MIDDLE: Rational = (
    [
        1.423_437_110_749_683_577_34,
        4.630_337_846_156_545_295_9,
        5.769_497_221_460_691_405_5,
        3.647_848_324_763_204_605_04,
        1.270_458_252_452_368_382_58,
        0.241_780_725_177_450_611_77,
        2.272_384_498_926_918_458_33e-2,
        7.745_450_142_783_414_076_4e-4,
    ],
    [
        1.0,
        2.053_191_626_637_758_821_87,
        1.676_384_830_183_803_849_4,
        0.689_767_334_985_100_004_55,
        0.148_103_976_427_480_074_59,
        1.519_866_656_361_645_719_66e-2,
        5.475_938_084_995_344_946e-4,
        1.050_750_071_644_416_843_24e-9,
    ],
);
const TAIL: Rational = (
    [
        6.657_904_643_501_103_777_2,
        5.463_784_911_164_114_369_9,
        1.784_826_539_917_291_335_8,
        0.296_560_571_828_504_891_23,
        2.653_218_952_657_612_309_3e-2,
        1.242_660_947_388_078_438_6e-3,
        2.711_555_568_743_487_578_15e-5,
        2.010_334_399_292_288_132_65e-7,
    ],
    [
        1.0,
        0.599_832_206_555_887_937_69,
        0.136_929_880_922_735_805_31,
        1.487_536_129_085_061_485_25e-2,
        7.868_691_311_456_132_591e-4,
        1.846_318_317_510_054_681_8e-5,
        1.421_511_758_316_445_888_7e-7,
        2.044_263_103_389_939_785_64e-15,
    ],
);

fn ln_beta(a: f64, b: f64) -> f64 {
    lgamma(a) + lgamma(b) - lgamma(a + b)
}

/// The regularized incomplete beta function I_x(a, b), for a, b > 0.
///
/// By the continued fraction, evaluated on the side where it converges fast.
pub fn beta_inc(a: f64, b: f64, x: f64) -> f64 {
    if !(a > 0.0 && b > 0.0) || x.is_nan() {
        return f64::NAN;
    }
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = exp(a * log(x) + b * log1p(-x) - ln_beta(a, b));
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(a, b, x) / a
    } else {
        1.0 - front * fraction(b, a, 1.0 - x) / b
    }
}

/// The continued fraction of the incomplete beta function, by the modified Lentz method.
fn fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let nudge = |v: f64| if fabs(v) < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / nudge(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    // Convergence takes about the square root of the larger parameter.
    for m in 1..100_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nudge(1.0 + even * d);
        c = nudge(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nudge(1.0 + odd * d);
        c = nudge(1.0 + odd / c);
        let step = d * c;
        h *= step;
        if fabs(step - 1.0) < 1e-16 {
            break;
        }
    }
    h
}

/// The x with I_x(a, b) = p.
///
/// Newton steps kept inside a shrinking bracket, so that it always ends.
pub fn beta_inc_inv(a: f64, b: f64, p: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&p)) {
        return f64::NAN;
    }
    if p == 0.0 || p == 1.0 {
        return p;
    }
    let norm = ln_beta(a, b);
    let (mut lo, mut hi) = (0.0, 1.0);
    let mut x = a / (a + b);
    for _ in 0..200 {
        let error = beta_inc(a, b, x) - p;
        if error == 0.0 {
            break;
        }
        if error < 0.0 {
            lo = x;
        } else {
            hi = x;
        }
        let density = exp((a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - norm);
        let newton = x - error / density;
        let next = if newton > lo && newton < hi { newton } else { 0.5 * (lo + hi) };
        if fabs(next - x) <= 1e-16 * next {
            return next;
        }
        x = next;
    }
    x
}
