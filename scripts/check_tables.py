"""Hold models against the published tables and write benchmarks/PUBLISHED_TABLES.md.

    python scripts/check_tables.py [FOLDER] [--models paper crossed maximal maximal-topics]

FOLDER holds the tables as CSV files; without it, `paper_tables` of the folder BAYESBIAS_DATA.
docs/published_tables.md includes the parts of the file that is made, and says what they are.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng
from scipy.special import logsumexp
from scipy.stats import norm
from xarray import DataTree

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import bayesbias as bb  # noqa: E402
from bayesbias._core.arrays import FloatArray  # noqa: E402
from bayesbias._core.files import replace_file  # noqa: E402
from bayesbias._core.intervals import hdi  # noqa: E402
from bayesbias.model.design import Design, make_design  # noqa: E402
from bayesbias.model.effects import draw_effects  # noqa: E402
from bayesbias.model.likelihood import locations, predict_rows, residual_sds  # noqa: E402
from bayesbias.model.spec import ModelSpec, load_model  # noqa: E402
from bayesbias.model.tree import assemble, describe, stacked  # noqa: E402
from bayesbias.posterior.summaries import levels  # noqa: E402
from bayesbias.sampling.exact import sample_exact  # noqa: E402
from bayesbias.sampling.fit import fit_design  # noqa: E402
from bayesbias.sampling.reduction import collapse  # noqa: E402

RESULTS = ROOT / "benchmarks" / "PUBLISHED_TABLES.md"
MODELS = ("paper", "crossed", "maximal", "maximal-topics")
PAIR = ("associated", "different")
CONTROLS = (
    ("associated", "neutral"),
    ("associated", "human"),
    ("different", "neutral"),
    ("different", "human"),
    ("neutral", "human"),
)
CI_PROB = 0.89
COMPONENTS = (
    "connection_sd",
    "level_sd",
    "level_correlation",
    "lean_sd",
    "attribute_sd",
    "attribute_lean_sd",
    "group_sd",
    "set_sd",
    "topic_sd",
    "sigma",
)
LEVELS = {"words": "word", "groups": "group", "population": "overall"}
HALF_DRAWS = 2000

FORMATS = {
    "contrasts": "{:+.3f} ({:+.3f}, {:+.3f})",
    "controls": "{:+.3f} ({:+.3f}, {:+.3f})",
    "groups": "{} {:+.3f} ({:+.3f}, {:+.3f})",
    "words": "{} nearer, {} farther, of {}",
    "components": "{:.3f}",
    "sampling": "{:.2f}, {:,.0f}",
    "correlation": "{:.3f}",
    "predicted": "{:.2f}, {:.3f}, {:+.2f}",
    "agree": "{:.2f}, {:.3f}, {:+.2f}",
    "elpd": "{:,.0f} ({:+.0f}, se {:.0f})",
    "summary": "{}",
}
"""How the numbers of a cell are written, by the first word of the part's name; several cells in one
are set apart by semicolons."""

Cell = tuple[object, ...] | list[tuple[object, ...]]
Row = dict[str, Cell]
Parts = dict[str, dict[str, Row]]
"""Rows by table, by part."""


@dataclass(frozen=True)
class Fits:
    """A table, and its posterior under every model."""

    design: Design
    specs: Mapping[str, ModelSpec]
    trees: Mapping[str, DataTree]
    seed: int


def main(arguments: Sequence[str] | None = None) -> None:
    """Work through the tables, and write what there is after each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = Path(os.environ.get("BAYESBIAS_DATA") or ROOT.parent / "shared" / "data")
    parser.add_argument("folder", type=Path, nargs="?", default=data / "paper_tables")
    parser.add_argument("--models", nargs="+", default=MODELS)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--deals", type=int, default=3, help="of the attributes into halves")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--unique", action="store_true", help="without repeated rows")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args(arguments)
    specs = {name: load_model(name, "distance") for name in chosen.models}
    parts: Parts = {}
    for path in sorted(chosen.folder.glob("*.csv")):
        table = path.stem.removesuffix("_dataset").replace("_group", "")
        fits = _fitted(_read(path, unique=chosen.unique), specs, chosen.draws, chosen.seed)
        for part, row in _rows(fits, chosen.deals):
            parts.setdefault(part, {})[table] = row
            print(table, part, row, flush=True)
        _write(chosen.out, parts | {"summary": _summary(parts, chosen.models)})


