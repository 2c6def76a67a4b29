"""Independent references for tests/stats.rs.

    python -m venv v && v/bin/pip install scipy==1.17.1 statsmodels==0.15.0
    v/bin/python crates/results/tests/reference.py > crates/results/tests/tables/mod.rs

Nothing here imports or imitates longarm's code: scipy and statsmodels where they have the method,
brute force over exact distributions where they have not.
"""

import itertools
import math

import numpy as np
from scipy import optimize, special, stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint


def table(name, kind, rows):
    print(f"pub const {name}: &[{kind}] = &[")
    for r in rows:
        print("    (" + ", ".join(fmt(v) for v in r) + "),")
    print("];")


def fmt(v):
    if isinstance(v, (list, tuple, np.ndarray)):
        return "&[" + ", ".join(fmt(x) for x in v) + "]"
    if isinstance(v, (int, np.integer)):
        return str(v)
    return repr(float(v))


print("//! Written by reference.py; do not edit.\n\n#![allow(clippy::approx_constant, clippy::type_complexity, missing_docs)]\n")

counts = [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (7, 20), (45, 50), (50, 50), (180, 200),
          (450, 500), (1, 1000), (1800, 2000), (99_000, 100_000)]
rows = []
for (k, n), c in itertools.product(counts, (0.9, 0.95, 0.99)):
    w = proportion_confint(k, n, 1 - c, "wilson")
    b = stats.binomtest(k, n).proportion_ci(c, "exact")
    rows.append((k, n, c, max(w[0], 0.0), min(w[1], 1.0), b.low, b.high))
table("PROPORTIONS", "(u64, u64, f64, f64, f64, f64, f64)", rows)

rows = [(a, b, x, special.betainc(a, b, x))
        for a, b, x in [(0.5, 0.5, 0.3), (2, 3, 0.2), (2, 3, 0.8), (10, 1, 0.99), (1, 10, 1e-4),
                        (50, 950, 0.05), (50, 950, 0.07), (5000, 5000, 0.49), (99_001, 1000, 0.9903),
                        (0.01, 4, 1e-9), (300, 0.7, 0.999)]]
table("BETA_INC", "(f64, f64, f64, f64)", [tuple(map(float, r)) for r in rows])
rows = [(a, b, p, special.betaincinv(a, b, p))
        for a, b, p in [(0.5, 0.5, 0.3), (2, 3, 0.025), (10, 1, 0.975), (1, 10, 1e-6),
                        (50, 951, 0.025), (5000, 5001, 0.995), (99_000, 1001, 0.025), (3, 8, 0.5)]]
table("BETA_INC_INV", "(f64, f64, f64, f64)", [tuple(map(float, r)) for r in rows])
table("NORMAL_QUANTILE", "(f64, f64)",
      [(p, stats.norm.ppf(p)) for p in (1e-300, 1e-12, 1e-6, 0.005, 0.025, 0.3, 0.5, 0.8, 0.975, 1 - 1e-9)])

table("MCNEMAR", "(u64, u64, f64)",
      [(a, b, min(1.0, mcnemar([[0, a], [b, 0]], exact=True).pvalue))
       for a, b in [(0, 0), (1, 0), (0, 5), (5, 5), (6, 5), (10, 2), (3, 17), (25, 9), (120, 80),
                    (40, 0), (1200, 1050)]])

rows = []
for p in ([0.04], [0.01, 0.04, 0.03], [0.5, 0.6, 0.001], [0.02, 0.02, 0.02, 0.9], [0.2, 0.4, 0.9, 0.011, 0.049, 1e-9]):
    rows.append((p, multipletests(p, method="holm")[1]))
table("HOLM", "(&[f64], &[f64])", rows)

samples = [[3.0], [1.0, 2.0, 4.0], [0.0, 0.0, 100.0, 50.0], [1e8 + v for v in (0.1, 0.2, 0.3, 0.4)]]
table("MOMENTS", "(&[f64], f64, f64, f64)",
      [(s, np.mean(s), np.std(s, ddof=1) if len(s) > 1 else 0.0, stats.sem(s) if len(s) > 1 else 0.0)
       for s in samples])
table("QUANTILES", "(&[f64], f64, f64)",
      [(s, q, np.quantile(s, q)) for s in ([5.0], [1.0, 2.0, 4.0, 8.0]) for q in (0.0, 0.1, 0.5, 0.9, 1.0)])

