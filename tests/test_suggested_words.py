"""Candidates for a list: nearness by brute force, widths by tables that are longer indeed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from gensim.models import KeyedVectors
from scipy.stats import norm
from xarray import DataTree

import bayesbias as bb
from bayesbias.background.suggested_words import DRAWS
from bayesbias.model.design import make_design
from bayesbias.model.tree import design_of, spec_of
from bayesbias.posterior.influence import contrast_weights, some_parameters
from bayesbias.sampling.collapsed import mean_moments
from bayesbias.sampling.reduction import collapse

LIST = bb.WordList(
    name="colours",
    groups={"red": ("rose", "cherry", "ruby"), "blue": ("sky", "sea")},
    stereotypes={"red": ("hot", "angry", "loud", "near"), "blue": ("cold", "calm", "far")},
    controls={"neutral": ("table", "chair", "spoon")},
)
N_OTHERS = 400


@pytest.fixture(scope="module")
def vectors() -> KeyedVectors:
    rng = np.random.default_rng(5)
    names = [*LIST.words, *(f"other{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(N_OTHERS))]
    made = KeyedVectors(6)
    made.add_vectors(names, rng.normal(size=(len(names), 6)).astype(np.float32))
    return made


@pytest.fixture(scope="module")
def post(vectors: KeyedVectors) -> DataTree:
    return bb.fit(bb.distance_table(vectors, LIST), draws=100, chains=2, seed=1)


def suggested(vectors: KeyedVectors, post: DataTree, **options: int) -> pd.DataFrame:
    return bb.suggest_words(vectors, post, progressbar=False, **options)


def test_candidates_are_the_most_similar_that_are_nearest_there(
    vectors: KeyedVectors, post: DataTree
) -> None:
    frame = suggested(vectors, post, n=4, vocabulary=300)
    assert set(frame["factor"]) == {"protected_word", "attribute"}
    assert frame["width_with"].is_monotonic_increasing
    held = set(LIST.words)
    others = [word for word in vectors.index_to_key[:300] if word not in held]
    sides = {
        "protected_word": LIST.groups,
        "attribute": {f"{name}_stereotype": each for name, each in LIST.stereotypes.items()},
    }
    for (factor, of), part in frame.groupby(["factor", "of"]):
        near = {
            name: {w: np.mean([vectors.similarity(w, own) for own in words]) for w in others}
            for name, words in sides[factor].items()
        }
        own = near.pop(of)
        free = [w for w in others if all(own[w] > rival[w] for rival in near.values())]
        assert list(part["candidate"]) == sorted(free, key=own.__getitem__, reverse=True)[:4]
        np.testing.assert_allclose(part["similarity"], [own[w] for w in part["candidate"]], 1e-5)
        ranks = [vectors.key_to_index[w] + 1 for w in part["candidate"]]
        assert list(part["rank"]) == ranks


@pytest.mark.parametrize(
    ("factor", "of", "like"),
    [("protected_word", "blue", "sea"), ("attribute", "red_stereotype", "loud")],
)
def test_widths_are_those_of_a_longer_table(
    vectors: KeyedVectors, post: DataTree, factor: str, of: str, like: str
) -> None:
    table = bb.distance_table(vectors, LIST)
    more = table[table[factor] == like].assign(**{factor: "another", "cosine_distance": 1.0})
    longer = make_design(pd.concat([table, more], ignore_index=True))
    spec = spec_of(post).fitting(longer)
    parameters = some_parameters(post, collapse(design_of(post), spec), DRAWS)
    weights = contrast_weights(post, "associated", "different")
    variance = mean_moments(collapse(longer, spec), parameters, weights)[1]
    width = float(2 * norm.ppf(0.945) * np.sqrt(variance).mean())
    frame = suggested(vectors, post, n=1)
    found = frame[(frame["factor"] == factor) & (frame["of"] == of)]
    assert found["width_with"].item() == pytest.approx(width, rel=1e-9)  # float64, another order
    assert f"{1 - width / found['width'].item():.1%} narrower" in found["reason"].item()


def test_an_embedding_without_a_set_is_refused(vectors: KeyedVectors, post: DataTree) -> None:
    less = KeyedVectors(6)
    names = [word for word in vectors.index_to_key if word not in LIST.stereotypes["blue"]]
    less.add_vectors(names, vectors[names])
    with pytest.raises(ValueError, match=r"none of the words of 'blue_stereotype'"):
        suggested(less, post)
    with pytest.raises(ValueError, match="n must be"):
        suggested(vectors, post, n=0)
