"""What readers of posteriors refuse, and how they say so."""

from __future__ import annotations

import json
from collections.abc import Callable

import pandas as pd
import pytest
from builders import doubtful
from xarray import DataTree

import bayesbias as bb
from bayesbias import comparison
from bayesbias.model.tree import SamplingWarning
from bayesbias.posterior.posterior_scores import posterior_scores

SCORES = (bb.summary, bb.sd_summary, bb.contrasts, bb.predictive_check, bb.prior_sensitivity)

Call = Callable[[DataTree], object]

ARGUMENTS: list[tuple[Call, str]] = [
    (lambda post: bb.summary(post, ci_prob=89), r"for 89% pass 0\.89"),
    (lambda post: bb.predict_words(post, ci_prob=89), r"ci_prob must lie in \(0, 1\)"),
    (lambda post: bb.predictive_check(post, (50,)), r"for 50% pass 0\.5"),
    (lambda post: bb.contrasts(post, rope=-0.1), r"rope is a distance and must lie in \[0, 2\]"),
    (lambda post: bb.contrasts(post, rope=float("nan")), "rope is a distance"),
    (lambda post: bb.contrasts(post, over="list"), "over: unknown choice 'list'; did you mean"),
    (lambda post: bb.contrasts(post, between="group"), "between: unknown choice 'group'"),
    (lambda post: bb.contrasts(post, named="hes"), "unknown protected word 'hes'"),
    (lambda post: bb.predict_words(post, attributes="list"), "attributes: unknown choice 'list'"),
    (lambda post: bb.predict_words(post, rope=3), "rope is a distance"),
    (lambda post: bb.influence(post, second="humans"), "connection 'humans'; did you mean 'human'"),
    (lambda post: bb.influence(post, second="associated"), "first and second are both 'assoc"),
    (lambda post: bb.prior_sensitivity(post, ["word_means"]), "did you mean 'word_mean'"),
    (lambda post: bb.contrasts(post, between={}), "facets: there are none"),
    (lambda post: bb.contrasts(post, between={"f": {"boy": "x"}}), "facet f: unknown group 'boy'"),
    (
        lambda post: bb.contrasts(post, between={"f": {"man": "x"}, "g": {"woman": "y"}}),
        "the group man lacks the label of a facet",
    ),
    (
        lambda post: bb.contrasts(
            post, between={"f": {"man": "x", "woman": "y"}, "g": {"man": "v", "woman": "w"}}
        ),
        "facets: no group is x w, nor y v",
    ),
    (bb.hypothesis, "no hypothesis is given"),
    (lambda post: bb.hypothesis(post, "associated - different"), "one < or > is needed.* are 0"),
    (lambda post: bb.hypothesis(post, "associated < 0 < 1"), "one < or > is needed; there are 2"),
    (lambda post: bb.hypothesis(post, "assocated < 0"), "'assocated < 0': unknown connection"),
    (lambda post: bb.hypothesis(post, "mann: human < 0"), "unknown group or word 'mann'; did you"),
    (lambda post: bb.hypothesis(post, "human human < 1"), "a number or a sign is lacking"),
    (lambda post: bb.hypothesis(post, "human = 1"), "'=' means nothing here"),
    (lambda post: bb.hypothesis(post, "man: associated - < 1"), "a number or a sign is lacking"),
    (bb.effective_sizes, "carries no cosines"),
    (comparison.changes, r"pass one that bb.fit_change gave"),
    (bb.rank_embeddings, "not a posterior of many embeddings"),
    (lambda post: bb.contrasts(post.sel(protected_word=["he"]), over="listed"), "labels of prot"),
    (lambda post: bb.posterior_scores(post.sel(protected_word=["hers", "he"])), "were selected"),
    (lambda post: bb.influence(post.sel(protected_word=["hers", "he"])), "the whole posterior"),
    (lambda post: bb.summary(post.sel(protected_group=["woman"])), "labels of protected_group"),
    (lambda post: bb.predictive_check(post.isel(connection=[1, 0, 2, 3])), "labels of connection"),
    (lambda post: bb.contrasts(post.sel(protected_word=["he"])), "and select rows of the frame"),
    (lambda post: bb.summary(post.sel(protected_word="he")), r"sel\(protected_word=\['he'\]\)"),
]


def test_bad_arguments_and_selected_posteriors_are_named(crossed_posterior: DataTree) -> None:
    for call, fragment in ARGUMENTS:
        with pytest.raises(ValueError, match=fragment):
            call(crossed_posterior)


def test_posteriors_of_too_few_connections_are_refused(toy_table: pd.DataFrame) -> None:
    def post(*connections: str) -> DataTree:
        rows = toy_table[toy_table["connection"].isin(connections)]
        return bb.fit(rows, "paper", method="exact", draws=500, chains=1, seed=1)

    for read in (bb.contrasts, bb.predict_words):
        with pytest.raises(ValueError, match="has the connection different only"):
            read(post("different"))
    with pytest.raises(ValueError, match="no associated or different rows"):
        bb.posterior_scores(post("neutral", "human"))


def test_what_cannot_be_compared_is_refused(
    crossed_posterior: DataTree, toy_table: pd.DataFrame
) -> None:
    paper, robust = (bb.fit(toy_table, "paper", draws=50, seed=1) for _ in range(2))
    two = {"paper": paper, "crossed": bb.fit(toy_table, "crossed", draws=50, seed=1)}
    robust.attrs["spec"] = json.dumps(bb.load_model("robust").to_dict())
    for given, leave_out, fragment in (
        ({"paper": paper, "b": DataTree()}, "row", "'b' was not fitted to the table of 'paper'"),
        ({"a": DataTree(), "b": DataTree()}, "row", "not fitted to the table of .a.*table_hash"),
        ({"paper": paper}, "row", "two posteriors or more; got 1"),
        (two, "word", "leave_out: unknown choice 'word'"),
        (two | {"robust": robust}, "attribute", "'robust' has a student_t likelihood"),
        (two, "attribute", r"connection\(s\) human have a single attribute word"),
    ):
        with pytest.raises(ValueError, match=fragment):
            bb.compare_models(given, leave_out)
    with pytest.raises(TypeError, match="posteriors come by name"):
        bb.compare_models([crossed_posterior])  # type: ignore[arg-type]


def test_doubts_travel_with_every_frame(crossed_posterior: DataTree) -> None:
    for read in (*SCORES, posterior_scores):
        with pytest.warns(SamplingWarning, match="do not trust me") as caught:
            assert read(doubtful(crossed_posterior)).attrs["warnings"] == ["do not trust me"]
        assert caught[0].filename == __file__
