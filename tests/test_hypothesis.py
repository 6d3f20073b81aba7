"""Questions in words against arithmetic on the draws."""

from __future__ import annotations

import numpy as np
import pytest
from builders import FAST, distances
from xarray import DataTree

import bayesbias as bb

WORDS = {"he": "man", "him": "man", "she": "woman", "black-haired": "woman", "man": "man"}


@pytest.fixture(scope="module")
def post() -> DataTree:
    return bb.fit(distances(WORDS), "paper", seed=3, **FAST)


def mean_of(post: DataTree, words: list[str], connection: str) -> np.ndarray:
    means = post["posterior"]["word_mean"].sel(protected_word=words, connection=connection)
    return means.mean("protected_word").values.ravel()


def test_statements_are_arithmetic_on_draws(post: DataTree) -> None:
    men, women = ["he", "him", "man"], ["she", "black-haired"]
    texts = [
        "man: associated - different < woman: associated - different",
        "word man:associated>.5 * `black-haired`: human + 0.4",
        "associated - 2 * different < -0.9",
    ]
    overall = {
        c: post["posterior"]["connection_mean"].sel(connection=c).values.ravel()
        for c in ("associated", "different")
    }
    apart = [
        mean_of(post, men, "associated")
        - mean_of(post, men, "different")
        - mean_of(post, women, "associated")
        + mean_of(post, women, "different"),
        mean_of(post, ["man"], "associated") - mean_of(post, ["black-haired"], "human") / 2 - 0.4,
        overall["associated"] - 2 * overall["different"] + 0.9,
    ]
    frame = bb.hypothesis(post, *texts)
    assert frame["hypothesis"].tolist() == texts
    for row, draws, sign in zip(frame.to_dict("records"), apart, (-1, 1, -1), strict=True):
        assert row["probability"] == pytest.approx((sign * draws > 0).mean())
        assert row["mean"] == pytest.approx(draws.mean())
    groups = bb.contrasts(post, between="groups")
    pair = groups[(groups["first"] == "associated") & (groups["second"] == "different")].iloc[0]
    signs = 1 if pair["protected_group"] == "man" else -1
    assert signs * pair["mean"] == pytest.approx(frame["mean"][0])
    assert len(groups) == 10  # pairs of five connections, one pair of groups


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("associated - different", "one < or > is needed; there are 0"),
        ("associated < 0 < 1", "one < or > is needed; there are 2"),
        ("assocated < 0", "unknown connection 'assocated'; did you mean 'associated'"),
        ("mann: human < 0", "unknown group or word 'mann'; did you mean 'man'"),
        ("human human < 1", "a connection, a number or a sign is lacking"),
        ("human = 1", "'=' means nothing here"),
        ("man: associated - < 1", "a connection, a number or a sign is lacking"),
    ],
)
def test_errors_name_the_statement(post: DataTree, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        bb.hypothesis(post, text)
    assert repr(text) in str(caught.value)


def test_what_stands_before_a_colon_holds_beyond_the_sign(post: DataTree) -> None:
    sides = ["different", "woman: different", "all: different"]
    texts = [f"woman: associated < {right}" for right in sides]
    short, whole, overall = bb.hypothesis(post, *texts)["mean"]
    assert short == whole != overall
