"""The Bayesian paper's result figures, refitted: means, intervals, residual sds, coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bayesbias.posterior.predictive import check
from bayesbias.posterior.summaries import summary

from .claims import Claim, claims_frame
from .sources import Folder, fitted, plotted

DRAWS, FEWER_DRAWS = 16_000, 2_000
"""Exact draws a chain, of four. With the first a mean whose sd is .05 is known to .0002, an end to
.0004; with the second to .0006 and .0012."""

MANY_DRAWS = 32_000
"""Exact draws a chain, of four: their own variance is a ninth of that of the figures' draws."""

PAPER_DRAWS = 14_000
"""Draws behind the figures."""

TOLERANCES = {
    "overall means": 0.001,
    "overall ends": 0.003,
    "word means": 0.003,
    "word ends": 0.008,
}
"""How far a refit and a figure may lie apart: Monte Carlo error of the figures' chains."""

CHAINS = (
    "Monte Carlo error of the plotted chains: the figure is read to 2.4e-5, and the refit agrees "
    "with quadrature (docs/validation.md, the published posteriors)"
)

COVERAGE = {
    "religion_google": (91, 55),
    "religion_glove": (90, 52),
    "religion_reddit": (89, 49),
    "race_google": (92, 59),
    "race_glove": (89, 49),
    "race_reddit": (89, 47),
    "gender_google": (91, 51),
    "gender_glove": (89, 52),
    "gender_reddit": (89, 50),
}
"""Percent of distances inside the 89% and the 50% predictive interval: the check's figures."""

CAPTION = (90, 55)
"""The same as the caption of figure 12 and the text have them, of Reddit."""


def differences(
    name: str, model: str = "paper-figures", folder: Folder = None, draws: int = DRAWS
) -> dict[str, float]:
    """Return the largest differences of a figure and a refit, under the keys of `TOLERANCES`."""
    return _largest(_beside(name, model, "eti", folder, draws))


def _largest(both: pd.DataFrame) -> dict[str, float]:
    overall = both["level"] == "overall"
    means = abs(both["mean"] - both["mean_plotted"])
    ends = np.maximum(
        abs(both["low"] - both["low_plotted"]), abs(both["high"] - both["high_plotted"])
    )
    parts = (means[overall], ends[overall], means[~overall], ends[~overall])
    return {key: float(part.max()) for key, part in zip(TOLERANCES, parts, strict=True)}


def refit(name: str = "religion_reddit", folder: Folder = None) -> pd.DataFrame:
    """Posterior of one table as plotted, and refitted under ``paper-figures``.

    Parameters
    ----------
    name : str
        A key of ``TABLES``.
    folder
        As for `published_table`.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), appendix, figures of the results.
    """
    both = _beside(name, "paper-figures", "eti", folder, DRAWS)
    rows = []
    for row in both[both["level"] == "overall"].itertuples():
        for what in ("mean", "low", "high"):
            printed, found = getattr(row, f"{what}_plotted"), getattr(row, what)
            within = TOLERANCES["overall means" if what == "mean" else "overall ends"]
            claim = f"{name}, {row.connection}, {what}"
            cause = CHAINS if abs(printed - found) > within else ""
            rows.append(Claim(claim, round(printed, 4), round(found, 4), within, cause))
    apart = _largest(both)
    longer = (
        "the plotted chains shrink some words too little, where their sd is small; the exact "
        "posterior agrees with quadrature (tests/test_published.py)"
    )
    rows += [
        Claim(
            f"{name}, {key}: largest difference", 0, round(apart[key], 4), TOLERANCES[key], longer
        )
        for key in ("word means", "word ends")
    ]
    return claims_frame(rows)


def residual_sds(name: str = "religion_glove", folder: Folder = None) -> pd.DataFrame:
    """How far the figures are from refits with one residual sd, as printed, and with one for each.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 4.1 and appendix.
    """
    one, each = (
        differences(name, model, folder, FEWER_DRAWS) for model in ("paper", "paper-figures")
    )
    cause = "the figures have a residual sd for each connection, which the text writes as σ_i"
    return claims_frame(
        Claim(
            f"{name}, {key}: difference with {label}",
            0,
            round(found[key], 4),
            TOLERANCES[key],
            cause if found is one else "",
        )
        for label, found in (("one residual sd", one), ("one for each connection", each))
        for key in reversed(TOLERANCES)
    )


