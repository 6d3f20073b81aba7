"""What is learned of topics: spreads that are known, shapes and cohesion of drawn lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from background_toys import keyed
from builders import refused

import bayesbias as bb
from bayesbias import background as bg
from bayesbias._core.arrays import unit_rows
from bayesbias.background.reference_words import mean_cosine, topic
from bayesbias.background.topics import WIDE, _population
from bayesbias.tables.schema import COLUMNS


def test_the_population_of_log_sds_is_that_of_normal_theory() -> None:
    """Each table measures its log sd with a known Normal error: everything has a closed form.

    Measured values are Normal(m, sqrt(s² + error²)), so m and s of highest likelihood are
    their mean, and what their variance exceeds that of the error by.
    """
    rng = np.random.default_rng(1)
    n_tables, error = 50, 0.3
    measured = rng.normal(-2.5, np.hypot(0.4, error), n_tables)
    about, spread = WIDE.parameters["log_mean"], WIDE.parameters["log_sd"]
    precision = 1 / error**2 + 1 / spread**2
    centre = (measured / error**2 + about / spread**2) / precision
    draws = centre[:, None] + rng.standard_normal((n_tables, 20_000)) / np.sqrt(precision)
    # Means of 20,000 weights each, over 50 tables: relative errors well below 1%.
    expected = measured.mean(), np.sqrt(measured.var() - error**2)
    np.testing.assert_allclose(_population(draws), expected, atol=0.01)


def simulated(sd: float, rng: np.random.Generator, n_groups: int = 3) -> pd.DataFrame:
    """A table in which groups, sets and topics have effects, and cells little noise."""
    topics = sd * rng.standard_normal((n_groups, n_groups))
    topics -= topics.mean(axis=1, keepdims=True)
    topics += 0.1 * rng.standard_normal((n_groups, 1)) + 0.1 * rng.standard_normal(n_groups)
    rows = [
        (f"{g}w{w}", str(g), f"{s}a{a}", f"set {s}", "associated" if g == s else "different")
        for g, w, s, a in np.ndindex(n_groups, 2, n_groups, 3)
    ]
    distances = 0.9 + np.broadcast_to(topics[:, None, :, None], (n_groups, 2, n_groups, 3)).ravel()
    distances = distances + 0.005 * rng.standard_normal(len(rows))
    return pd.DataFrame(rows, columns=list(COLUMNS[:5])).assign(cosine_distance=distances)


def test_the_spread_of_topics_is_found() -> None:
    rng = np.random.default_rng(2)
    tables = [simulated(0.06 * np.exp(0.3 * rng.standard_normal()), rng) for _ in range(12)]
    prior = bg.topic_prior(tables, seed=1)
    assert prior.family == "lognormal"
    # Four degrees of freedom a table tell a log sd to .4, which with the spread of .3 makes .5;
    # twelve tables to .14. Less than three of these, and than the factor of the set effects.
    assert prior.parameters["log_mean"] == pytest.approx(np.log(0.06), abs=0.39)
    assert prior.parameters["log_sd"] == pytest.approx(0.3, abs=0.3)


def test_topics_and_the_overall_contrast_of_two_groups_share_what_the_data_say() -> None:
    """With two groups and two sets the interaction of topics of sd t has the variance t².

    That of the overall contrast is known only with the topics: its prior variance, 2 x .3²,
    meets data of the variance that it has without topics, and t² besides.
    """
    table, found = simulated(0.05, np.random.default_rng(3), n_groups=2), {}
    for sd in (1e-4, 0.1):
        prior = bb.Prior("lognormal", {"log_mean": float(np.log(sd)), "log_sd": 0.01})
        tree = bb.fit(table, "maximal-topics", priors={"topic_sd": prior}, seed=1)
        means = tree["posterior"]["connection_mean"]
        contrast = means.sel(connection="associated") - means.sel(connection="different")
        found[sd] = float(contrast.var())
    own = 1 / (1 / found[1e-4] - 1 / 0.18)
    # A variance of 4,000 draws has an error of 2.2%; the sds of leanings move a little.
    assert found[0.1] == pytest.approx(1 / (1 / 0.18 + 1 / (own + 0.01)), rel=0.12)


@pytest.fixture(scope="module")
def embedding() -> Any:
    """Words w0 to w599 in 40 clusters of 15, of 30 dimensions."""
    rng = np.random.default_rng(4)
    middles = np.repeat(rng.standard_normal((40, 30)), 15, axis=0)
    return keyed([f"w{i}" for i in range(600)], middles + 0.7 * rng.standard_normal((600, 30)))


@pytest.fixture(scope="module")
def wordlist() -> bb.WordList:
    """Two coherent groups; one coherent set, and one of words from anywhere."""
    return bb.WordList(
        "mine",
        groups={"x": ("w0", "w1", "w2", "w3"), "y": ("w15", "w16", "w17")},
        stereotypes={"x": ("w30", "w31", "absent", "w32"), "y": ("w50", "w200", "w300", "w400")},
        controls={"neutral": ("w500",), "human": ("w501",)},
    )


def test_tables_have_the_shape_of_the_list_and_other_words(
    embedding: Any, wordlist: bb.WordList
) -> None:
    own = bb.distance_table(embedding, wordlist)
    own = own[own["connection"].isin(["associated", "different"])]
    shape = own.groupby("protected_group")["protected_word"].nunique()
    drawn = list(bg.topic_tables(embedding, wordlist, n_tables=2, seed=1, progressbar=False))
    for table in drawn:
        assert table["connection"].tolist() == own["connection"].tolist()
        pd.testing.assert_series_equal(
            table.groupby("protected_group")["protected_word"].nunique(), shape
        )
        words = {*table["protected_word"], *table["attribute"]}
        assert len(words) == 4 + 3 + 3 + 4
        assert not words & set(wordlist.words)


def test_topics_are_as_coherent_as_asked_and_of_words_that_are_free(embedding: Any) -> None:
    vectors, rng = unit_rows(embedding.vectors), np.random.default_rng(5)
    free = np.ones(len(vectors), dtype=bool)
    for cohesion in (0.6, 0.1):
        drawn = [topic(vectors, free, 8, cohesion, rng) for _ in range(40)]
        assert all(len(set(rows.tolist())) == 8 for rows in drawn)
        found = np.mean([mean_cosine(vectors[rows]) for rows in drawn])
        assert found == pytest.approx(cohesion, abs=0.06)  # neighborhoods end at a word
    free[10:] = False
    assert set(topic(vectors, free, 10, 0.5, rng).tolist()) == set(range(10))


def test_what_no_prior_can_be_learned_from_is_refused() -> None:
    table = simulated(0.05, np.random.default_rng(7))
    refused("from two tables or more; got 1", bg.topic_prior, [table], seed=1)
    refused("unknown parameter 'topic_sd'", bg.topic_prior, [table, table], "maximal", seed=1)
