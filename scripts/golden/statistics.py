"""Reference values for src/stats, computed by numpy, scipy and statsmodels.

    python scripts/golden/statistics.py > tests/golden/statistics.json

Needs numpy, scipy and statsmodels. The bootstrap-t of scipy's samples has no public reference implementation here, so it is
written from its definition with 400,000 resamples, and compared within the error of resampling.
"""

import json

import numpy as np
import scipy
from scipy import stats
from statsmodels.stats.multitest import multipletests

SAMPLES = {
    "even": [0.11, -0.04, 0.07, 0.02, 0.15, -0.01, 0.05, 0.09],
    "skewed": [0.0, 0.01, 0.02, 0.03, 0.01, 0.02, 0.6, 0.02, 0.01, 0.03, 0.0, 0.02],
    "wide": [3.0, -12.0, 5.5, 8.0, -2.0, 17.0, 4.0, -6.5, 9.0, 1.0, 12.0, -3.5, 6.0, 2.5, 7.0, 0.5, 10.0, -1.0, 4.5, 8.5],
    "five": [1.0, 2.0, 4.0, 8.0, 16.0],
}
P_VALUES = [[0.01, 0.04, 0.03, 0.005], [0.2, 0.001, 0.8, 0.05, 0.02, 0.02], [0.5]]
MANY = 400_000


def bootstrap_t(values, rng):
    n = len(values)
    mean, error = values.mean(), values.std(ddof=1) / np.sqrt(n)
    drawn = values[rng.integers(0, n, size=(MANY, n))]
    spread = drawn.std(axis=1, ddof=1) / np.sqrt(n)
    away = drawn.mean(axis=1) - mean
    with np.errstate(divide="ignore", invalid="ignore"):
        pivots = np.where(np.abs(away) < 1e-12, 0.0, away / np.where(spread < 1e-12, 0.0, spread))
    low, high = np.quantile(pivots, [0.975, 0.025], method="higher")
    return [mean - low * error, mean - high * error]


def intervals(values, rng):
    found = {"bootstrap_t": bootstrap_t(values, rng)}
    for name, method in (("percentile", "percentile"), ("bca", "BCa")):
        result = stats.bootstrap((values,), np.mean, n_resamples=MANY, batch=20_000, method=method, rng=rng)
        found[name] = [result.confidence_interval.low, result.confidence_interval.high]
    student = stats.t.interval(0.95, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
    found["student"] = list(student)
    return found


def sample(name, rng):
    values = np.array(SAMPLES[name])
    result = {
        "values": SAMPLES[name],
        "mean": values.mean(),
        "deviation": values.std(ddof=1),
        "standard_error": stats.sem(values),
        "quartiles": list(np.quantile(values, [0.25, 0.5, 0.75])),
        "intervals": intervals(values, rng),
        "sign_test": stats.binomtest(int((values > 0).sum()), int((values != 0).sum())).pvalue,
    }
    if len(values) <= 16:
        flips = stats.permutation_test((values,), np.mean, permutation_type="samples", n_resamples=np.inf)
        result["sign_flip"] = flips.pvalue
    return result


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        yield z ^ (z >> 31)


def xoshiro256pp(seed, count):
    fill = splitmix64(seed)
    s = [next(fill) for _ in range(4)]
    rotate = lambda x, k: (x << k | x >> (64 - k)) % 2**64
    out = []
    for _ in range(count):
        out.append((rotate((s[0] + s[3]) % 2**64, 23) + s[0]) % 2**64)
        shifted = (s[1] << 17) % 2**64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = rotate(s[3], 45)
    return out


def main():
    rng = np.random.default_rng(20261201)
    wilson = [
        {"hits": hits, "n": n, "interval": list(stats.binomtest(hits, n).proportion_ci(method="wilson"))}
        for hits, n in ((0, 10), (5, 10), (19, 20), (20, 20), (1, 300))
    ]
    families = [
        {
            "p": p,
            "holm": list(multipletests(p, method="holm")[1]),
            "benjamini_hochberg": list(multipletests(p, method="fdr_bh")[1]),
        }
        for p in P_VALUES
    ]
    golden = {
        "made_with": f"numpy {np.__version__}, scipy {scipy.__version__}, statsmodels",
        "generator": {"seed": 0, "outputs": [str(value) for value in xoshiro256pp(0, 8)]},
        "samples": {name: sample(name, rng) for name in SAMPLES},
        "families": families,
        "wilson": wilson,
    }
    print(json.dumps(golden, indent=1, default=float))


main()
