"""Arithmetic of the Bayesian paper's text that needs no data but what is printed there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from bayesbias.model.spec import load_model
from bayesbias.scores.weat import effect_sizes
from bayesbias.tables.wordlists import load_wordlist

from .claims import Claim, claims_frame
from .null_example import REASONS, paper_example

WEAT_EXAMPLE = ((0.5, 0.3), (-0.6, -0.3))
"""s of *he* and *man*, and of *woman* and *she*, in the example below figure 1."""

CALISKAN_EFFECT_SIZES = (1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21)
"""Of tests 1 to 10, Caliskan et al. (2017), table 1."""

AGREEING = ("same", "t", "slip")
"""Reasons of `PaperExample.comparison` that are none for a difference."""


def weat_example() -> pd.DataFrame:
    """WEAT of the worked example of section 2: s of four words, printed as about 1.93.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 2, below figure 1.
    """
    population, sample = (float(effect_sizes(*WEAT_EXAMPLE, ddof)) for ddof in (0, 1))
    return claims_frame(
        [
            Claim(
                "WEAT of the example, population sd",
                1.93,
                round(population, 3),
                0.005,
                "close: .85 over a population sd of .444; 1.93 needs one of .440",
            ),
            Claim(
                "the same, sample sd",
                1.93,
                round(sample, 3),
                0.005,
                "R's sd divides by n - 1, which gives this one",
            ),
        ]
    )


def prior_range() -> pd.DataFrame:
    """Range of mean distances that the prior expects, one mean and three standard deviations.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 4.1, third principle.
    """
    prior = load_model("paper").priors["connection_mean"].parameters
    ends = (prior["mean"] - 3 * prior["sd"], prior["mean"] + 3 * prior["sd"])
    cause = "1 ± 3 · .3; the printed range is 1 ± 4 · .3. That it covers enough stands"
    return claims_frame(
        Claim(f"{name} end of the 99.7% range", printed, round(found, 3), 0.005, cause)
        for name, printed, found in zip(("lower", "upper"), (-0.2, 2.2), ends, strict=True)
    )


def effect_size_range() -> pd.DataFrame:
    """Range of the effect sizes that Caliskan et al. (2017) report, as the paper tells it.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 3.2; Caliskan, Bryson and Narayanan (2017), table 1.
    """
    bound = 2 * np.sqrt((2 * 8 - 1) / (2 * 8))
    return claims_frame(
        [
            Claim(
                "one end of the range of d",
                2.06,
                min(CALISKAN_EFFECT_SIZES),
                0.005,
                f"1.06, of math and arts; d of 8 and 8 words cannot exceed {bound:.2f}",
            ),
            Claim("the other end", 1.81, max(CALISKAN_EFFECT_SIZES), 0.005),
        ]
    )


def list_sizes() -> pd.DataFrame:
    """Sizes of the lists of Manzini et al. (2019), as a footnote of the introduction gives them.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 1; their appendix A.4 has the lists.
    """
    lists = [load_wordlist(name) for name in ("gender", "race", "religion")]
    protected = [len({w for ws in each.groups.values() for w in ws}) for each in lists]
    attributes = [len({w for ws in each.stereotypes.values() for w in ws}) for each in lists]
    repeats = "race: 18 places of six triplets, which hold 10 different words"
    return claims_frame(
        [
            Claim("most protected words of a list", 18, max(protected), cause=repeats),
            Claim("fewest protected words of a list", 14, min(protected), cause=repeats),
            Claim("most attribute words of a list", 25, max(attributes)),
            Claim("fewest attribute words of a list", 11, min(attributes)),
        ]
    )


def null_statistics() -> pd.DataFrame:
    """Numbers of the null example of section 3.2; `paper_example` has all of it.

    References
    ----------
    Dobrzeniecka and Urbaniak (2024), section 3.2.
    """
    example = paper_example()
    frame = example.comparison()
    records: list[dict[str, Any]] = frame.to_dict("records")  # type: ignore[assignment]
    rows = [
        Claim(
            row["quantity"],
            row["published"],
            float(f"{row['found']:.4g}"),
            np.inf if row["reason"] in {REASONS[name] for name in AGREEING} else 0.0,
            row["reason"].removeprefix("agrees").lstrip(";: "),
        )
        for row in records
    ]
    headline = next(row for row in rows if row.claim == "share of null |d|, population sd")
    times = float(example.t_tests()["p_value"].iloc[0]) / example.p_value
    ratio = Claim(
        "p of the t-test to A over p of the splits: more than",
        10,
        round(times, 2),
        cause="both ps are as printed but for rounding: .020 and .0096",
    )
    return claims_frame([headline, *(row for row in rows if row is not headline), ratio])