# Mean of proportions: the score interval solved as an equation, at the effective sample size.
rows = []
for ks, ns in [([7], [10]), ([10, 10, 10], [10, 10, 10]), ([0, 5, 10], [10, 10, 10]), ([3, 40, 180], [5, 50, 200])]:
    ks, ns = np.array(ks), np.array(ns)
    m = np.mean(ks / ns)
    soft = (ks + 1) / (ns + 2)
    stratified = np.sum(soft * (1 - soft) / ns) / len(ns) ** 2
    pooled = np.mean(soft) * (1 - np.mean(soft)) * np.sum(1 / ns) / len(ns) ** 2
    size = 1 / (np.sum(1 / ns) / len(ns) ** 2) / min(1.0, stratified / pooled)
    z = stats.norm.ppf(0.975)
    f = lambda p: abs(m - p) - z * math.sqrt(p * (1 - p) / size)
    lo = optimize.brentq(f, 1e-12, m - 1e-12, xtol=1e-15) if m > 0 else 0.0
    hi = optimize.brentq(f, m + 1e-12, 1 - 1e-12, xtol=1e-15) if m < 1 else 1.0
    rows.append((ks, ns, m, lo, hi))
table("MEAN_OF_PROPORTIONS", "(&[u64], &[u64], f64, f64, f64)", rows)


# The exact bootstrap distribution of a stratified mean of 0/1 values: a convolution of binomials.
def exact_bootstrap(ks, ns, level):
    dist = {0.0: 1.0}
    for k, n in zip(ks, ns):
        step = stats.binom.pmf(np.arange(n + 1), n, k / n)
        new = {}
        for v, p in dist.items():
            for i, q in enumerate(step):
                key = round(v + i / n / len(ks), 12)
                new[key] = new.get(key, 0.0) + p * q
        dist = new
    values = sorted(dist)
    cdf = np.cumsum([dist[v] for v in values])
    at = int(np.searchsorted(cdf, level))
    # Distance to the nearest step says whether a simulation must land on this value.
    return values[at], float(min(abs(cdf[at] - level), abs((cdf[at - 1] if at else 0.0) - level)))


rows = []
for ks, ns in [([7], [10]), ([30], [50]), ([3, 8], [10, 10]), ([2, 9, 14], [10, 10, 20])]:
    lo, a = exact_bootstrap(ks, ns, 0.025)
    hi, b = exact_bootstrap(ks, ns, 0.975)
    assert min(a, b) > 1e-3, (ks, ns, a, b)
    rows.append((ks, ns, lo, hi))
table("EXACT_BOOTSTRAP", "(&[u64], &[u64], f64, f64)", rows)

# BCa with scipy, many replicates; the comparison is up to simulation error.
rng = np.random.default_rng(1)
rows = []
for n in (12, 30):
    x = np.round(rng.gamma(4.0, 1.0, n), 3)
    r = stats.bootstrap((x,), np.mean, n_resamples=400_000, method="BCa", rng=rng, batch=20_000)
    rows.append((x, r.confidence_interval.low, r.confidence_interval.high))
table("BCA", "(&[f64], f64, f64)", rows)

# The betting confidence sequence: capital in plain products, ends by scipy's root finder.
BETS = [0.003, 0.005, 0.008, 0.012, 0.018, 0.026, 0.038, 0.055, 0.08, 0.11, 0.15, 0.2, 0.27, 0.35,
        0.45, 0.56, 0.68, 0.8, 0.9, 0.98]


def capital(x, m):
    return np.mean([np.prod([1 + c * (v / m - 1) for v in x]) for c in BETS])


rows = []
for x in ([1.0], [0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0], [1.0] * 30, [0.5] * 20 + [0.75] * 20, [0.0] * 9 + [1.0] * 3):
    f = lambda m: capital(x, m) - 40
    g = lambda m: capital([1 - v for v in x], m) - 40
    lo = optimize.brentq(f, 1e-9, 1 - 1e-9, xtol=1e-14) if f(1e-9) > 0 > f(1 - 1e-9) else 0.0
    hi = 1 - optimize.brentq(g, 1e-9, 1 - 1e-9, xtol=1e-14) if g(1e-9) > 0 > g(1 - 1e-9) else 1.0
    two = 0.5 * (capital(x, 0.5) + capital([1 - v for v in x], 0.5))
    rows.append((x, lo, hi, min(1.0, 1 / two)))
table("BETTING", "(&[f64], f64, f64, f64)", rows)