def interval_kind(name: str = "religion_glove", folder: Folder = None) -> pd.DataFrame:
    """Whether the plotted intervals are highest-density, as captions say, or percentile intervals.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), captions of figures 13 and 14; their
    ``functions/plotFromPrecis.R`` draws the columns 5.5% and 94.5%.
    """
    rows = []
    for kind, label in (("hdi", "highest-density"), ("eti", "percentile")):
        both = _beside(name, "paper-figures", kind, folder, FEWER_DRAWS)
        apart = both[["low", "high"]].to_numpy() - both[["low_plotted", "high_plotted"]].to_numpy()
        rms = float(np.sqrt((apart**2).mean()))
        cause = "the figures' code draws the columns 5.5% and 94.5%" if kind == "hdi" else ""
        claim = f"{name}: rms distance of the ends from {label} intervals"
        rows.append(Claim(claim, 0, round(rms, 5), 0.001, cause))
    return claims_frame(rows)


def draws_made(name: str = "gender_google", folder: Folder = None) -> pd.DataFrame:
    """Whether a figure scatters around the exact posterior as little as the draws behind it let it.

    References
    ----------
    ``functions/newModelBuilding.R`` of the authors' repository at c774e60: two chains of 8,000
    iterations, of which 1,000 each are warm-up.
    """
    exact = summary(fitted(name, folder, "paper-figures", method="exact", draws=MANY_DRAWS))
    both = plotted(name).merge(exact, on=["level", "protected_word", "connection"])
    z = (both["mean_x"] - both["mean_y"]) / both["sd"]
    effective = 1 / (float((z**2).mean()) - 1 / (4 * MANY_DRAWS))  # less the error of our own
    cause = (
        f"{len(z)} plotted means scatter around the exact ones as those of {effective:,.0f} "
        f"independent draws (2 standard errors: {200 * np.sqrt(2 / len(z)):.0f}%); NUTS may be "
        "worth more draws of a mean than it makes, and less where the chains stick"
    )
    enough = effective * (1 + 2 * np.sqrt(2 / len(z))) >= PAPER_DRAWS
    claim = f"implied: means are as sure as {PAPER_DRAWS:,} draws, 2 · (8,000 - 1,000), make them"
    return claims_frame([Claim(claim, "yes", "yes" if enough else "no", cause=cause)])


def predictive_check(name: str = "religion_reddit", folder: Folder = None) -> pd.DataFrame:
    """Share of distances inside predictive intervals, of the model as printed.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), figure 12 and appendix.
    """
    frame = check(fitted(name, folder, "paper"), seed=0)
    coverage = frame[frame["connection"] == "all"].set_index("ci_prob")["coverage"]
    found = [round(100 * float(coverage[prob]), 1) for prob in (0.89, 0.5)]
    rows = [
        Claim(f"{name}, percent inside the {label} interval", printed, value, 1.0)
        for label, printed, value in zip(("89%", "50%"), COVERAGE[name], found, strict=True)
    ]
    if name == "religion_reddit":
        cause = (
            "the figure itself says 89% and 49%. 55% is what the 50% interval covers for Google; "
            "the text's '55% interval' is a 50% interval"
        )
        rows = [
            Claim(f"caption of figure 12: inside the {label} interval", printed, value, 1.0, cause)
            for label, printed, value in zip(
                ("50%", "89%"), CAPTION[::-1], found[::-1], strict=True
            )
        ] + rows
    return claims_frame(rows)


def _beside(name: str, model: str, ci_kind: str, folder: Folder, draws: int) -> pd.DataFrame:
    """The plotted posterior of a table beside a refit."""
    tree = fitted(name, folder, model, method="exact", draws=draws)
    found = summary(tree, ci_kind=ci_kind)
    return plotted(name).merge(
        found[found["level"] != "group"],
        on=["level", "protected_word", "connection"],
        suffixes=("_plotted", ""),
        validate="one_to_one",
    )
