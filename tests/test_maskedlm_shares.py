"""Shares, ranks, and contrasts of language models by plain loops over made-up draws."""

from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr
from builders import rows_of
from numpy.random import SeedSequence, default_rng

from bayesbias._core.intervals import describe_draws
from bayesbias.maskedlm import model_contrasts, model_ranks, pair_scales, pair_summary, preferences
from bayesbias.maskedlm.shares import EQUAL, shares, word_shares
from bayesbias.model.tree import keep_warnings
from bayesbias.posterior.contrasts import compare_draws


def test_shares_of_preferences_are_averages_over_pairs_and_new_clusters() -> None:
    """Of 40,000 equal draws, means and sds are those of sums over pairs and words."""
    rng, n = default_rng(5), 40_000
    clusters = ["black / white", "poor / white", "age"] * 2 + ["old / young"]
    pairs = pd.DataFrame({"cluster": clusters, "bias_type": [*"aaabbbb"], "measure": "pll"})
    pairs = pairs.assign(
        pair_id=[*map(str, range(7))], direction=["stereo", "antistereo"] * 3 + ["stereo"]
    )
    frames = [
        pairs.assign(
            model=name, difference=rng.normal(size=7), token_difference=[0, 1, 2, 0, 0, 1, 3]
        )
        for name in "mn"
    ]
    design = preferences(pd.concat(frames)).design
    assert design.covariates == ("token_difference", "direction")
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    one = {
        "mean": np.array([0.6, 0.1]),
        "type": rng.normal([0.6, 0.1], 0.02, (2, 2)),
        "cluster": rng.normal(0, 0.02, (4, 2)),
        "slope": rng.normal(0, 0.02, (2, 2)),
        "type_sd": np.array([0.1, 0.2]),
        "cluster_sd": np.array([0.01, 0.02]),
        "sigma": np.array([0.3, 0.4]),
    }
    effects = {name: np.repeat(value[None], n, axis=0) for name, value in one.items()}
    found = shares(effects, turn, design, SeedSequence(1))
    alike = word_shares(design.attributes, np.bincount(design.attribute)).toarray()
    alike = alike @ alike.T
    of = np.stack([design.word == 0, design.word == 1, design.word >= 0])
    weight = np.array(
        [[(rows & (design.attribute == c)).sum() / rows.sum() for c in range(4)] for rows in of]
    )
    rest = np.maximum(1 - (weight[:2] @ alike).max(axis=0), 0.5)
    means = np.array([design.x[rows].mean(axis=0) for rows in of])
    within = np.array([design.x[design.attribute == c].mean(axis=0) for c in range(4)])
    expected = one["type"][design.word] + one["cluster"][design.attribute] + design.x @ one["slope"]
    tokens = design.x[:, :1] @ one["slope"][:1]
    for row, rows in enumerate(of):
        new = weight[row] / np.sqrt(rest)
        slopes = one["slope"] @ turn.T  # (n_covariates, n_models)
        moved = new[:, None] * ((within - means[row]) @ slopes)
        variance = (one["cluster_sd"] ** 2 * (new @ alike @ new)) @ (turn**2).T
        variance = variance + np.einsum("cm,cd,dm->m", moved, alike, moved)
        name = ("share", "share", "overall_share")[row]
        for ending, mean in (("", expected[rows]), (EQUAL, (expected - tokens)[rows])):
            draws = found[name + ending]
            draws = draws[:, row] if name == "share" else draws
            error = 5 * np.sqrt(variance / n)
            assert (np.abs(draws.mean(axis=0) - mean.mean(axis=0) @ turn.T) < error).all()
            np.testing.assert_allclose(draws.std(axis=0), np.sqrt(variance), rtol=0.02)
    everywhere = one["mean"] + means[2] @ one["slope"]
    np.testing.assert_allclose(found["population_share"][0], everywhere @ turn.T)
    equal = everywhere - means[2, 0] * one["slope"][0]
    np.testing.assert_allclose(found[f"population_share{EQUAL}"][0], equal @ turn.T)
    for name in ("type_sd", "cluster_sd", "sigma"):
        np.testing.assert_allclose(found[name][0] ** 2, turn**2 @ one[name] ** 2)
    np.testing.assert_allclose(found["slope"][0], one["slope"] @ turn.T)
    for sign in (1, -1):  # beyond a share of one, or below zero
        beyond = {name: 9.0 * sign * value for name, value in effects.items()}
        ends = shares(beyond, np.eye(2), design, SeedSequence(1))
        for name in ("share", "overall_share", "population_share"):
            assert set(np.unique(ends[name][..., 0])) == {float(sign > 0)}


def test_language_models_are_ranked_and_compared_draw_by_draw() -> None:
    rng, models, types = default_rng(7), ["m", "n", "o"], ["age", "race"]
    coords = {"language_model": models, "bias_type": types, "covariate": ["token_difference"]}
    sample, of = ("chain", "draw"), ("language_model",)
    shape = {"share": ("bias_type", *of), "overall_share": of, "population_share": of}
    shape |= {"type_sd": of, "cluster_sd": of, "sigma": of, "slope": ("covariate", *of)}
    posterior = {
        name: ((*sample, *dims), rng.uniform(0.3, 0.7, (2, 10, *(len(coords[d]) for d in dims))))
        for name, dims in shape.items()
    }
    tree = xr.DataTree.from_dict({"posterior": xr.Dataset(posterior, coords)})
    keep_warnings(tree, [])
    values = {name: of.reshape(20, *of.shape[2:]) for name, (_, of) in posterior.items()}
    draws = {
        ("overall", ""): values["overall_share"],
        ("population", ""): values["population_share"],
    }
    draws |= {("bias_type", name): values["share"][:, at] for at, name in enumerate(types)}
    summary, ranks = pair_summary(tree, 0.8, "eti"), model_ranks(tree)
    apart = model_contrasts(tree, 0.8, "eti")
    for key, share in draws.items():
        label = dict(zip(("level", "bias_type"), key, strict=True))
        own = rows_of(summary, label)
        expected = describe_draws(share, 0.8, "eti")
        np.testing.assert_allclose(own[[*expected]], expected)
        np.testing.assert_allclose(own["p_above"], (share > 0.5).mean(axis=0))
        table = rows_of(ranks, label).pivot(index="model", columns="rank", values="probability")
        higher = 1 + (share[:, :, None] < share[:, None, :]).sum(axis=2)
        counted = np.array([(higher == place).mean(axis=0) for place in (1, 2, 3)]).T
        np.testing.assert_allclose(table.loc[models, [1, 2, 3]], counted)
        gaps = np.column_stack([one - other for one, other in combinations(share.T, 2)])
        described = compare_draws(gaps, 0.8, 0.0, "eti")[
            ["mean", "sd", "low", "high", "p_direction"]
        ]
        pairs = rows_of(apart, label)
        assert [*zip(pairs["first"], pairs["second"], strict=True)] == [*combinations(models, 2)]
        np.testing.assert_allclose(pairs[[*described]], described)
    scales = pair_scales(tree, 0.8, "eti").set_index("parameter")
    slope = describe_draws(values["slope"][:, 0], 0.8, "eti")
    np.testing.assert_allclose(scales.loc["slope of token_difference", [*slope]], slope)
