"""Liu (2024), Robust evaluation measures for evaluating social biases in masked language models."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayesbias.maskedlm.pair_statistics import Normals

from .claims import Found, recomputed

TABLE_2 = {
    data: [[float(value) for value in row.split()] for row in rows.split(",")]
    for data, rows in {
        "StereoSet": "57.26 50.28 51.59 97.57, 61.97 59.07 54.20 95.76, 58.88 58.07 53.79 96.19",
        "CrowS-Pairs": "58.75 52.92 53.36 96.29, 65.45 62.40 63.86 86.60, 60.48 53.25 57.22 94.48",
    }.items()
}
"""SSS or CPS, AUL, KLS, and JSS of the three models."""

TABLE_3 = {
    "StereoSet": {
        "profession 810": "50.41/99.46 55.22/94.51 54.73/95.62",
        "race 962": "50.84/98.74 53.49/96.57 53.21/96.43",
        "gender 255": "56.19/89.59 54.10/96.57 53.28/96.78",
        "religion 79": "57.85/89.51 52.76/96.27 52.85/97.26",
    },
    "CrowS-Pairs": {
        "race 516": "50.44/99.61 58.63/94.20 53.30/97.85",
        "socioeconomic 172": "54.62/96.19 84.53/49.71 53.54/98.06",
        "gender 262": "60.44/86.04 61.05/91.72 56.37/94.52",
        "disability 60": "52.14/98.38 54.17/97.68 71.79/81.68",
        "nationality 159": "52.55/97.80 58.73/95.36 59.92/93.61",
        "sexual-orient. 84": "54.24/96.10 71.04/82.55 67.00/86.84",
        "physical-appear. 63": "51.83/98.80 85.51/57.62 80.92/71.64",
        "religion 105": "50.83/99.35 54.20/96.96 50.94/99.49",
        "age 87": "52.36/98.07 67.58/87.76 56.23/95.49",
    },
}
"""KLS and JSS of the three models by bias type, with the number of pairs in the data set."""

TABLE_4 = {
    "BERT": (-0.5449, -0.6574, 0.1125, -0.6349, -0.5416, 0.0933, 0.0192),
    "RoBERTa": (-0.0228, -0.0768, 0.0540, -0.0656, -0.0231, 0.0425, 0.0115),
    "ALBERT": (-0.0489, -0.1004, 0.0515, -0.1024, -0.0566, 0.0458, 0.0057),
}
"""Mean scores of the two groups of pairs, the differences of the means, and their difference."""


@recomputed
def weighted_means() -> Iterator[Found]:
    """Recompute table 2's KLS and JSS as means of table 3, weighted by the number of pairs."""
    for types in TABLE_3.values():
        weights = [int(name.split()[-1]) for name in types]
        values = np.array(
            [[pair.split("/") for pair in row.split()] for row in types.values()], float
        )
        means = np.average(values, axis=0, weights=weights)
        yield from (round(mean, 2) for mean in means.ravel().tolist())


@recomputed
def lowest_correlation() -> Iterator[Found]:
    """Compute Pearson's correlation of KLS and SSS over the three models in table 2."""
    table = np.array(TABLE_2["StereoSet"])
    yield round(float(np.corrcoef(table[:, 0], table[:, 2])[0, 1]), 4)


@recomputed
def mutual_information() -> Iterator[Found]:
    """Estimate the mutual information of measures over three models, with one nearest neighbor."""
    from sklearn.feature_selection import mutual_info_regression

    for data, first in (("StereoSet", 0), ("StereoSet", 1), ("CrowS-Pairs", 0), ("CrowS-Pairs", 1)):
        x, y = np.array(TABLE_2[data])[:, [first, 2]].T
        found = mutual_info_regression(x[:, None], y, n_neighbors=1, random_state=0)[0]
        yield round(float(found), 2)


@recomputed
def worked_example() -> Iterator[Found]:
    """Compute the percentage and the score differences of four pairs."""
    stereo, anti = np.array([0.4, 0.3, 0.9, 0.8]), np.array([0.5, 0.4, 0.1, 0.2])
    preferred = stereo > anti
    st, at = (abs((stereo - anti)[rows].mean()) for rows in (preferred, ~preferred))
    yield 100 * preferred.mean()
    yield from (round(float(value), 6) for value in (st, at, st - at))


@recomputed
def score_differences() -> Iterator[Found]:
    """Compute the differences between table 4's mean scores."""
    for st, at, gap_st, st2, at2, gap_at, _ in TABLE_4.values():
        yield from (round(gap, 4) for gap in (abs(st - at), abs(st2 - at2), gap_st - gap_at))


TABLE_5_AT_30 = {"BERT": 0.0413, "RoBERTa": -0.0074, "ALBERT": 0.0072}
"""|Δst| - |Δat| at a sampling rate of 30%."""


@recomputed
def sampled_differences() -> Iterator[Found]:
    """Compute the changes in table 5 at 30%: its values minus those of table 4."""
    for model, first in TABLE_5_AT_30.items():
        yield round(abs(first - TABLE_4[model][-1]), 4)


@recomputed
def kls_of_equal_sds() -> Iterator[Found]:
    """Compute KLS for equal sds and means that are far apart."""
    yield round(Normals((-30.0, -90.0), (5.0, 5.0)).kls(), 6)


@recomputed
def jss_of_the_code() -> Iterator[Found]:
    """Compute JSS by the equation and by the code, for means from table 4 and sds that we chose."""
    for means, sds in (((-0.0228, -0.0768), (0.03, 0.06)), ((-0.0489, -0.1004), (0.05, 0.08))):
        printed, coded = (
            round(Normals(means, sds).jss(variant), 1) for variant in ("printed", "published")
        )
        in_nats = Normals(means, sds).js_divergence() * np.log(2)
        nats = round(100 * (1 - in_nats) / (1 + abs(sds[0] - sds[1])), 1)
        yield coded, {"printed": printed, "nats": nats}
