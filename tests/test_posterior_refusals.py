"""What readers of posteriors refuse, and how they say so."""

from __future__ import annotations

import pandas as pd
import pytest
from xarray import DataTree

import bayesbias as bb


def test_bad_arguments_are_named(crossed_posterior: DataTree) -> None:
    post = crossed_posterior
    for read, arguments, fragment in (
        (bb.summary, {"ci_prob": 89}, r"for an 89% interval pass 0\.89"),
        (bb.predict_words, {"ci_prob": 89}, r"ci_prob must lie in \(0, 1\)"),
        (bb.predictive_check, {"ci_probs": (50,)}, r"for a 50% interval pass 0\.5"),
        (bb.contrasts, {"rope": -0.1}, r"rope is a distance and must lie in \[0, 2\]"),
        (bb.contrasts, {"rope": float("nan")}, "rope is a distance"),
        (bb.contrasts, {"over": "list"}, "over: unknown choice 'list'; did you mean 'listed'"),
        (bb.contrasts, {"between": "group"}, "between: unknown choice 'group'"),
        (bb.predict_words, {"attributes": "list"}, "attributes: unknown choice 'list'"),
        (bb.predict_words, {"rope": 3}, "rope is a distance"),
        (bb.unpooled_contrasts, {"words": "hes"}, "unknown protected word 'hes'"),
        (bb.influence, {"second": "humans"}, "unknown connection 'humans'; did you mean 'human'"),
        (bb.influence, {"second": "associated"}, "first and second are both 'associated'"),
        (bb.expected_width, {"n_words": 0, "n_attributes": 4}, "n_words must be a whole number"),
        (bb.expected_width, {"n_words": 4, "n_attributes": []}, "n_attributes is empty"),
    ):
        with pytest.raises(ValueError, match=fragment):
            read(post, **arguments)


def test_posteriors_that_do_not_fit_are_refused(
    crossed_posterior: DataTree, toy_table: pd.DataFrame
) -> None:
    post = crossed_posterior
    chosen, single = post.sel(protected_word=["hers", "he"]), post.sel(protected_word="he")
    only = toy_table[toy_table["connection"] == "different"]
    alone = bb.fit(only, "paper", method="exact", draws=500, chains=1, seed=1)
    for read, tree, fragment in (
        (lambda tree: bb.contrasts(tree, over="listed"), chosen, "labels of protected_word"),
        (bb.posterior_scores, chosen, "labels of protected_word were selected"),
        (bb.influence, chosen, "pass the whole posterior"),
        (bb.summary, post.sel(protected_group=["woman"]), "labels of protected_group"),
        (bb.predictive_check, post.isel(connection=[1, 0, 2, 3]), "labels of connection"),
        (bb.contrasts, chosen, "pass the whole posterior, and select rows of the frame"),
        (bb.summary, single, r"select a list, such as post.sel\(protected_word=\['he'\]\)"),
        (bb.contrasts, alone, "has the connection different only"),
        (bb.predict_words, alone, "has the connection different only"),
    ):
        with pytest.raises(ValueError, match=fragment):
            read(tree)
