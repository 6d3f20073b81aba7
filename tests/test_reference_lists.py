"""Reference lists: other topics, equally frequent words, and vocabulary contrasts."""

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from background_toys import leaning_list
from builders import groups_by_sets, keyed, only_row, refused
from gensim.models import KeyedVectors
from numpy.random import default_rng

import bayesbias as bb
from bayesbias import background as bg
from bayesbias.background.pools import draw_pool
from bayesbias.background.reference_words import draw_lists, topic, words_present
from bayesbias.background.topics import WIDE, _population
from bayesbias.background.vocabulary_contrasts import KEYS, VocabularyContrasts, list_contrasts
from bayesbias.embeddings.distances import measure
from bayesbias.embeddings.formats.keyed import ranks_of
from bayesbias.tables.schema import checked
from bayesbias.workflows import ruler


def test_the_population_of_log_sds_is_that_of_normal_theory() -> None:
    """Each table measures its log sd with a known Normal error, so there is a closed form."""
    rng = np.random.default_rng(1)
    n_tables, error = 50, 0.3
    measured = rng.normal(-2.5, np.hypot(0.4, error), n_tables)
    about, spread = WIDE.parameters["log_mean"], WIDE.parameters["log_sd"]
    precision = 1 / error**2 + 1 / spread**2
    center = (measured / error**2 + about / spread**2) / precision
    draws = center[:, None] + rng.standard_normal((n_tables, 20_000)) / np.sqrt(precision)
    # Means of 20,000 weights, over 50 tables, have relative errors far below 1%.
    expected = measured.mean(), np.sqrt(measured.var() - error**2)
    np.testing.assert_allclose(_population(draws), expected, atol=0.01)


def simulated(sd: float, rng: np.random.Generator) -> pd.DataFrame:
    """Return a table with effects of groups, sets, and topics, and little noise in cells."""
    topics = sd * rng.standard_normal((3, 3))
    topics -= topics.mean(axis=1, keepdims=True)
    topics += 0.1 * rng.standard_normal((3, 1)) + 0.1 * rng.standard_normal(3)
    distances = 0.9 + np.broadcast_to(topics[:, None, :, None], (3, 2, 3, 3)).ravel()
    distances = distances + 0.005 * rng.standard_normal(len(distances))
    return groups_by_sets("xyz", 2, 3).assign(cosine_distance=distances)


@pytest.mark.seconds
def test_the_spread_of_topics_is_found() -> None:
    rng = np.random.default_rng(2)
    tables = [simulated(0.06 * np.exp(0.3 * rng.standard_normal()), rng) for _ in range(12)]
    prior = bg.topic_prior(tables, seed=1)
    assert prior.family == "lognormal"
    # With 4 degrees of freedom per table, a log sd has an error of .4; with the spread of .3, .5;
    # for twelve tables, .14. Allow almost three of these, which is below the set effects' factor.
    assert prior.parameters["log_mean"] == pytest.approx(np.log(0.06), abs=0.39)
    assert prior.parameters["log_sd"] == pytest.approx(0.3, abs=0.3)


def test_tables_have_the_shape_of_the_list_and_other_words() -> None:
    """The embedding has 40 clusters of 15 words; one set of stereotypes is of random words."""
    rng = np.random.default_rng(4)
    middles = np.repeat(rng.standard_normal((40, 30)), 15, axis=0)
    rows = middles + 0.7 * rng.standard_normal((600, 30))
    embedding = keyed([f"w{i}" for i in range(600)], rows)
    groups = {"x": ("w0", "w1", "w2", "w3"), "y": ("w15", "w16", "w17")}
    sets = {"x": ("w30", "w31", "absent", "w32"), "y": ("w50", "w200", "w300", "w400")}
    controls = {"neutral": ("w500",), "human": ("w501",)}
    wordlist = bb.WordList("mine", groups, sets, controls)
    own = bb.distance_table(embedding, wordlist)
    own = own[own["connection"].isin(["associated", "different"])]
    shape = own.groupby("protected_group")["protected_word"].nunique()
    drawn = list(bg.topic_tables(embedding, wordlist, n_tables=2, seed=1, progressbar=False))
    for table in drawn:
        assert table["connection"].tolist() == own["connection"].tolist()
        found = table.groupby("protected_group")["protected_word"].nunique()
        pd.testing.assert_series_equal(found, shape)
        words = {*table["protected_word"], *table["attribute"]}
        assert len(words) == 4 + 3 + 3 + 4
        assert not words & set(wordlist.words)


