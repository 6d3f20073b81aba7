"""Liu (2024), Robust evaluation measures for evaluating social biases in masked language models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from bayesbias.maskedlm.pair_statistics import Normals

from .claims import Claim, recomputes

at = partial(recomputes, "Liu (2024)")
MODELS = ("BERT", "RoBERTa", "ALBERT")

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


@at("table 2 from table 3", "Overall Bias Analysis")
def weighted_means() -> Iterator[Claim]:
    """Recompute table 2's KLS and JSS as means of table 3, weighted by the number of pairs."""
    for data, types in TABLE_3.items():
        weights = [int(name.split()[-1]) for name in types]
        values = np.array(
            [[pair.split("/") for pair in row.split()] for row in types.values()], float
        )
        means = np.average(values, axis=0, weights=weights)
        for i, (model, printed) in enumerate(zip(MODELS, TABLE_2[data], strict=True)):
            for j, measure in enumerate(("KLS", "JSS")):
                found = round(float(means[i, j]), 2)
                quoted = " ".join(f"{value:.2f}" for value in printed)
                claim = f"{data}, {model}, {measure}"
                yield Claim(claim, printed[2 + j], found, 0.0101, quoted)


@at("figure 4, correlation of KLS and SSS", "Correlation Analysis")
def lowest_correlation() -> Iterator[Claim]:
    """Compute Pearson's correlation of KLS and SSS over the three models in table 2."""
    table = np.array(TABLE_2["StereoSet"])
    found = round(float(np.corrcoef(table[:, 0], table[:, 2])[0, 1]), 4)
    quoted = "KLS has the lowest correlation (r=0.84"
    note = "computed from values with two decimals; the printed .84 is cut off"
    yield Claim("r of KLS and SSS, StereoSet", 0.84, found, 0.0101, quoted, note)


@at("mutual information of measures", "Correlation Analysis")
def mutual_information() -> Iterator[Claim]:
    """Estimate the mutual information of measures over three models, with one nearest neighbor."""
    from sklearn.feature_selection import mutual_info_regression

    note = (
        "computed with scikit-learn's estimator and n_neighbors = 1, which we chose because the "
        "paper names no setting. With three models, the estimator has few possible values"
    )
    lower = "MI between SSS and the other evaluation measures is 0.17"
    other = "We find that the MI between the measures is 0.50"
    for data, first, printed, quoted in (
        ("StereoSet", 0, 0.17, lower),
        ("StereoSet", 1, 0.50, other),
        ("CrowS-Pairs", 0, 0.50, other),
        ("CrowS-Pairs", 1, 0.50, other),
    ):
        x, y = np.array(TABLE_2[data])[:, [first, 2]].T
        found = mutual_info_regression(x[:, None], y, n_neighbors=1, random_state=0)[0]
        claim = f"{data}, {('AUL' if first else 'SSS or CPS')} and KLS, MI in nats"
        yield Claim(claim, printed, round(float(found), 2), 0.005, quoted, note)


@at("worked example", "PLL Score Analysis")
def worked_example() -> Iterator[Claim]:
    """Compute the percentage and the score differences of four pairs."""
    stereo, anti = np.array([0.4, 0.3, 0.9, 0.8]), np.array([0.5, 0.4, 0.1, 0.2])
    preferred = stereo > anti
    gaps = [abs((stereo - anti)[rows].mean()) for rows in (preferred, ~preferred)]
    quoted = "the bias score of this model should be 50"
    yield Claim("bias score", 50, 100 * preferred.mean(), 1e-9, quoted)
    for claim, printed, value, symbol in (
        ("|Δst|", 0.7, gaps[0], "|Δst|"),
        ("|Δat|", 0.1, gaps[1], "|Δat|"),
        ("their difference", 0.6, gaps[0] - gaps[1], r"|\Delta_{st}|-|\Delta_{at}|"),
    ):
        yield Claim(claim, printed, round(float(value), 6), 1e-6, f"{symbol}={printed}")


