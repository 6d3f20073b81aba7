"""Correlations of rankings: SciPy's, draw by draw, and orders that are known."""

from __future__ import annotations

import json
from io import StringIO
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr
from xarray import DataTree

import bayesbias as bb
from bayesbias.comparison.rank_correlations import correlations

NAMES = ("d", "a", "c", "b")
LISTS = ("one", "two")


def posterior(contrast: np.ndarray) -> DataTree:
    """A posterior of many embeddings with the draws given, (n, n_lists, n_embeddings)."""
    dims = ("chain", "draw", "wordlist", "embedding")
    coords = {"wordlist": list(LISTS[: contrast.shape[1]]), "embedding": list(NAMES)}
    drawn = xr.DataArray(contrast[None], coords, dims)
    data = xr.Dataset({"contrast": drawn, "average": drawn.mean("wordlist")})
    tree = DataTree.from_dict({"posterior": data})
    tree.attrs |= {"model": "joint", "warnings": json.dumps([])}
    return tree


def scored(bias: dict[str, list[list[float]]], aggregate: str = "mean") -> pd.DataFrame:
    """A frame of scores, by list, of embeddings in the order of NAMES, in rows of any order."""
    rows = [
        (score, wordlist, name, value)
        for score, lists in bias.items()
        for wordlist, of in zip(("average", *LISTS), [np.mean(lists, axis=0), *lists], strict=True)
        for name, value in zip(NAMES, of, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["score", "wordlist", "embedding", "bias"])
    frame = frame.sample(frac=1, random_state=1).sort_values(
        ["wordlist", "score"], ascending=False, kind="stable"
    )
    frame.attrs["aggregate"] = aggregate
    return frame


def of(frame: pd.DataFrame, first: str, second: str, method: str) -> pd.DataFrame:
    chosen = (frame["first"] == first) & (frame["second"] == second)
    return frame[chosen & (frame["method"] == method)].set_index("wordlist")


@given(seed=st.integers(0, 10_000), k=st.integers(2, 7), tied=st.booleans())
def test_of_arrays_they_are_those_of_scipy(seed: int, k: int, *, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(size=(2, 3, k)).round(0 if tied else 8)
    first[:, 0], first[:, 1] = second[:, 0], second[:, 1] = 7, 8  # no row is tied throughout
    for method, function in {"spearman": spearmanr, "kendall": kendalltau}.items():
        expected = [function(*pair).statistic for pair in zip(first, second, strict=True)]
        assert correlations(first, second, method) == pytest.approx(expected, abs=1e-10)
        one = [function(first[0], each).statistic for each in second]
        assert correlations(first[:1], second, method) == pytest.approx(one, abs=1e-10)


def test_a_score_with_the_posterior_draw_by_draw() -> None:
    rng = np.random.default_rng(2)
    centre = np.array([[-0.3, -0.2, -0.2, 0.0], [-0.2, -0.3, -0.1, 0.1]])
    contrast = centre + rng.normal(0, 0.1, (300, 2, 4))
    frame = scored({"weat": [[4.0, 3, 1, 2], [2.0, 1, 4, 3]], "mac": [[0.1, 0.4, 0.2, 0.3]] * 2})
    found = bb.rank_correlations(frame, posterior(contrast), ci_prob=0.8, ci_kind="eti")
    drawn = {"one": contrast[:, 0], "two": contrast[:, 1], "average": contrast.mean(axis=1)}
    weat = {"one": [4.0, 3, 1, 2], "two": [2.0, 1, 4, 3], "average": [3, 2, 2.5, 2.5]}
    for wordlist, draws in drawn.items():
        taus = np.array([kendalltau(weat[wordlist], -draw).statistic for draw in draws])
        row = of(found, "weat", "joint", "kendall").loc[wordlist]
        assert row["correlation"] == pytest.approx(taus.mean())
        assert [row["low"], row["high"]] == pytest.approx(np.quantile(taus, [0.1, 0.9]))
        assert row["note"] == ""
    # Without ties the mean tau is that of the probabilities of the pairs' orders.
    signs = [
        np.sign(weat["one"][i] - weat["one"][j])
        * (2 * (contrast[:, 0, i] < contrast[:, 0, j]).mean() - 1)
        for i, j in combinations(range(4), 2)
    ]
    row = of(found, "weat", "joint", "kendall").loc["one"]
    assert row["correlation"] == pytest.approx(np.mean(signs))
    apart = np.argsort([-4, -3, -1, -2])
    same = (np.argsort(contrast[:, 0], axis=1) == apart).all(axis=1).mean()
    assert row["p_same"] == pytest.approx(same)
    between = of(found, "weat", "mac", "spearman").loc["one"]
    expected = spearmanr([4, 3, 1, 2], [0.1, 0.4, 0.2, 0.3]).statistic
    assert between["correlation"] == pytest.approx(expected)
    assert between[["low", "high", "p_same"]].isna().all()
    assert between["note"] == "two numbers for each embedding, without an interval"
    assert found.attrs["ci_prob"] == 0.8


def test_two_draws_agree_as_far_as_the_order_is_known() -> None:
    """Of 10,000 draws without any order the mean correlation has an error of 1/sqrt(30,000)."""
    rng = np.random.default_rng(3)
    known = np.array([[-0.4, -0.3, -0.2, -0.1]]).repeat(2, axis=0) + rng.normal(
        0, 1e-3, (500, 2, 4)
    )
    unknown = rng.normal(0, 0.1, (10_000, 2, 4))
    frame = scored({"weat": [[4.0, 3, 2, 1]] * 2})
    for draws, expected in ((known, 1.0), (unknown, 0.0)):
        found = bb.rank_correlations(frame, posterior(draws))
        for first in ("weat", "joint"):
            row = of(found, first, "joint", "spearman").loc["average"]
            assert row["correlation"] == pytest.approx(expected, abs=4.5 / 30_000**0.5)
    turned = bb.rank_correlations(scored({"weat": [[1.0, 2, 3, 4]] * 2}), posterior(known))
    row = of(turned, "weat", "joint", "kendall").loc["average"]
    assert row[["correlation", "low", "high", "p_same"]].tolist() == [-1, -1, -1, 0]


def test_sizes_rank_the_posterior_by_sizes() -> None:
    contrast = np.array([[[-0.3, 0.2, -0.1, 0.0], [0.3, -0.2, -0.1, 0.0]]]).repeat(10, axis=0)
    order = {"weat": [[4.0, 3, 2, 1]] * 2}
    by_size = bb.rank_correlations(scored(order, "abs_mean"), posterior(contrast))
    assert (of(by_size, "weat", "joint", "kendall")["correlation"] == 1).all()
    signed = bb.rank_correlations(scored(order), posterior(contrast))
    assert (of(signed, "weat", "joint", "kendall")["correlation"] < 1).all()


def test_what_has_no_order_is_refused() -> None:
    frame, tree = scored({"weat": [[4.0, 3, 2, 1]] * 2}), posterior(np.zeros((4, 2, 4)))
    with pytest.raises(ValueError, match="posterior has the embeddings a, b, c, d, and the scores"):
        bb.rank_correlations(frame.replace("d", "e").pipe(_with, "mean"), tree)
    with pytest.raises(
        ValueError, match="posterior has the wordlists one, and the scores have one"
    ):
        bb.rank_correlations(frame, posterior(np.zeros((4, 1, 4))))
    for lost in (_with(frame, ""), pd.read_csv(StringIO(frame.to_csv(index=False)))):
        with pytest.raises(
            ValueError, match=r"CSV files lose attrs. Set frame.attrs\['aggregate'\]"
        ):
            bb.rank_correlations(lost)
    with pytest.raises(
        ValueError, match=r"has weat only, and .* two scores, or give the posterior"
    ):
        bb.rank_correlations(frame)
    with pytest.raises(ValueError, match="lacks the column"):
        bb.rank_correlations(frame.drop(columns="bias"))
    with pytest.raises(ValueError, match="lacks the weat of the list 'two' in some embedding"):
        bb.rank_correlations(frame.drop(frame[frame["wordlist"] == "two"].index[0]), tree)
    with pytest.raises(ValueError, match="the same weat of the list 'average', and no order"):
        bb.rank_correlations(
            scored({"weat": [[4.0, 3, 2, 1], [1.0, 2, 3, 4]], "mac": [[4.0, 3, 2, 1]] * 2})
        )
    with pytest.raises(ValueError, match="not a posterior of many embeddings"):
        bb.rank_correlations(frame, DataTree.from_dict({"posterior": xr.Dataset()}))


def _with(frame: pd.DataFrame, aggregate: str) -> pd.DataFrame:
    frame = frame.copy()
    frame.attrs["aggregate"] = aggregate
    return frame
