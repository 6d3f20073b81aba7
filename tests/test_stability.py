"""Subsets of words and pairs against the finite-population variance and direct computation."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import leaning, refused
from numpy.random import SeedSequence, default_rng

import bayesbias as bb
from bayesbias.workflows.stability import POSTERIOR, _list, _Sample


@pytest.mark.seconds
def test_subsets_have_the_variance_of_a_finite_population() -> None:
    """A mean over n of N values has the variance (1 - n/N) s² / n; each word is in n/N of them."""
    rng = np.random.default_rng(3)
    values, n_subsets = rng.normal(size=12), 4000
    sample = _Sample([{"a": np.arange(12), "b": np.arange(12)}], lambda _: {}, {})
    for share, n in ((0.5, 6), (0.75, 9)):
        subsets = [sample.subset(share, rng) for _ in range(n_subsets)]
        means = np.array([values[subset["a"]].mean() for subset in subsets])
        expected = (1 - n / 12) * values.var(ddof=1) / n
        # Four standard errors of a variance, about expected * sqrt(2 / n_subsets) each.
        assert means.var() == pytest.approx(expected, rel=4 * np.sqrt(2 / n_subsets))
        assert means.mean() == pytest.approx(values.mean(), abs=4 * np.sqrt(expected / n_subsets))
        assert all((s["b"] == s["a"]).all() and s["a"].sum() == n for s in subsets)


@pytest.mark.seconds
def test_a_list_s_subsets_are_measured_like_the_list() -> None:
    vectors, words = leaning("xy")
    frame = bb.stability(vectors, words, shares=[0.5], n_subsets=3, scores=["mac"], seed=1)
    whole = frame.set_index(["measure", "of"])["whole"]
    assert whole["mac", "x, y"] == pytest.approx(bb.scores.mac(vectors, words).score)
    row = bb.contrasts(bb.fit(bb.distance_table(vectors, words), seed=2)).iloc[0]
    assert whole["posterior", "all"] == pytest.approx(row["mean"], abs=0.1 * row["sd"])
    assert (frame["lowest"] <= frame["highest"]).all()
    assert frame["same_side"].between(0, 1).all()
    assert (frame["n"] == 3).all()
    for shares in ([1.0], 1, True, ["half"], None):
        refused(r"shares must lie in \(0, 1\)", bb.stability, vectors, words, shares=shares)


def defined(vectors: dict[str, np.ndarray], words: bb.WordList) -> dict[tuple[str, str], float]:
    """Return the scores of a list that are defined."""
    table = bb.score_table(vectors, words, n_resamples=2).dropna(subset="value")
    return {(row.score, (*row.groups.split(", "),)): row.value for row in table.itertuples()}


@pytest.mark.seconds
@pytest.mark.parametrize(
    ("groups", "lost", "longer"),
    [
        ("xy", (), ""),
        ("xy", ("x4", "y0"), ""),
        ("xy", ("x0", "x1"), ""),
        ("xy", ("x0", "x1", "y2"), "x"),
        ("xyz", ("x3", "y1", "z0", "z1"), ""),
        ("xyz", ("x3", "y1", "z_s3"), "z"),
    ],
)
def test_subsets_are_scored_like_the_list_without_the_other_words(
    groups: str, lost: tuple[str, ...], longer: str
) -> None:
    """Words that are not kept are taken out of the vectors, where they count as missing.

    Groups can lack different words, and one group can be longer than the others.
    """
    vectors, words = leaning(groups)
    more = {name: (*words.groups[name], "none") for name in longer}
    words = replace(words, groups={**words.groups, **more})
    vectors = {w: row.astype(np.float32) for w, row in vectors.items() if w not in lost}
    listed = {f"group {name}": own for name, own in words.groups.items()}
    listed |= {f"stereotypes of {name}": own for name, own in words.stereotypes.items()}
    sample, rng = _list(vectors, words, None, "", SeedSequence(1)), default_rng(2)

    def left_in(kept: Mapping[str, np.ndarray]) -> set[str]:
        found = {name: [word for word in own if word in vectors] for name, own in listed.items()}
        return {word for name, mask in kept.items() for word in np.array(found[name])[mask]}

    for share in (1 - 1e-9, 0.5, 0.2):
        kept = sample.subset(share, rng)
        part = {word: vectors[word] for word in left_in(kept)}
        assert len(part) == len(vectors) or share < 0.9
        values = {of: value for of, value in sample.values(kept).items() if of[0] != POSTERIOR}
        # sums differ in the last digits
        assert values == pytest.approx(defined(part, words), rel=1e-9, abs=1e-12)
    pairs = zip(words.groups["x"], words.groups["y"], strict=False)
    whole = [{*pair} for pair in pairs if vectors.keys() >= {*pair} and "x" not in longer]
    drawn = set[str]()
    for _ in range(100):
        kept = sample.subset(0.5, rng)
        drawn |= left_in(kept)
        assert min(mask.sum() for mask in kept.values()) >= 2
        assert all(len(pair & left_in(kept)) != 1 for pair in whole)
    assert drawn == vectors.keys()


@pytest.mark.seconds
def test_groups_whose_names_are_joined_alike_have_rows_of_their_own() -> None:
    vectors, words = leaning("wxyz")
    names = dict(zip("wxyz", ("all", "b, c", "all, b", "c"), strict=True))
    fields = ({names[g]: own for g, own in of.items()} for of in (words.groups, words.stereotypes))
    renamed = bb.WordList("names", *fields)
    options = {"shares": 0.5, "n_subsets": 2, "scores": ["weat"], "seed": 1}
    plain, frame = (bb.stability(vectors, of, **options) for of in (words, renamed))
    values = plain.columns.drop("of")
    pd.testing.assert_frame_equal(frame[values], plain[values])


def scored(n: int = 60) -> pd.DataFrame:
    """Return pairs of two bias types."""
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "model": "one",
            "measure": "pll",
            "pair_id": [f"p{i}" for i in range(n)],
            "bias_type": ["age", "race"] * (n // 2),
            "difference": rng.normal(0.5, 1, n),
        }
    )


@pytest.mark.seconds
def test_pairs_keep_their_share_of_every_bias_type() -> None:
    n, paired = 60, scored()
    frame = bb.stability(paired, shares=[0.5], n_subsets=4, seed=1).set_index("measure")
    preferred = (paired["difference"] > 0).astype(float)
    assert frame.loc["share", "whole"] == preferred.mean()
    assert frame.loc["posterior", "whole"] == pytest.approx(preferred.mean(), abs=0.05)
    steps = np.array(frame.loc["share", ["lowest", "highest"]], dtype=float) * n / 2
    np.testing.assert_allclose(steps, steps.round(), atol=1e-9)  # 15 pairs of each type


@pytest.mark.seconds
def test_subsets_of_pairs_have_the_covariates_of_all_pairs() -> None:
    """A subset can lack the one row without a number of tokens."""
    paired, options = scored(), {"shares": [0.5], "n_subsets": 4, "seed": 1}
    tokens = 2.0 * (paired["difference"] > 0)
    tokens[0] = np.nan
    with pytest.warns(bb.warnings.IncompleteCovariate) as told:
        frame = bb.stability(paired.assign(token_difference=tokens), **options)
    assert [warning.message.n for warning in told] == [1]
    pd.testing.assert_frame_equal(frame, bb.stability(paired, **options))


@pytest.mark.seconds
def test_a_subset_without_variation_counts_for_its_share_alone() -> None:
    """Of 8 pairs, one is not preferred, so a half of them is unanimous half of the time."""
    paired = scored(8).assign(bias_type="age", difference=[-1.0, *[1.0] * 7])
    with pytest.raises(ValueError, match="intervals cannot be estimated"):
        bb.stability(paired.assign(difference=1.0), seed=1)
    frame = bb.stability(paired, shares=0.5, n_subsets=12, seed=1).set_index("measure")
    assert frame.loc["share", "n"] == 12
    assert 0 < frame.loc["posterior", "n"] < 12
    n_mixed = (1 - frame.loc["share", "mean"]) * 12 * 4  # a mixed half lacks 1 of 4
    assert frame.loc["posterior", "n"] == pytest.approx(n_mixed)


@pytest.mark.seconds
def test_pairs_that_a_model_lacks_are_in_no_number() -> None:
    one = scored().assign(difference=np.random.default_rng(6).normal(0.5, 1, 60))
    other = scored().assign(model="other")
    both = [one.iloc[:48], other.iloc[12:]]
    options = {"shares": 0.5, "n_subsets": 2, "seed": 1}
    with pytest.warns(bb.warnings.LeftOut) as told:
        frame = bb.stability(pd.concat(both), **options)
    assert [(w.message.n, w.message.total) for w in told] == [(24, 60)]
    shared = pd.concat([part.iloc[12:48] for part in (one, other)])
    pd.testing.assert_frame_equal(frame, bb.stability(shared, **options))