def test_what_no_prior_can_be_learned_from_is_refused() -> None:
    table = simulated(0.05, np.random.default_rng(7))
    refused("two or more tables to learn a prior; got 1", bg.topic_prior, [table], seed=1)
    refused("unknown parameter 'topic_sd'", bg.topic_prior, [table, table], "maximal", seed=1)


N_WORDS = 4_000


def vocabulary(seed: int = 1) -> KeyedVectors:
    """Return words in order of frequency; rarer words are farther from all others."""
    rng = default_rng(seed)
    common = 2.0 - 1.5 * np.log10(np.arange(1, N_WORDS + 1)) / np.log10(N_WORDS)
    matrix = rng.normal(size=(N_WORDS, 20))
    matrix[:, 0] += 2 * common
    places = [(i // 400, i // 20 % 20, i % 20) for i in range(N_WORDS)]
    words = ["w" + "".join(chr(97 + place) for place in of) for of in places]
    vectors = keyed(words, matrix)
    vectors.expandos["count"] = 2 * np.arange(N_WORDS, 0, -1)  # or gensim may have made them up
    return vectors


def list_about_nothing(vectors: KeyedVectors, ranks: np.ndarray) -> bb.WordList:
    """Return a list without meaning: protected words, frequent human words, and stereotypes."""
    names = vectors.index_to_key
    return bb.WordList(
        name="nothing",
        groups={"a": tuple(names[50:56]), "b": tuple(names[56:62])},
        stereotypes={
            "a": tuple(names[rank] for rank in ranks[::2]),
            "b": tuple(names[rank] for rank in ranks[1::2]),
        },
        controls={"human": tuple(names[100:130])},
    )


def test_matched_words_are_as_frequent_and_none_of_the_list() -> None:
    vectors = vocabulary()
    ranks = np.linspace(1_500, 3_000, 16).astype(int)
    words = list_about_nothing(vectors, ranks)
    found = bb.matched_controls(vectors, words, n=3, seed=1)
    matched = found.controls["matched"]
    assert len(set(matched)) == len(matched) == 48
    assert not set(matched) & set(words.words)
    place = {word: rank for rank, word in enumerate(vectors.index_to_key, start=1)}
    for at, stereotype in enumerate([*words.stereotypes["a"], *words.stereotypes["b"]]):
        ratio = np.array([place[word] for word in matched[3 * at : 3 * at + 3]]) / place[stereotype]
        assert (abs(ratio - 1) <= 0.2).all()
    assert found == bb.matched_controls(vectors, words, n=3, seed=1)
    assert found.controls != bb.matched_controls(vectors, words, n=3, seed=2).controls
    table = bb.distance_table(vectors, found)
    assert (table["connection"] == "matched").sum() == 48 * 12


def test_reference_lists_of_like_frequency_lie_where_the_frequency_puts_them() -> None:
    vectors = vocabulary()
    words = list_about_nothing(vectors, np.linspace(1_500, 3_000, 16).astype(int))
    options = {"vary": "stereotypes", "n_lists": 30, "draws": 100, "chains": 1, "seed": 1}
    by = {}
    for match in ("random", "frequency"):
        found = bb.vocabulary_contrasts(vectors, words, "paper", match=match, **options).table
        by[match] = only_row(overall(found), first="associated", second="human")
    assert by["frequency"]["reference_low"] > 0
    assert by["frequency"]["reference_mean"] > by["random"]["reference_mean"]
    assert 0.01 < by["frequency"]["percentile"] < 0.99


def test_a_pool_by_rank_has_as_many_words_of_any_order_of_magnitude() -> None:
    vectors = vocabulary()
    pool = draw_pool(vectors, (), size=300, by_rank=True, rng=default_rng(1), progressbar=False)
    counts = [((pool.ranks > low) & (pool.ranks <= 2 * low)).sum() for low in (500, 1_000, 2_000)]
    # Equal expected counts of about 60, with an sd of 8.
    assert max(counts) - min(counts) < 40
    numbers = default_rng(1).random(len(vectors)) * np.arange(1, len(vectors) + 1)
    assert list(pool.words) == [vectors.index_to_key[i] for i in np.argsort(numbers)[:300]]
    whole = draw_pool(vectors, ("waab", "nothing"), rng=default_rng(1), progressbar=False)
    assert whole.found_ranks == {"waab": 1 + vectors.key_to_index["waab"]}


def test_pools_are_drawn_among_the_ranks_asked_for_in_any_chunks(monkeypatch) -> None:
    vectors = vocabulary()
    names = vectors.index_to_key

    def draw(size: int) -> Any:
        return draw_pool(
            vectors, [names[0], names[150]], ranks=(100, 400), size=size, rng=default_rng(3)
        )

    pool = draw(50)
    order = np.argsort(default_rng(3).random(len(names)))
    assert list(pool.words) == [names[i] for i in order if 100 <= i < 400 and i != 150][:50]
    assert set(pool.found) == {names[0], names[150]}
    np.testing.assert_array_equal(pool.vectors, vectors[list(pool.words)])
    assert len(draw(9999).words) == 299
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 7 * 80)
    assert draw(50).words == pool.words
    options = {"ranks": (99_999, None), "rng": default_rng(3)}
    refused("there are no words with ranks", draw_pool, vectors, [], **options)


def test_ranks_are_places_in_a_file_or_counts_or_those_of_the_source(tmp_path: Path) -> None:
    path = tmp_path / "some.txt"
    path.write_text("the 1 0\nof 0 1\nrare 1 1\n")
    vectors = bb.load_vectors(path, ["rare", "the"])
    bb.save_vectors(vectors, tmp_path / "some.npz")
    again = bb.load_vectors(tmp_path / "some.npz", ["rare"])
    counted = keyed(["few", "many"], np.eye(2))
    counted.set_vecattr("few", "count", 3)
    counted.set_vecattr("many", "count", 30)
    assert [ranks_of(v).tolist() for v in (vectors, again, counted)] == [[1, 3], [3], [2, 1]]


def test_the_bundled_vectors_have_further_words_that_are_as_frequent() -> None:
    found = bb.matched_controls("glove-demo", "religion", case="fallback", seed=1)
    vectors = bb.load_vectors("glove-demo", found, case="fallback")
    matched = set(found.controls["matched"])
    assert matched <= set(vectors.index_to_key)
    assert not matched <= set(bb.load_vectors("glove-demo").index_to_key)
    ranks = dict(zip(vectors.index_to_key, ranks_of(vectors).tolist(), strict=True))
    stereotypes = {w for words in found.stereotypes.values() for w in words if w in ranks}
    medians = [np.median([ranks[word] for word in words]) for words in (stereotypes, matched)]
    assert medians[1] == pytest.approx(medians[0], rel=0.2)


def test_what_cannot_be_matched_is_refused() -> None:
    vectors = vocabulary()
    words = list_about_nothing(vectors, np.array([3, 1_000, 2_000, 3_000]))
    nothing = bb.WordList("x", {"a": ["waaa"], "b": ["waab"]}, {"a": ["q"], "b": ["r"]})
    for given, n, fragment in (
        (words, 5, "'waad' has frequency rank 4, and too few"),
        (words, 0, "n must be a whole number, 1 or more"),
        (nothing, 5, "not contain any stereotypes from 'x'"),
    ):
        refused(fragment, bb.matched_controls, vectors, given, n=n)


def overall(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["level"] == "overall"]


def leaning_embedding(lean: float) -> tuple[Any, bb.WordList]:
    return leaning_list(lean, n_words=800, dims=15, n=5, common=2.0)


@pytest.fixture(scope="module")
def lists() -> VocabularyContrasts:
    return bb.vocabulary_contrasts(*leaning_embedding(3.0), n_lists=30, draws=300, chains=1, seed=1)


def test_a_planted_contrast_lies_beyond_all_random_lists(lists: VocabularyContrasts) -> None:
    own = only_row(overall(lists.table), first="associated", second="different")
    assert own["mean"] < own["reference_low"] < own["reference_high"]
    assert own["percentile"] == 0
    assert own["p_value"] == 2 / 31
    # Random words do not lean toward a set of stereotypes: sd of the mean of 30 lists.
    assert abs(own["reference_mean"]) < 4 * own["reference_sd"] / np.sqrt(30)


@pytest.mark.seconds
@pytest.mark.parametrize("model", ["crossed", "by-group"])
def test_a_reference_list_is_read_as_a_fit_of_its_own_would_read_it(model: str) -> None:
    """Compare means given the table's sds with fits of the list. Only sds differ."""
    vectors, words = leaning_embedding(3.0)
    words = replace(words, controls={"matched": tuple(f"w{i}" for i in range(8))})
    table, pool = (
        bb.distance_table(vectors, words),
        draw_pool(vectors, words.words, rng=default_rng(0)),
    )
    own = words_present(words, pool.found)
    options = {"vary": "both", "match": "topics", "n_lists": 1}
    (drawn,) = draw_lists(pool, own, rng=default_rng(1), **options)
    post = bb.fit(table, model, seed=1)
    found = list_contrasts(checked(table), own, post, pool, [drawn])
    rows = drawn.protected | drawn.stereotypes
    known = pool.found | {word: pool.vectors[row] for word, row in rows.items()}
    fitted = bb.contrasts(bb.fit(bb.distance_table(known, own), model, seed=2))
    fitted = fitted.query("level != 'word'")
    assert found[KEYS].to_numpy().tolist() == fitted[KEYS].to_numpy().tolist()
    # A posterior mean over sds, compared with that at the mean sds of another list.
    assert (abs(found["mean"] - fitted["mean"].to_numpy()) < 0.5 * fitted["sd"].to_numpy()).all()
    listed = {*table["protected_word"], *table["attribute"]}
    assert rows.keys() == listed - {*words.controls["matched"]}


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.WordsInTwoRoles")
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.SameVectors")
@pytest.mark.parametrize("vary", ["protected", "stereotypes"])
@pytest.mark.parametrize("model", ["crossed", "by-group"])
def test_a_word_in_two_roles_is_replaced_in_the_one_that_varies(vary: str, model: str) -> None:
    """Under another name, the same vector is a word of its own in each role."""
    vectors, words = leaning_embedding(3.0)
    one, other = words.groups
    twice = [words.groups[one][0], words.groups[other][1]]
    stereotypes = {**words.stereotypes, one: (*words.stereotypes[one], *twice)}
    controls = ["w0", "w1", "w2"]
    if vary == "protected":  # otherwise, the pair of this word with itself stays one
        twice += [words.groups[other][2]]
        controls += twice[2:]
    words = replace(words, stereotypes=stereotypes, controls={"matched": tuple(controls)})
    names = {word: f"{word} again" for word in twice}
    groups = {
        group: tuple(names.get(word, word) for word in own) for group, own in words.groups.items()
    }
    renamed = replace(words, groups=groups)
    pool = draw_pool(vectors, words.words, rng=default_rng(0))
    again = {
        field: getattr(pool, field)
        | {name: getattr(pool, field)[word] for word, name in names.items()}
        for field in ("found", "found_ranks")
    }
    means, posterior = [], None
    for wordlist, own in ((renamed, replace(pool, **again)), (words, pool)):
        table = measure(own.keyed, wordlist)
        posterior = posterior or bb.fit(table.rows, model, seed=1)
        how: dict[str, Any] = {"vary": vary, "match": "topics", "n_lists": 3}
        present = words_present(wordlist, own.found)
        drawn = draw_lists(own, present, rng=default_rng(1), **how)
        means.append(list_contrasts(table, present, posterior, own, drawn))
    # Cosines of a table are stored in single precision.
    pd.testing.assert_frame_equal(*means, rtol=0, atol=1e-6)


@pytest.mark.seconds
def test_spellings_of_a_word_are_replaced_together() -> None:
    vectors, words = leaning_embedding(3.0)
    one, other = words.stereotypes
    first, second = words.stereotypes[one][0], words.stereotypes[other][0]
    spelled = replace(
        words,
        stereotypes={
            one: (*words.stereotypes[one], first.upper()),
            other: (second.upper(), *words.stereotypes[other][1:]),
        },
    )
    options = {"vary": "stereotypes", "n_lists": 3, "case": "fallback", "seed": 1}
    plain = bb.vocabulary_contrasts(vectors, words, **options)
    with pytest.warns(bb.warnings.SameSpellings):
        found = bb.vocabulary_contrasts(vectors, spelled, **options)
    pd.testing.assert_frame_equal(found.reference, plain.reference)


def test_equal_seeds_give_equal_results() -> None:
    first, second, other = (
        bb.vocabulary_contrasts(
            *leaning_embedding(1.0), "paper", vary="both", n_lists=5, draws=50, chains=1, seed=seed
        )
        for seed in (3, 3, 4)
    )
    pd.testing.assert_frame_equal(first.table, second.table)
    pd.testing.assert_frame_equal(first.reference, second.reference)
    assert (first.reference["mean"] != other.reference["mean"]).any()
    assert first.seed == 3


def test_what_is_refused() -> None:
    vectors, words = leaning_embedding(1.0)
    for options, what in (
        ({"vary": "all"}, "unknown vary 'all'"),
        ({"match": "length"}, "unknown match 'length'"),
        ({"n_lists": 1}, "n_lists must be a whole number"),
        ({"model": "robust"}, "require a Normal model"),
        ({"ranks": (0, 7)}, "2 of 7 words can still be drawn, but the next set needs 5"),
    ):
        refused(what, bb.vocabulary_contrasts, vectors, words, **options)


def test_landmarks_are_kept_for_the_same_vectors_and_question(monkeypatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr(ruler, "_KEPT", {})
    monkeypatch.setattr(ruler, "_rows", lambda *given: asked.append(given) or iter([]))
    same, moved = (bb.load_vectors("glove-demo", ruler.landmark_words()) for _ in range(2))
    moved.vectors[3] *= -1
    options, spec = bb.FitOptions(), bb.load_model("by-group")
    for vectors, how in (
        (same, options),
        (same, replace(options, seed=7)),  # landmarks have seeds of their own
        (moved, options),
        (same, replace(options, ci_prob=0.5)),
    ):
        ruler.landmark_rows(vectors, None, spec, how, 0)
    assert len(asked) == 3


@pytest.mark.seconds
@pytest.mark.parametrize("model", ["by-group", "crossed"])
def test_landmarks_are_the_overall_contrasts_of_their_fits(monkeypatch, model: str) -> None:
    monkeypatch.setattr(ruler, "_KEPT", {})
    vectors, spec = bb.load_vectors("glove-demo", ruler.landmark_words()), bb.load_model(model)
    rows = ruler.landmark_rows(vectors, None, spec, bb.FitOptions(rope=0.02), 0)
    assert rows["landmark"].tolist() == list(ruler.LANDMARKS)
    for seed, wordlist in enumerate(ruler.landmark_lists().values()):
        table = bb.distance_table(vectors, wordlist)
        post = bb.fit(table, spec, draws=ruler.N_DRAWS, seed=seed, progressbar=False)
        whole = bb.contrasts(post, rope=0.02).iloc[:1].drop(columns="p_most")
        # a posterior stores the likeness of words in single precision
        own = rows.iloc[[seed]].reset_index(drop=True)[list(whole)]
        pd.testing.assert_frame_equal(own, whole, rtol=0, atol=1e-6)
    if model == "by-group":  # with an sd for each word, the exact sampler cannot use likeness
        own_sds = replace(spec, sigma="protected_word")
        assert ruler.landmark_rows(vectors, None, own_sds, bb.FitOptions(), 0).empty


class Listed:
    """Draws the first of what it may draw, and keeps what that was."""

    def choice(self, of: np.ndarray, size: int | None = None, replace: bool = True) -> Any:
        self.of = of
        return of[0] if size is None else of[:size]


@pytest.mark.parametrize("largest", [5, 12, 30])
def test_topics_come_from_the_largest_neighborhood_as_coherent_as_the_set(largest: int) -> None:
    rng, drawn = np.random.default_rng(2), Listed()
    vectors = rng.normal(size=(60, 3))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    free = rng.random(60) > 0.2
    nearest = sorted(np.flatnonzero(free), key=lambda row: -vectors[row] @ vectors[free][0])
    means = [
        np.mean([a @ b for a, b in combinations(vectors[nearest[:n]], 2)])
        for n in range(2, len(nearest) + 1)
    ]
    cohesion = float(means[largest - 2]) - 1e-9
    expected = max(n for n, mean in enumerate(means, start=2) if mean >= cohesion)
    topic(vectors, free, 4, cohesion, drawn)
    assert drawn.of.tolist() == nearest[:expected]
