"""Reference values for agreement and corrected means in src/stats, computed by scikit-learn, krippendorff and ppi-python.

    python scripts/golden/agreement.py > tests/golden/agreement.json

Needs numpy, scikit-learn, krippendorff and ppi-python.
"""

import json

import krippendorff
import numpy as np
from ppi_py import ppi_mean_pointestimate
from sklearn.metrics import cohen_kappa_score

rng = np.random.default_rng(20261202)


def pairs(name, first, second):
    return {
        "name": name,
        "pairs": [[int(a), int(b)] for a, b in zip(first, second)],
        "nominal": cohen_kappa_score(first, second),
        "quadratic": cohen_kappa_score(first, second, weights="quadratic", labels=list(range(6))),
    }


def units(name, table):
    """Rows are raters; nan is no rating."""
    table = np.array(table, dtype=float)
    of = lambda level: krippendorff.alpha(reliability_data=table, level_of_measurement=level)
    return {
        "name": name,
        "units": [[int(value) for value in column if not np.isnan(value)] for column in table.T],
        "nominal": of("nominal"),
        "interval": of("interval"),
        "ordinal": of("ordinal"),
    }


def powered(name, labelled, unlabelled):
    person, judge = np.array(labelled).T
    unlabelled = np.array(unlabelled)
    point = ppi_mean_pointestimate(person, judge, unlabelled, lam=1)
    return {
        "name": name,
        "labelled": [[float(a), float(b)] for a, b in labelled],
        "unlabelled": [float(value) for value in unlabelled],
        "point": float(np.ravel(point)[0]),
    }


nan = np.nan
first = rng.integers(0, 6, 60)
second = np.clip(first + rng.integers(-1, 2, 60), 0, 5)
table = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
    [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
]
judge = rng.random(200)
person = np.clip(judge[:40] + rng.normal(0.1, 0.1, 40), 0, 1)
golden = {
    "kappa": [
        pairs("scores", first, second),
        pairs("skewed", [2] * 18 + [0, 1], [2] * 17 + [0, 0, 2]),
        pairs("sparse", [0, 1, 5, 5], [1, 1, 5, 0]),
    ],
    "alpha": [units("four raters", table), units("two raters", [first[:12], second[:12]])],
    "powered": [
        powered("biased judge", list(zip(person, judge[:40])), judge[40:]),
        powered("grades", [(2, 2), (1, 2), (0, 1), (2, 2), (0, 0), (1, 1)], [2, 2, 1, 2, 0, 1, 2, 2, 1]),
    ],
}
print(json.dumps(golden))
