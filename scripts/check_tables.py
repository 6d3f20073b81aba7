"""Hold models against published tables: contrasts, new words and attributes, split halves.

    python scripts/check_tables.py FOLDER [--models paper crossed maximal] [--draws 1000]

Printed as Markdown, in four parts. Contrasts: associated - different of the population with its 89%
interval. Words left out: expected log predictive densities with whole attributes, or whole
protected words, left out, against the best model. Halves: models are fitted to one half of the
attributes, and predict each word's contrast with the other half. Correlation: the posterior
predictive probability of a correlation of the words' two means within groups as high as observed,
for new words. A model that gives a word independent means expects none.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator, default_rng
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias._core.arrays import FloatArray
from bayesbias._core.intervals import hdi
from bayesbias.model.design import Design, make_design
from bayesbias.model.effects import draw_effects
from bayesbias.model.likelihood import predict_rows
from bayesbias.model.spec import ModelSpec, load_model
from bayesbias.model.tree import assemble, describe, stacked
from bayesbias.sampling.exact import sample_exact
from bayesbias.sampling.fit import fit_design
from bayesbias.sampling.reduction import collapse

PAIR = ("associated", "different")
CI_PROB = 0.89

Specs = Mapping[str, ModelSpec]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the four parts, a row a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--models", nargs="+", default=["paper", "crossed", "maximal"])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--words", action="store_true", help="leave out protected words, too: slow")
    chosen = parser.parse_args(arguments)
    specs = {name: load_model(name, "distance") for name in chosen.models}
    rows: dict[str, list[dict[str, object]]] = {}
    for path in sorted(chosen.folder.glob("*.csv")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # missing-word marks and repeated rows, as published
            design = make_design(bb.read_table(path))
        options = {"draws": chosen.draws, "seed": chosen.seed, "method": "exact"}
        trees = {name: fit_design(design, spec, **options) for name, spec in specs.items()}
        for part, row in _parts(design, specs, trees, chosen):
            rows.setdefault(part, []).append({"table": path.stem} | row)
            print(path.stem, part, row, flush=True)
    for part, found in rows.items():
        print(f"\n## {part}\n\n{pd.DataFrame(found).to_markdown(index=False)}")


def _parts(
    design: Design, specs: Specs, trees: Mapping[str, DataTree], chosen: argparse.Namespace
) -> Iterator[tuple[str, dict[str, object]]]:
    overall = {}
    for name, tree in trees.items():
        frame = bb.contrasts(tree, ci_prob=CI_PROB).set_index(["level", "first", "second"])
        row = frame.loc[("overall", *PAIR)]
        overall[name] = f"{row['mean']:+.3f} ({row['low']:+.3f}, {row['high']:+.3f})"
    yield "Contrasts", overall
    for factor in ("attribute", "protected_word")[: 1 + chosen.words]:
        frame = bb.compare_models(trees, leave_out=factor, seed=chosen.seed).set_index("model")
        told = {
            name: f"{one.elpd:,.0f} ({one.elpd_diff:+.0f}, se {one.dse:.0f})"
            for name, one in frame.loc[list(trees)].iterrows()
        }
        yield f"Elpd, {factor} left out", told
    rng = default_rng(chosen.seed)
    half = _deal(design, rng)
    halves, correlation = {}, {}
    for name, spec in specs.items():
        halves[name] = "{:.2f} ({:.3f}, {:+.2f})".format(*_halves(design, spec, half, chosen))
        correlation[name] = f"{_correlation_p(design, spec, trees[name], rng):.3f}"
    yield "Halves: coverage (width, log score a word)", halves
    yield "Correlation of words' means: predictive p", correlation


def _deal(design: Design, rng: Generator) -> np.ndarray:
    """Deal the attributes of every kind and set into two halves: which rows are of the first."""
    of = np.zeros(len(design.attributes), dtype=int)
    of[design.attribute] = design.attribute_kind[design.attribute] * 100 + design.codes(
        "attribute_set" if design.sets else "attribute_kind"
    )
    first = np.zeros(len(of), dtype=bool)
    for label in np.unique(of):
        members = rng.permutation(np.flatnonzero(of == label))
        first[members[: len(members) // 2]] = True
    return first[design.attribute]


def _halves(
    design: Design, spec: ModelSpec, half: np.ndarray, chosen: argparse.Namespace
) -> tuple[float, ...]:
    """Coverage and width of words' contrasts with the other half, and their log score."""
    spec, rng = spec.fitting(design), default_rng(chosen.seed)
    training = design.take(np.flatnonzero(half))
    drawn = sample_exact(collapse(training, spec), 4 * chosen.draws, rng)
    tree = assemble(design, spec, drawn.values, {}, chains=1, diagnostics={})
    describe(tree, spec)
    held, width, score = [], [], []
    first, second = (design.connections.index(name) for name in PAIR)
    for word in range(len(design.words)):
        rows = [
            np.flatnonzero(~half & (design.word == word) & (design.connection == c))
            for c in (first, second)
        ]
        if not (len(rows[0]) and len(rows[1])):
            continue
        predicted = [predict_rows(tree, each, rng).mean(axis=1) for each in rows]
        apart = predicted[0] - predicted[1]
        truth = design.y[rows[0]].mean() - design.y[rows[1]].mean()
        low, high = hdi(apart[:, None], CI_PROB)[0]
        held.append(low <= truth <= high)
        width.append(high - low)
        score.append(norm(apart.mean(), apart.std()).logpdf(truth))
    return float(np.mean(held)), float(np.mean(width)), float(np.mean(score))


def _correlation_p(design: Design, spec: ModelSpec, tree: DataTree, rng: Generator) -> float:
    """How often new words' means correlate as highly as those observed do."""
    spec = spec.fitting(design)
    values = {str(name): stacked(tree, str(name)) for name in tree["posterior"]}
    new = draw_effects(design, spec.terms_of("protected_word"), values, rng)
    fresh = assemble(design, spec, values | new, {}, chains=1, diagnostics={})
    describe(fresh, spec)
    replicated = predict_rows(fresh, np.arange(len(design.y)), rng)
    observed = _correlation(design, design.y[None])[0]
    return float((_correlation(design, replicated) >= observed).mean())


def _correlation(design: Design, y: FloatArray) -> FloatArray:
    """Correlation of words' associated and different means within groups, (n,) for (n, n_rows)."""
    means = []
    for name in PAIR:
        own = np.flatnonzero(design.connection == design.connections.index(name))
        counts = np.bincount(design.word[own], minlength=len(design.words))
        one_hot = (design.word[own][:, None] == np.arange(len(design.words))) / counts
        mean = y[:, own] @ one_hot
        for group in range(len(design.groups)):
            of_group = design.word_group == group
            mean[:, of_group] -= mean[:, of_group].mean(axis=1, keepdims=True)
        means.append(mean)
    product = (means[0] * means[1]).sum(axis=1)
    return product / np.sqrt((means[0] ** 2).sum(axis=1) * (means[1] ** 2).sum(axis=1))


if __name__ == "__main__":
    main()