@at("table 4", "PLL Score Analysis")
def score_differences() -> Iterator[Claim]:
    """Compute the differences between table 4's mean scores."""
    for model, row in TABLE_4.items():
        st, at_, gap_st, st2, at2, gap_at, difference = row
        quoted = " ".join([model, *(f"{value:.4f}" for value in row)])
        for claim, printed, found in (
            ("|Δst|", gap_st, abs(st - at_)),
            ("|Δat|", gap_at, abs(st2 - at2)),
            ("|Δst| - |Δat|", difference, gap_st - gap_at),
        ):
            yield Claim(f"{model}, {claim}", printed, round(found, 4), 0.00011, quoted)


TABLE_5 = {
    "BERT": "0.0413 0.0073 0.0187 0.0270 0.0244 0.0224",
    "RoBERTa": "-0.0074 0.0221 0.0095 0.0343 0.0126 0.0202",
    "ALBERT": "0.0072 0.0019 0.0187 0.0116 -0.0018 0.0107",
}
"""|Δst| - |Δat| at six sampling rates, from 30% to 80%."""

CHANGES_30 = {"BERT": 0.0221, "RoBERTa": 0.0189, "ALBERT": 0.0015}
"""The change from table 4 that table 5 prints for the sampling rate of 30%."""


@at("table 5 from table 4", "PLL Score Analysis")
def sampled_differences() -> Iterator[Claim]:
    """Compute the changes in table 5 at 30%: its values minus those of table 4."""
    for model, values in TABLE_5.items():
        first = float(values.split()[0])
        found = round(abs(first - TABLE_4[model][-1]), 4)
        arrow = "uparrow" if first > TABLE_4[model][-1] else "downarrow"
        quoted = f"{first:.4f}_{{\\{arrow} {CHANGES_30[model]:.4f}}}"
        yield Claim(f"{model}, change at 30%", CHANGES_30[model], found, 0.00005, quoted)


@at("KLS, equal sds", "Proposed Evaluation Measure")
def kls_of_equal_sds() -> Iterator[Claim]:
    """Compute KLS for equal sds and means that are close or far apart."""
    near, far = (round(Normals((-30.0, mean), (5.0, 5.0)).kls(), 6) for mean in (-30.1, -90.0))
    note = "if the sds are equal, both divergences are equal, no matter how far apart the means are"
    claim = "KLS of means .1 and 60 nats apart"
    quoted = "KLS close to 50 indicates that the language model has"
    yield Claim(claim, near, far, 0, quoted, note, comparable=False)


@at("JSS, equation and code", "Proposed Evaluation Measure")
def jss_of_the_code() -> Iterator[Claim]:
    """Compute JSS by the equation and by the code, for means from table 4 and sds that we chose."""
    note = (
        "the means are from table 4. We chose the sds, because the paper prints none. Equation 9 "
        "gives {printed} with the divergence in bits (0 to 1, as in the paper), and {nats} in "
        "nats. code/scoring.py at 292dd1f uses nats, and a Normal with the average mean and "
        "variance instead of the average of the densities"
    )
    quoted = "we define JSS as follows:"
    for means, sds in (((-0.0228, -0.0768), (0.03, 0.06)), ((-0.0489, -0.1004), (0.05, 0.08))):
        printed, coded = (
            round(Normals(means, sds).jss(variant), 1) for variant in ("printed", "published")
        )
        in_nats = Normals(means, sds).js_divergence() * np.log(2)
        nats = round(100 * (1 - in_nats) / (1 + abs(sds[0] - sds[1])), 1)
        claim = f"JSS of means {means[0]}, {means[1]} and sds {sds[0]}, {sds[1]}"
        full = note.format(printed=printed, nats=nats)
        yield Claim(claim, printed, coded, 0, quoted, full, comparable=False, shown="equation 9")