def _read(path: Path, *, unique: bool) -> Design:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(-100|repeat an earlier row)")
        table = bb.read_table(path)
        if unique:
            table = table.drop_duplicates(["protected_word", "attribute", "connection"])
        return make_design(table)


def _fitted(design: Design, specs: Mapping[str, ModelSpec], draws: int, seed: int) -> Fits:
    trees = {
        name: fit_design(design, spec, method="exact", draws=draws // 4, seed=seed)
        for name, spec in specs.items()
    }
    return Fits(design, {name: spec.fitting(design) for name, spec in specs.items()}, trees, seed)


def _rows(fits: Fits, deals: int) -> Iterator[tuple[str, Row]]:
    frames = {name: bb.contrasts(tree, ci_prob=CI_PROB) for name, tree in fits.trees.items()}
    yield "contrasts", {name: _intervals(frame, "overall")[0] for name, frame in frames.items()}
    for name, frame in frames.items():
        told = {" - ".join(pair): _intervals(frame, "overall", pair)[0] for pair in CONTROLS}
        yield f"controls-{name}", dict(told)
    yield "groups", {name: _groups(frame) for name, frame in frames.items()}
    yield "words", {name: _words(frame) for name, frame in frames.items()}
    for name, tree in fits.trees.items():
        yield f"components-{name}", _components(tree)
    yield "sampling", {name: _diagnosed(tree) for name, tree in fits.trees.items()}
    yield "correlation", _correlations(fits)
    yield from _halves(fits, deals)
    for factor in ("attribute", "protected_word"):
        frame = bb.compare_models(fits.trees, leave_out=factor, seed=fits.seed).set_index("model")
        scores = frame.loc[list(fits.trees), ["elpd", "elpd_diff", "dse"]]
        yield f"elpd-{factor}", {str(name): tuple(row) for name, row in scores.iterrows()}


def _intervals(
    frame: pd.DataFrame, level: str, pair: tuple[str, str] = PAIR
) -> list[tuple[float, ...]]:
    """Means and interval ends of a contrast, for all of a level."""
    own = frame[(frame["level"] == level) & (frame["first"] == pair[0])]
    own = own.loc[own["second"] == pair[1], ["mean", "low", "high"]]
    return [tuple(map(float, row)) for row in own.to_numpy()]


def _groups(frame: pd.DataFrame) -> Cell:
    names = frame.loc[frame["level"] == "group", "protected_group"].unique()
    intervals = _intervals(frame, "group")
    return [(name, *interval) for name, interval in zip(names, intervals, strict=True)]


def _words(frame: pd.DataFrame) -> Cell:
    """How many words are nearer to the attributes associated, and to those that are not."""
    found = _intervals(frame, "word")
    nearer, farther = (
        sum(each) for each in zip(*((h < 0, lo > 0) for _, lo, h in found), strict=True)
    )
    return nearer, farther, len(found)


def _components(tree: DataTree) -> Row:
    """Posterior means of sds and correlations, by kind of attribute or connection."""
    found: Row = {}
    for name in COMPONENTS:
        if name in tree["posterior"]:
            mean = np.atleast_1d(stacked(tree, name).mean(axis=0))
            values = mean[np.triu_indices(len(mean), 1)] if mean.ndim == 2 else mean
            found[name] = [(float(value),) for value in values]
    return found


def _diagnosed(tree: DataTree) -> Cell:
    stats = tree["sample_stats"]
    return float(stats["pareto_k"]), float(stats["importance_ess"])


def _halves(fits: Fits, deals: int) -> Iterator[tuple[str, Row]]:
    """Coverage, width and log score of the other half's contrasts, by level, over all deals.

    `predicted` is of the mean distances observed there, `agree` of the difference between the
    contrasts that both halves are fitted to have, which is zero.
    """
    scores: dict[str, dict[str, list[FloatArray]]] = {}
    for child in SeedSequence(fits.seed).spawn(deals):
        rng = default_rng(child)
        half = _deal(fits.design, rng)
        for name, spec in fits.specs.items():
            trees = [_half_fitted(fits.design, spec, rows, rng) for rows in (half, ~half)]
            found = [
                _predicted(tree, fits.design, ~rows, rng)
                for tree, rows in zip(trees, (half, ~half), strict=True)
            ]
            for part, scored in [*found[0], *found[1], *_agreed(*trees)]:
                scores.setdefault(part, {}).setdefault(name, []).append(scored)
    for part, by_model in scores.items():
        means = {name: np.concatenate(each, axis=1).mean(axis=1) for name, each in by_model.items()}
        yield part, {name: tuple(map(float, mean)) for name, mean in means.items()}


def _deal(design: Design, rng: Generator) -> np.ndarray:
    """Deal the attributes of every kind and set into halves: which rows are of the first."""
    of = np.zeros(len(design.attributes), dtype=int)
    of[design.attribute] = design.codes("attribute_kind") * 100 + design.codes("attribute_set")
    first = np.zeros(len(of), dtype=bool)
    for label in np.unique(of):
        members = rng.permutation(np.flatnonzero(of == label))
        first[members[: len(members) // 2]] = True
    return first[design.attribute]


def _half_fitted(design: Design, spec: ModelSpec, own: np.ndarray, rng: Generator) -> DataTree:
    """Fit some rows; attributes without rows are drawn from their population."""
    drawn = sample_exact(collapse(design.take(np.flatnonzero(own)), spec), HALF_DRAWS, rng)
    tree = assemble(design, spec, drawn.values, {}, chains=1, diagnostics={})
    describe(tree, spec)
    return tree


def _predicted(
    tree: DataTree, design: Design, own: np.ndarray, rng: Generator
) -> Iterator[tuple[str, FloatArray]]:
    """Predict contrasts of the mean distances of rows: held, width, log score, each (3, n)."""
    rows = np.flatnonzero(own & np.isin(design.connection, _of(design)))
    expected, variance = locations(tree, rows), residual_sds(tree, rows) ** 2
    variance = np.broadcast_to(variance, expected.shape)
    for level, weights in _contrast_weights(design, rows).items():
        mean, sd = expected @ weights.T, np.sqrt(variance @ (weights**2).T)
        truth = weights @ design.y[rows]
        score = logsumexp(norm.logpdf(truth, mean, sd), axis=0) - np.log(len(mean))
        low, high = hdi(mean + sd * rng.standard_normal(mean.shape), CI_PROB).T
        yield f"predicted-{level}", np.array([(low <= truth) & (truth <= high), high - low, score])


def _agreed(one: DataTree, other: DataTree) -> Iterator[tuple[str, FloatArray]]:
    """Hold the difference of two posteriors of the contrasts against zero, each (3, n)."""
    for level, wanted in LEVELS.items():
        first, second = (_contrast_draws(tree, wanted) for tree in (one, other))
        apart = first - second
        low, high = hdi(apart, CI_PROB).T
        score = norm.logpdf(0, apart.mean(axis=0), apart.std(axis=0))
        yield f"agree-{level}", np.array([(low <= 0) & (high >= 0), high - low, score])


def _contrast_draws(tree: DataTree, level: str) -> FloatArray:
    first, second = (list(tree["posterior"].coords["connection"]).index(name) for name in PAIR)
    parts = [part.draws for part in levels(tree) if part.level == level]
    return np.stack([draws[:, first] - draws[:, second] for draws in parts], axis=1)


def _of(design: Design) -> list[int]:
    return [design.connections.index(name) for name in PAIR]


def _contrast_weights(design: Design, rows: np.ndarray) -> dict[str, FloatArray]:
    """What rows count in the contrasts of words, of groups and of all words, (n, n_rows)."""
    word = design.word[rows] == np.arange(len(design.words))[:, None]
    sides = [word & (design.connection[rows] == connection) for connection in _of(design)]
    counts = [side.sum(axis=1, keepdims=True) for side in sides]
    whole = (counts[0] > 0) & (counts[1] > 0)
    share = [
        np.where(whole, side / np.maximum(n, 1), 0.0) for side, n in zip(sides, counts, strict=True)
    ]
    of_words, whole = share[0] - share[1], whole[:, 0]
    of_groups = [
        of_words[whole & (design.word_group == group)].mean(axis=0)
        for group in np.unique(design.word_group[whole])
    ]
    return {
        "words": of_words[whole],
        "groups": np.array(of_groups),
        "population": of_words[whole].mean(axis=0)[None],
    }


def _correlations(fits: Fits) -> Row:
    """How often new words' means correlate as highly within groups as those observed do."""
    design = fits.design
    rows = np.flatnonzero(np.isin(design.connection, _of(design)))
    observed = _correlation(design, rows, design.y[None, rows])[0]
    found: Row = {"observed": (float(observed),)}
    for name, spec in fits.specs.items():
        rng, tree = default_rng(fits.seed), fits.trees[name]
        values = {str(each): stacked(tree, str(each)) for each in tree["posterior"]}
        new = draw_effects(design, spec.terms_of("protected_word"), values, rng)
        fresh = assemble(design, spec, values | new, {}, chains=1, diagnostics={})
        describe(fresh, spec)
        replicated = _correlation(design, rows, predict_rows(fresh, rows, rng))
        found[name] = (float((replicated >= observed).mean()),)
    return found


def _correlation(design: Design, rows: np.ndarray, y: FloatArray) -> FloatArray:
    """Correlation of words' associated and different means within groups, (n,) for (n, n_rows)."""
    word, connection_of = design.word[rows], design.connection[rows]
    of_group = design.word_group[:, None] == np.arange(len(design.groups))
    means = []
    for connection in _of(design):
        own = np.flatnonzero(connection_of == connection)
        one_hot = word[own][:, None] == np.arange(len(design.words))
        mean = y[:, own] @ (one_hot / one_hot.sum(axis=0))
        of_groups = mean @ (of_group / of_group.sum(axis=0))
        means.append(mean - of_groups[:, design.word_group])
    product = (means[0] * means[1]).sum(axis=1)
    return np.asarray(product / np.sqrt((means[0] ** 2).sum(axis=1) * (means[1] ** 2).sum(axis=1)))


def _summary(parts: Parts, models: Sequence[str]) -> dict[str, Row]:
    """Averages and counts over the tables done, a row a model."""
    found: dict[str, Row] = {}
    reference = "crossed" if "crossed" in models else models[0]
    for name in models:
        row: Row = {}
        for part in [part for part in parts if part.startswith(("predicted", "agree"))]:
            values = _column(parts, part, name)
            better = int((values[:, 2] > _column(parts, part, reference)[:, 2]).sum())
            row[part] = (FORMATS["agree"].format(*values.mean(axis=0)) + f" ({better})",)
        row["correlation: p below .05"] = (int((_column(parts, "correlation", name) < 0.05).sum()),)
        for factor in ("attribute", "protected_word"):
            elpd, over = (
                _column(parts, f"elpd-{factor}", each)[:, 0] for each in (name, reference)
            )
            row[f"elpd, {factor}: over {reference}"] = (
                f"{(elpd - over).sum():+,.0f} ({(elpd > over).sum()})",
            )
        found[name] = row
    return found


def _column(parts: Parts, part: str, model: str) -> FloatArray:
    return np.array([row[model] for row in parts[part].values()], dtype=float)


def _write(path: Path, parts: Parts) -> None:
    lines = ["# Models and the published tables", "", "Made by `python scripts/check_tables.py`."]
    for part, rows in parts.items():
        lines += ["", f"<!-- --8<-- [start:{part}] -->", *_markdown(part, rows)]
        lines += [f"<!-- --8<-- [end:{part}] -->"]
    with replace_file(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _markdown(part: str, rows: Mapping[str, Row]) -> Iterator[str]:
    columns = list(next(iter(rows.values())))
    yield "| " + " | ".join(["model" if part == "summary" else "table", *columns]) + " |"
    yield "|" + "---|" * (1 + len(columns))
    for label, row in rows.items():
        cells = (cell if isinstance(cell, list) else [cell] for cell in row.values())
        form = FORMATS[part.split("-", 1)[0]]
        told = ["; ".join(form.format(*each) for each in cell) for cell in cells]
        yield "| " + " | ".join([label, *told]) + " |"


if __name__ == "__main__":
    main()
