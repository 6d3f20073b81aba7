"""Write docs/validation.md and its figures from real runs.

Run ``python scripts/build_validation.py`` from the checkout; BAYESBIAS_DATA names the folder of
the published data. ``--tables N`` sets how many tables each calibration simulates. It takes some
twenty minutes on two cores.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from xarray import DataTree

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import build_published_posteriors  # noqa: E402

import bayesbias as bb  # noqa: E402
from bayesbias._core.files import replace_file  # noqa: E402
from bayesbias.posterior.loo import pointwise_loo  # noqa: E402
from benchmarks import sbc  # noqa: E402
from benchmarks.agreement import ENDS, exact_and_nuts, largest, z_scores  # noqa: E402
from benchmarks.sbc_figure import draw  # noqa: E402
from studies.literature.sources import KNOWN_WARNINGS  # noqa: E402

PAGE = ROOT / "docs" / "validation.md"
FIGURES = ROOT / "docs" / "figures"
SBC_SEED = 2
"""Not that of the test: two runs are better than one."""

TABLES = {
    "religion_google": "religion_group_google_dataset",
    "religion_reddit": "religion_group_reddit_dataset",
    "debiased_religion_reddit": "debiased_religion_reddit",
    "gender_google": "gender_group_google_dataset",
    "race_google": "race_group_google_dataset",
    "weat1_reddit": "weat_1_reddit",
    "weat7_google": "weat_7_google",
}
LOO_CARDS = ("paper", "paper-figures", "crossed")
NUTS_RUNS = (
    ("religion_reddit", "paper"),
    ("religion_reddit", "paper-figures"),
    ("religion_reddit", "crossed"),
    ("weat1_reddit", "crossed"),
)

TEXT = """\
# Validation of the sampler

What was checked, how, and what came out. The numbers and figures of this page are made by

```
python scripts/build_validation.py
```

and the same checks run as tests, with the data in `BAYESBIAS_DATA`:

```
pytest tests/test_collapsed.py tests/test_exact.py tests/test_published.py
pytest -m slow tests/test_sbc.py tests/test_exact_against_nuts.py tests/test_published.py
```

## The density

Integrating the effects out leaves a density of the standard deviations alone. On a small irregular
table it is compared with the density of the multivariate normal that it stands for, written down
row by row: for every Normal model, and for variants of them, such as `crossed` with an sd for each
kind of attribute, or with words that vary around a mean of their group. The two differ by one
constant, to 1e-9 in log density (`tests/test_collapsed.py`). Means and spreads of the draws are
compared with a brute-force grid in `tests/test_exact.py`.

## Simulation-based calibration

Parameters and tables are drawn from the model in PyMC, and each table is fitted by the exact
sampler with {draws} draws. If the sampler is right, the rank of a true value among its draws is
uniform (Talts et al., 2018). The table has two groups of three protected words, 2 × 3 stereotype
attributes, 6 neutral and 5 human ones, 102 rows; the irregular form lacks a number of pairs at
random and has one pair twice. The priors are those of the models, so that simulated sds run from
near zero to above one, and distances leave [0, 2]; nothing is clipped and no table is left out.

Ranked are all sds and correlations, all connection means, some word means and some effects of every
term, the difference between associated and different, overall and by group, and the log likelihood
of the table, which guards against samplers that do not look at the data. A quantity is outside if
its ECDF leaves the simultaneous 99% band (Säilynoja, Bürkner and Vehtari, 2022) anywhere. With n
quantities, 0.01 n are expected outside by chance; the test asks that the smallest p-value times n
stay above .01 (Bonferroni).

{sbc}

`fit` warns when Pareto k reaches 0.7 or fewer than 400 proposals are effective, and with
`method="auto"` it then turns to NUTS. The sampler draws again from a refitted proposal, three times
at most, before it reports such a k.

Each panel shows the ECDF of the ranks less the uniform one, with its 99% band; below it the
histogram of the ranks, with the 99% interval of each bin.

{figures}

## Exact draws against NUTS

