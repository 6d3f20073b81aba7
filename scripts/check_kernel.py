"""What cosines add to `maximal`: lists drawn from the bundled vectors, and the published tables.

    python scripts/check_kernel.py [FOLDER] [--tables 100] [--only random published]

Prints the tables of docs/models.md, "What the vectors know". Lists are of 8 + 8 protected words,
sets of 20 attributes and 40 controls. Held against one another are `maximal`; `kernel` with the
cosines of the words; `kernel` with cosines estimated from the controls; and what the package does
not have: the cosines of words and of attributes both, as a Kronecker product with two standard
deviations and nothing else. Planted is a contrast of -.04 in the vectors: attributes are moved
towards the words of their group. FOLDER holds the published tables, by default `paper_tables` of
BAYESBIAS_DATA.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import bayesbias as bb  # noqa: E402
from bayesbias._core.arrays import FloatArray, unit_rows  # noqa: E402
from bayesbias.model.tree import SamplingWarning, design_of  # noqa: E402
from bayesbias.posterior.leave_out import leave_words_out  # noqa: E402
from bayesbias.tables.cosines import attach_word_cosines  # noqa: E402

N_WORDS, N_ATTRIBUTES, DRAWS, CI_PROB = 8, 20, 500, 0.89
PLANTED = -0.04
BUNDLED = ("gender", "religion", "race", "weat6", "weat7")
CELL = "{:+.3f} ({:+.3f}, {:+.3f})"
SECTIONS = ("random", "topics", "planted", "bundled", "published")
GRID = np.geomspace(0.002, 0.3, 60)
"""Standard deviations that the Kronecker product is integrated over."""

Interval = tuple[float, float, float]
"""Mean, low, high."""


def lists(rng: Generator, vectors: FloatArray, *, topics: bool) -> tuple[FloatArray, FloatArray]:
    """Draw unit vectors of protected words and of attributes; in topics every list is of one."""
    sizes = [N_WORDS] * 2 + [N_ATTRIBUTES] * 4
    free, drawn = np.ones(len(vectors), dtype=bool), []
    for size in sizes:
        if topics:
            near = vectors @ vectors[rng.choice(np.flatnonzero(free))]
            rows = np.argsort(np.where(free, -near, np.inf))[:size]
        else:
            rows = rng.choice(np.flatnonzero(free), size, replace=False)
        free[rows] = False
        drawn.append(vectors[rows])
    return np.concatenate(drawn[:2]), np.concatenate(drawn[2:])


def planted(words: FloatArray, attributes: FloatArray) -> FloatArray:
    """Move attributes along the difference of the groups' means, by as much as the contrast asks.

    To first order in what they are moved by; unit vectors stay so.
    """
    apart = words[:N_WORDS].mean(axis=0) - words[N_WORDS:].mean(axis=0)
    side = np.repeat([1.0, -1.0, 0.0, 0.0], N_ATTRIBUTES)
    return unit_rows(attributes - PLANTED * side[:, None] * apart / (apart @ apart))


def by_model(name: str) -> Callable[[pd.DataFrame, SeedSequence], dict[str, Interval]]:
    """Return what reads the intervals of a model of the package."""

    def read(table: pd.DataFrame, seed: SeedSequence) -> dict[str, Interval]:
        found = bb.contrasts(bb.fit(table, name, seed=seed, draws=DRAWS), ci_prob=CI_PROB)
        levels = found[found["second"] == "different"].groupby("level", sort=False).first()
        return {str(name): (r["mean"], r["low"], r["high"]) for name, r in levels.iterrows()}

    return read


def by_product(words: FloatArray, attributes: FloatArray, table: pd.DataFrame) -> Interval:
    """Interval of associated - different under residuals that covary as both cosines.

    Rotated to the axes of both matrices rows are independent; the means of connections have flat
    priors, both standard deviations are on a grid, flat in the log.
    """
    along, u = np.linalg.eigh(words @ words.T)
    across, v = np.linalg.eigh(attributes @ attributes.T)
    product = np.clip(np.outer(along, across), 0, None).ravel()
    shape = len(along), len(across)
    names = list(pd.unique(table["connection"]))
    x = np.stack([(table["connection"] == name).to_numpy().reshape(shape) for name in names])
    x = np.stack([(u.T @ each @ v).ravel() for each in x.astype(float)], axis=1)
    y = (u.T @ table["cosine_distance"].to_numpy().reshape(shape) @ v).ravel()
    contrast = np.array([{"associated": 1.0, "different": -1.0}.get(name, 0.0) for name in names])
    rows = []
    for scale in GRID:
        for sigma in GRID:
            precision = 1 / (scale**2 * product + sigma**2)
            gram, pull = x.T @ (precision[:, None] * x), x.T @ (precision * y)
            mean = np.linalg.solve(gram, pull)
            log = np.log(precision).sum() - np.linalg.slogdet(gram)[1] - precision @ y**2
            spread = np.sqrt(contrast @ np.linalg.solve(gram, contrast))
            rows.append((0.5 * (log + pull @ mean), contrast @ mean, spread))
    log, mean, sd = np.array(rows).T
    weight = np.exp(log - log.max())
    draws = default_rng(1).choice(len(log), 4000, p=weight / weight.sum())
    drawn = default_rng(2).normal(mean[draws], sd[draws])
    low, high = np.quantile(drawn, [(1 - CI_PROB) / 2, (1 + CI_PROB) / 2])
    return float(drawn.mean()), float(low), float(high)


def simulated(options: argparse.Namespace, how: str) -> pd.DataFrame:
    """Count claims. What belongs together is by lot, so that all truths are 0 unless planted."""
    layout = bb.nulls.vocabulary_scenario(
        n_words=N_WORDS, n_attributes=N_ATTRIBUTES, controls=("neutral", "human")
    ).layout
    vectors = bb.load_vectors("glove-demo", progressbar=False)
    every = np.stack(
        [vectors.get_vector(w, norm=True) for w in vectors.index_to_key if w.isalpha()]
    )
    rows = []
    for number, child in enumerate(SeedSequence(options.seed).spawn(options.tables)):
        drawing, fitting = child.spawn(2)
        words, attributes = lists(default_rng(drawing), every.astype(float), topics=how == "topics")
        if how == "planted":
            attributes = planted(words, attributes)
        table = layout.rows.assign(cosine_distance=(1 - words @ attributes.T).ravel())
        known = table.copy()
        attach_word_cosines(known, table["protected_word"].unique(), words @ words.T)
        found = {
            "maximal": by_model("maximal")(table, fitting),
            "kernel": by_model("kernel")(known, fitting),
            "kernel, estimated": by_model("kernel")(bb.estimate_word_cosines(table), fitting),
            "product": {"overall": by_product(words, attributes, table)},
        }
        for model, levels in found.items():
            rows += [(model, level, *found) for level, found in levels.items()]
        print(how, number, flush=True)
    frame = pd.DataFrame(rows, columns=["model", "level", "mean", "low", "high"])
    frame["claims"] = (frame["low"] > 0) | (frame["high"] < 0)
    truth = PLANTED if how == "planted" else 0.0  # overall; groups and words have their own
    frame["covers"] = frame["low"].lt(truth) & frame["high"].gt(truth)
    frame["width"] = frame["high"] - frame["low"]
    told = frame.groupby(["level", "model"], sort=False)[
        ["mean", "claims", "covers", "width"]
    ].mean()
    return told.round(3).reset_index()


def bundled(_: argparse.Namespace) -> pd.DataFrame:
    """Fit bundled lists in the bundled vectors, overall, by three of the models."""
    rows = []
    for name in BUNDLED:
        wordlist = bb.load_wordlist(name)
        vectors = bb.load_vectors("glove-demo", words=wordlist, case="fallback", progressbar=False)
        table = bb.distance_table(vectors, wordlist)
        row: dict[str, object] = {"list": name}
        for model in ("maximal", "kernel"):
            row[model] = CELL.format(*by_model(model)(table, SeedSequence(1))["overall"])
        wide = table.groupby("attribute", sort=False)["protected_word"].nunique()
        whole = table["attribute"].map(wide == wide.max())
        table = table[whole].sort_values(["protected_word", "attribute"])
        words, attributes = (
            np.stack([vectors.get_vector(w, norm=True) for w in pd.unique(table[column])])
            for column in ("protected_word", "attribute")
        )
        row["product"] = CELL.format(*by_product(words.astype(float), attributes, table))
        rows.append(row)
    return pd.DataFrame(rows)


def published(options: argparse.Namespace) -> pd.DataFrame:
    """Fit the published tables, without repeated rows, by `maximal` and by `kernel`, estimated.

    Attributes are left out one at a time; only those of stereotypes count, which no cosine was
    estimated from.
    """
    return pd.DataFrame([_of_table(path) for path in sorted(options.folder.glob("*.csv"))])


def _of_table(path: Path) -> dict[str, object]:
    table = bb.read_table(path)
    table = table.drop_duplicates(["protected_word", "attribute", "connection"])
    row: dict[str, object] = {"table": path.stem.replace("_dataset", "").replace("_group", "")}
    left = {}
    for model, given in (("maximal", table), ("kernel", bb.estimate_word_cosines(table))):
        tree = bb.fit(given, model, seed=1, draws=1000)
        apart = bb.contrasts(tree, ci_prob=CI_PROB).iloc[0]
        row[model] = CELL.format(*apart[["mean", "low", "high"]])
        left[model] = leave_words_out(tree, "attribute", default_rng(1)).elpd
        design = design_of(tree)
    stereotype = np.isin(np.arange(len(design.attributes)), design.attribute[design.set >= 0])
    gain = (left["kernel"] - left["maximal"])[stereotype]
    row["gain"] = (
        f"{gain.sum():+.0f} (se {gain.std(ddof=1) * np.sqrt(len(gain)):.0f}, n {len(gain)})"
    )
    print(row, flush=True)
    return row


def markdown(frame: pd.DataFrame) -> str:
    """Return a frame as a table in Markdown."""
    rows = [list(frame.columns), ["---"] * frame.shape[1], *frame.to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def _sections(options: argparse.Namespace) -> Iterator[tuple[str, Callable[[], pd.DataFrame]]]:
    for how in ("random", "topics", "planted"):
        yield how, partial(simulated, options, how)
    yield "bundled", partial(bundled, options)
    yield "published", lambda: published(options)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = Path(os.environ.get("BAYESBIAS_DATA") or ROOT.parent / "shared" / "data")
    parser.add_argument("folder", type=Path, nargs="?", default=data / "paper_tables")
    parser.add_argument("--tables", type=int, default=100, help="simulated ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=SECTIONS)
    options = parser.parse_args()
    warnings.simplefilter("ignore", SamplingWarning)
    warnings.filterwarnings("ignore", message=".*are exact copies|.*equidistant")
    for name, section in _sections(options):
        if name in options.only:
            print(f"\n{name}\n{markdown(section())}", flush=True)


if __name__ == "__main__":
    main()
