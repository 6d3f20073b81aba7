"""Public functions that take ``ci_prob`` and ``ci_kind`` use them, and nothing else moves."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import FAST, by_name, plus
from pandas.testing import assert_frame_equal
from test_maskedlm_measures import preferred

import bayesbias as bb
from bayesbias import comparison, extrinsic, maskedlm

type Call = partial[Any]
type Calls = dict[str, Call]

SHORT: dict[str, Any] = {"draws": 200, "chains": 2, "seed": 1, "progressbar": False}
MODULES = {"": bb, "comparison": comparison, "extrinsic": extrinsic, "maskedlm": maskedlm}
RNG = np.random.default_rng


def takers(option: str) -> set[str]:
    """Return the names of public functions that take an option and return intervals of draws."""
    found = set()
    for prefix, module in MODULES.items():
        for name in dir(module):
            one = getattr(module, name)
            if inspect.isfunction(one) and name[0] != "_":
                taken = option in inspect.signature(one).parameters
                found |= {f"{prefix}.{name}".lstrip(".")} if taken else set()
    return found


@cache
def calls_on_lists() -> Calls:
    """Return calls for distances in real vectors and for their posteriors."""
    words = bb.load_wordlist("religion")
    groups = {name: words.groups[name][:2] for name in words.groups}
    sets = {name: words.stereotypes[name][:4] for name in groups}
    wordlist = bb.WordList("few", groups, sets)
    vectors = bb.load_vectors("glove-demo", wordlist)
    rows = bb.distance_table(vectors, wordlist)
    rows["share"] = by_name(rows["attribute"], RNG(4).uniform, 0.0, 1.0)
    post, sloped = bb.fit(rows, **SHORT), bb.fit(rows, covariates="share", **SHORT)
    moved = plus(rows, 0.1 * RNG(5).standard_normal(len(rows)))
    change = bb.fit_change(rows, moved, **FAST)
    among = {"groups": {**groups, "people": ["people", "citizen"]}, "stereotypes": sets}
    without = bb.distance_table("glove-demo", among)
    noisy = bb.load_vectors("glove-demo", wordlist)
    noisy.vectors = noisy.vectors + 0.1 * RNG(6).standard_normal(noisy.vectors.shape)
    resampled: dict[str, Any] = {"scores": ["mac", "weat"], "n_resamples": 100, "seed": 1}
    return {
        "baseline_contrasts": partial(bb.baseline_contrasts, without, "people", **SHORT),
        "score_table": partial(bb.score_table, vectors, wordlist, **resampled),
        "comparison.scores_before_after": partial(
            comparison.scores_before_after, vectors, noisy, wordlist, **resampled
        ),
        "contrasts": partial(bb.contrasts, post),
        "hypothesis": partial(
            bb.hypothesis, post, "muslim < jew", "muslim: associated - different < 0.1"
        ),
        "posterior_scores": partial(bb.posterior_scores, post),
        "predict_words": partial(bb.predict_words, post, seed=1),
        "predictions": partial(bb.predictions, sloped, rows, {"share": [0.0, 1.0]}),
        "prior_predictive": partial(bb.prior_predictive, "crossed", rows, draws=100, seed=1),
        "sd_summary": partial(bb.sd_summary, post),
        "slopes": partial(bb.slopes, sloped),
        "summary": partial(bb.summary, post),
        "comparison.alignment": partial(comparison.alignment, change),
        "comparison.changes": partial(comparison.changes, change),
        "comparison.order_changes": partial(comparison.order_changes, change),
    }


@cache
def calls_on_models() -> Calls:
    """Return calls for answers of language models and for results of other tasks."""
    rng = RNG(2)
    paired = preferred(("one", "other"))
    post = maskedlm.fit_pairs(paired, model="pairs-signs", **SHORT)
    pair = rng.standard_normal((2, 40))
    truth, guess, group = rng.integers(0, 2, (3, 200))
    frame = pd.DataFrame(rng.standard_normal((40, 2)), columns=["score", "bias"])
    frame["model"], frame["class"] = np.repeat([*"abcd"], 10), np.tile([*"pqrst"], 8)
    return {
        "extrinsic.correlate": partial(extrinsic.correlate, *pair, n_resamples=200, seed=1),
        "extrinsic.correlations": partial(extrinsic.correlations, frame, seed=1),
        "extrinsic.ranking_accuracy": partial(extrinsic.ranking_accuracy, *pair),
        "extrinsic.tpr_gaps": partial(extrinsic.tpr_gaps, truth, guess, group),
        "maskedlm.model_contrasts": partial(maskedlm.model_contrasts, post),
        "maskedlm.observed_shares": partial(maskedlm.observed_shares, paired, seed=1),
        "maskedlm.pair_scales": partial(maskedlm.pair_scales, post),
        "maskedlm.pair_summary": partial(maskedlm.pair_summary, post),
    }


def read(call: Call, **options: object) -> tuple[pd.DataFrame, dict[str, tuple[Any, Any]]]:
    """Return a frame without its intervals, and the ends of intervals by their prefix."""
    found = call(**options)
    frame = pd.DataFrame([found]) if isinstance(found, dict) else found
    if frame is found:
        assert {name: frame.attrs.get(name) for name in options} == options
    ends = {
        name: (frame[name], frame[name.removesuffix("low") + "high"])
        for name in frame
        if name == "low" or (name.endswith("_low") and name != "p_low")
    }
    drop = [*ends, *(high.name for _, high in ends.values())]
    assert ends
    return frame.drop(columns=drop), ends


@pytest.mark.slow
@pytest.mark.parametrize("calls", [calls_on_lists, calls_on_models])
def test_options_of_intervals_move_nothing_but_their_ends(calls: Callable[[], Calls]) -> None:
    """Intervals of smaller probability are inside, and equal-tailed ones are not shorter."""
    for name, call in calls().items():
        rest, wide = read(call, ci_prob=0.9)
        same, narrow = read(call, ci_prob=0.5)
        assert_frame_equal(rest, same, obj=name)
        for column, (low, high) in wide.items():
            (inner, upper), known = narrow[column], low.notna()
            ends = np.array([low, inner, upper, high])[:, known]
            assert ends.size, name
            # The shortest interval of few draws can end outside of a longer one, but not by much.
            slack = 0.1 * (high - low)[known]
            assert (np.diff(ends, axis=0) >= -slack.to_numpy()).all(), (name, column)
            # For a Normal, the ratio is 2.4; a few scores without spread have intervals of a point.
            assert (ends[3] - ends[0] > 1.2 * (ends[2] - ends[1])).mean() > 0.8, (name, column)
        if name not in takers("ci_kind"):
            continue
        (same, equal), widths = read(call, ci_prob=0.9, ci_kind="eti"), {}
        assert_frame_equal(rest, same, obj=name)
        for column, (low, high) in wide.items():  # the shortest ones, by default
            if not column.startswith("raw"):  # a Normal distribution
                widths[column] = (high - low) / (equal[column][1] - equal[column][0])
        ratio = pd.DataFrame(widths).stack()
        assert ratio.max() < 1.02, name  # draws differ from the mixture of which they are drawn
        assert (ratio != 1).any(), name


BY_HAND = {"rank_embeddings", "trend"}
BY_HAND |= {f"comparison.{name}" for name in ("embedding_differences", "variance_shares")}
"""Their tests compute intervals of given draws."""

WITHOUT = {"list_check", "plan", "predictive_check"}
"""These return no intervals; their tests compute what depends on the options."""


@pytest.mark.seconds
def test_every_function_with_intervals_is_tried() -> None:
    tried = {*calls_on_lists(), *calls_on_models()}
    assert takers("ci_prob") | takers("ci_kind") == tried | BY_HAND | WITHOUT