Differences of posterior means, and of both ends of central 89% intervals, for every parameter, in
Monte Carlo standard errors of the two samplers together (16,000 exact draws, 8,000 of PyMC's NUTS).
Right on average, they have a root mean square near 1.

{nuts}

## The published posteriors

The model `paper-figures` refitted to the 18 published tables, beside the posteriors that
Dobrzeniecka and Urbaniak (2024) plot: largest absolute differences of means and of interval ends
(percentiles, 5.5% and 94.5%). Both sides are finite samples. The plotted chains shrink some words
too little; where they differ most, quadrature agrees with ours (`tests/test_published.py`). So 16
of the 18 tables are within .001 and .002 overall, and within .002 and .007 for words; religion on
Google and on Reddit are the others. This section is made by
`python scripts/build_published_posteriors.py`.

One overall mean is further than .001 from the figure: religion on Reddit, *associated*, plotted
.8317, by quadrature .8331. Reading the figure accounts for .00002 of the .0014, and our draws for
some .0002. The plotted chains hardly reached sds of words below .025, which hold 5% of the exact
posterior: without these the largest difference of a word falls from .0079 to .0026, that of the
overall mean by .0001 only. The remaining .0013 is Monte Carlo error of the plotted chains. It is
one standard error if their 14,000 draws are worth 1,100 of this mean (posterior sd .044), and all
64 means of the figure scatter as those of 1,700 draws do (`python -m studies.literature draws_made
religion_reddit`; gender on Google 23,000). The other three means of the table are within .0004.

{published}

## What attribute effects change

Posterior sd of the overall mean distances under `paper`, which takes rows as independent, and under
`crossed`, which knows that attribute words are shared; the ratio says how much wider the honest
interval is.

{sds}

Leave-one-out log predictive density, by Pareto-smoothed importance sampling over rows
(as in `bb.compare_models`). The difference is `crossed` less `paper`: above zero, `crossed` expects
held-out rows better. Its standard error counts rows as independent. `crossed` has a residual sd for
each connection besides its attribute effects; `paper-figures` has only the former, so that the
column says how much of the gain that is. A doubtful k is one above 0.7, of any of the three.

{loo}

The race table holds the published duplicates of rows (word pairs that occur in several triplets).
They are kept here, as the published analysis keeps them; a duplicate is expected well by its
twin, which flatters both models.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=2_000)
    asked = parser.parse_args()
    FIGURES.mkdir(parents=True, exist_ok=True)
    tables = {name: _read(file) for name, file in TABLES.items()}
    posteriors = {
        name: {spec: bb.fit(table, spec, method="exact", seed=1) for spec in LOO_CARDS}
        for name, table in tables.items()
    }
    parts = {
        "draws": str(sbc.DRAWS),
        "sds": _sd_ratios(posteriors),
        "loo": _loo(posteriors),
        "published": build_published_posteriors.section(),
        "nuts": _nuts(tables),
        "sbc": _calibrations(asked.tables),
        "figures": "\n\n".join(
            f"`{spec}`:\n\n![Ranks of {spec}](figures/sbc-{spec}.png)" for spec in sbc.MODELS
        ),
    }
    with replace_file(PAGE) as temporary:
        temporary.write_text(TEXT.format(**parts), encoding="utf-8")


def _calibrations(n_tables: int) -> str:
    lines = list(sbc.HEADER)
    for spec in (*sbc.MODELS, *sbc.MAXIMAL):
        for regular in (True, False)[: 1 + (spec in sbc.MODELS)]:
            design = sbc.small_design(regular=regular)
            calibration = sbc.calibrate(spec, design, n_tables, SBC_SEED)
            lines.append(sbc.line(calibration, "regular" if regular else "irregular"))
            print(lines[-1], flush=True)
            if regular and spec in sbc.MODELS:
                draw(calibration, FIGURES / f"sbc-{spec}.png")
    return "\n".join(lines)


def _nuts(tables: dict[str, pd.DataFrame]) -> str:
    lines = [
        "| table | model | parameters | means: largest, rms | lower ends: largest, rms | "
        "upper ends: largest, rms | divergences |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, spec in NUTS_RUNS:
        exact, nuts, diverging = exact_and_nuts(tables[name], spec)
        found = [largest([z_scores(exact, nuts, p)]) for p in (None, *ENDS)]
        cells = " | ".join(f"{most:.2f}, {rms:.2f}" for most, rms, _ in found)
        lines.append(f"| {name} | {spec} | {found[0][2]} | {cells} | {diverging} |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def _sd_ratios(posteriors: dict[str, dict[str, DataTree]]) -> str:
    lines = [
        "| table | connection | sd, `paper` | sd, `crossed` | ratio |",
        "|---|---|---|---|---|",
    ]
    for name, trees in posteriors.items():
        sds = {
            spec: tree["posterior"]["connection_mean"].std(("chain", "draw")).to_series()
            for spec, tree in trees.items()
        }
        for connection, paper in sds["paper"].items():
            crossed = sds["crossed"][connection]
            lines.append(
                f"| {name} | {connection} | {paper:.4f} | {crossed:.4f} | {crossed / paper:.2f} |"
            )
    return "\n".join(lines)


def _loo(posteriors: dict[str, dict[str, DataTree]]) -> str:
    lines = [
        "| table | rows | elpd, `paper` | `paper-figures` | `crossed` | difference | se of it | "
        "rows with a doubtful k |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, trees in posteriors.items():
        found = {spec: pointwise_loo(tree) for spec, tree in trees.items()}
        gained = found["crossed"].elpd - found["paper"].elpd
        elpds = " | ".join(f"{found[spec].elpd.sum():,.0f}" for spec in LOO_CARDS)
        doubtful = sum(loo.n_bad_k for loo in found.values())
        lines.append(
            f"| {name} | {len(gained):,} | {elpds} | {gained.sum():+,.0f} | "
            f"{np.sqrt(len(gained)) * gained.std():.0f} | {doubtful} |"
        )
    return "\n".join(lines)


def _read(file: str) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=KNOWN_WARNINGS)
        return bb.read_table(_folder() / "paper_tables" / f"{file}.csv")


def _folder() -> Path:
    return Path(os.environ.get("BAYESBIAS_DATA") or ROOT.parent / "shared" / "data")


if __name__ == "__main__":
    main()
