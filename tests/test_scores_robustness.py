from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
import pytest
from builders import refused

from bayesbias import WordList
from bayesbias.scores import SCORES, direct_bias_of, mac, robustness, weat
from bayesbias.scores.list_rows import ListRows, list_rows
from bayesbias.scores.robustness import ROBUSTNESS_COLUMNS, reference_lists, sublists, without_each


def toy(seed: int = 0, shift: float = 1.5, unequal: bool = False):
    """Two groups of ten that lean to their own five stereotypes by ``shift``."""
    random = np.random.default_rng(seed)
    groups = {g: tuple(f"{g}{i}" for i in range(10 - (unequal and g == "y"))) for g in "xy"}
    stereotypes = {"x": tuple(f"a{i}" for i in range(5)), "y": tuple(f"b{i}" for i in range(5))}
    words = WordList(name="toy", groups=groups, stereotypes=stereotypes)
    lean = {"x": shift, "a": shift, "y": -shift, "b": -shift}
    vectors = {w: random.normal(size=6) + lean[w[0]] * np.eye(6)[0] for w in words.words}
    return vectors, words


def test_frame_and_its_numbers() -> None:
    frame = robustness(*toy(), repeats=10, seed=1)
    assert list(frame.columns) == list(ROBUSTNESS_COLUMNS)
    assert set(frame["score"]) == set(SCORES) - {"rnsb"}
    part = frame[(frame["score"] == "weat") & (frame["kind"] == "sublist")].set_index("share")
    assert part.index.tolist() == [0.2, 0.4, 0.6, 0.8, 1.0]
    assert part.loc[0.2, "deviation"] > part.loc[0.8, "deviation"]
    assert (part["low"] <= part["mean"]).all()


def test_summaries_by_hand() -> None:
    """The values of the sub-lists that the seed gives, summed up by their definitions."""
    vectors, words = toy()
    flat, _ = toy(shift=0.0, seed=9)
    choices = {"scores": ["weat"], "shares": [0.4], "repeats": 5, "ci_prob": 0.5, "seed": 1}
    frame = robustness(vectors, words, reference=flat, **choices)
    random = np.random.default_rng(1)
    rows, _ = list_rows(vectors, words)
    given = sublists(rows, [0.4], 5, random)
    others = reference_lists(flat, words, rows, given, random)
    summed = frame[frame["kind"] == "sublist"].set_index(["embedding", "share"])
    assert len(summed) == 4
    means, sds = {}, {}
    for embedding, lists in (("given", given), ("reference", others)):
        (whole,) = (SCORES["weat"].value(each) for each in lists[1.0])
        values = sorted(SCORES["weat"].value(each) for each in lists[0.4])
        row = summed.loc[embedding, 0.4]
        means[embedding] = sum(values) / 5
        sds[embedding] = np.sqrt(sum((v - means[embedding]) ** 2 for v in values) / 4)
        expected = {
            "full": whole,
            "mean": means[embedding],
            "sd": sds[embedding],
            "low": values[1],  # quarters of five values are the second and the fourth
            "high": values[3],
            "deviation": sum(abs(v - whole) for v in values) / 5,
            "n": 5,
        }
        assert row[list(expected)].astype(float).to_dict() == pytest.approx(expected)
        assert (summed.loc[embedding, 1.0][["sd", "n"]] == [0, 1]).all()
    silhouette = frame[frame["kind"] == "silhouette"].set_index("share").loc[0.4]
    assert silhouette["mean"] == pytest.approx(abs(means["given"] - means["reference"]))
    assert silhouette["sd"] == pytest.approx(np.hypot(sds["given"], sds["reference"]))
    assert silhouette["n"] == 5
    assert (frame["groups"] == "x, y").all()
    assert frame.attrs == {"ci_prob": 0.5, "ci_kind": "eti", "seed": 1}


def test_deviations_are_shares_of_the_scores_ranges() -> None:
    """WEAT lies between -2 and 2, SAME and Direct Bias lie between 0 and 1.

    The program of the SAME paper divides WEAT's by 4 and leaves the others as they are.
    """
    frame = robustness(*toy(), repeats=5, seed=2)
    shares = (frame["deviation_share"] / frame["deviation"]).groupby(frame["score"]).mean()
    found = shares[["weat", "same", "direct_bias"]].tolist()
    assert found == pytest.approx([1 / 4, 1, 1])
    assert shares[["weat_statistic", "rnd", "ripa"]].isna().all()  # these have no bounds
    assert frame["deviation_share"].max() < 1


def test_two_values_have_an_sd() -> None:
    vectors, words = toy()
    frame = robustness(vectors, words, scores=["mac"], shares=[0.2], repeats=2, ci_prob=0.5, seed=0)
    row = frame[frame["share"] == 0.2].iloc[0]
    # The quarters of two values lie half their distance apart.
    assert row["sd"] == pytest.approx(2 * (row["high"] - row["low"]) / np.sqrt(2))
    assert row["no_bias"] == 1
    assert row["full"] == pytest.approx(mac(vectors, words).score)


def test_fifty_sublists_of_every_share_below_one() -> None:
    frame = robustness(*toy(), scores=["weam"], seed=0)
    assert frame[frame["share"] < 1]["n"].tolist() == [50] * 4 * 2  # two ordered pairs


def test_what_is_left_out_is_told_whole() -> None:
    vectors, words = toy()
    frame = robustness(vectors, words, scores=["weat", "direct_bias"], shares=[1.0], seed=0)
    left = frame[frame["kind"] == "leave_one_out"]
    assert (left["embedding"] == "given").all()
    assert (left["n"] == 1).all()
    whole = frame[frame["kind"] == "sublist"].set_index("score")["full"]
    assert left["full"].tolist() == left["score"].map(whole).tolist()
    assert left["deviation"].tolist() == pytest.approx(abs(left["mean"] - left["full"]).tolist())
    rows, _ = list_rows(vectors, words)
    pairs = left[left["score"] == "direct_bias"]["mean"].tolist()
    for at, value in enumerate(pairs):
        rest = np.delete(rows.defining_sets, at, axis=0)
        assert value == pytest.approx(direct_bias_of(rows.targets, list(rest)).score)


def test_what_is_undefined_has_no_summary() -> None:
    vectors, words = toy(unequal=True)  # no pairs
    frame = robustness(vectors, words, scores=["direct_bias"], shares=[0.5], repeats=2, seed=0)
    assert len(frame) == 2 + 19
    assert (frame["n"] == 0).all()
    assert frame[["full", "mean", "sd", "low", "high", "deviation"]].isna().all(axis=None)
    for column in ("full", "mean", "sd", "low", "high"):
        assert frame[column].dtype == float


def test_sublists_may_be_undefined_where_the_list_is_not() -> None:
    vectors = {"x": [1.0, 0.0], "y": [0.0, 1.0], "a": [1.0, 1.0], "b": [1.0, -1.0]}
    # Half of the first stereotypes is one word; where that is x, it has only itself.
    words = WordList("itself", {"g": ("x",), "h": ("y",)}, {"g": ("x", "a"), "h": ("b",)})
    other = {word: np.add(row, 0.1) for word, row in vectors.items()}
    choices = {"scores": ["mac"], "shares": [0.5], "repeats": 2, "reference": other}
    counts = set()
    for seed in range(8):
        frame = robustness(vectors, words, seed=seed, **choices)
        frame = frame.set_index(["kind", "embedding", "share"])
        row = frame.loc["sublist", "given", 0.5]
        counts.add(row["n"])
        assert row["full"] == mac(vectors, words).score
        assert row[["mean", "sd", "low", "high", "deviation"]].isna().all() == (row["n"] == 0)
        silhouette = frame.loc["silhouette", :, 0.5].iloc[0]
        assert silhouette["n"] <= row["n"]
        assert np.isnan(silhouette["mean"]) == (silhouette["n"] == 0)
    assert counts == {0, 1, 2}


def test_each_pair_is_left_out_once() -> None:
    vectors, words = toy()
    frame = robustness(vectors, words, scores=["weat"], repeats=2, seed=0)
    left = frame[frame["kind"] == "leave_one_out"].set_index("left_out")["mean"]
    assert list(left.index) == [f"x{i}, y{i}" for i in range(10)]
    (X, Y), (A, B) = words.groups.values(), words.stereotypes.values()
    for at in range(10):
        rest = [w for w in X if w != X[at]], [w for w in Y if w != Y[at]]
        assert left.iloc[at] == pytest.approx(weat(vectors, *rest, A, B).effect_size)


def test_silhouettes_tell_a_planted_bias_from_none() -> None:
    vectors, words = toy()
    flat, _ = toy(shift=0.0, seed=9)
    for reference in ("shuffled", flat):
        frame = robustness(vectors, words, scores=["weat"], reference=reference, seed=2)
        silhouette = frame[frame["kind"] == "silhouette"].set_index("share")
        assert silhouette.loc[0.8, "mean"] > 1  # of at most 2
        assert silhouette.loc[0.2, "sd"] > silhouette.loc[0.8, "sd"]
        others = frame[frame["embedding"] == "reference"].set_index("share")
        assert abs(others.loc[0.8, "mean"]) < 0.9
    again = robustness(flat, words, scores=["weat"], reference="shuffled", seed=2)
    close = again[again["kind"] == "silhouette"].set_index("share")
    assert close.loc[0.8, "mean"] < 2.5 * close.loc[0.8, "sd"]


def test_same_seed_same_frame() -> None:
    vectors, words = toy()
    frame = partial(robustness, vectors, words, scores=["same"], repeats=5)
    first, again, other = (frame(seed=seed) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


def test_bad_input_is_named() -> None:
    vectors, words = toy()
    refused(r"shares must lie in \(0, 1\], got \[20\]", robustness, vectors, words, shares=[20])
    for share in (0.0, 1.5):
        refused(r"shares must lie in \(0, 1\]", robustness, vectors, words, shares=[share])
    refused("repeats must be at least 2", robustness, vectors, words, repeats=1)
    with pytest.raises(ValueError, match="reference must be an embedding or 'shuffled'"):
        robustness(vectors, words, reference="glove", scores=["weat"])
    refused("unknown score", robustness, vectors, words, scores=["nothing"])


Vectors = dict[str, np.ndarray]


def groups_of(*sizes: int, seed: int = 0) -> tuple[Vectors, WordList, ListRows]:
    """Groups of these sizes with ten and five stereotypes in turn, and random vectors."""
    groups = {f"g{i}": tuple(f"p{i}{j}" for j in range(size)) for i, size in enumerate(sizes)}
    stereotypes = {g: tuple(f"{g}s{j}" for j in range((10, 5)[g == "g1"])) for g in groups}
    words = WordList(name="toy", groups=groups, stereotypes=stereotypes)
    random = np.random.default_rng(seed)
    vectors = {word: random.normal(size=3) for word in words.words}
    return vectors, words, list_rows(vectors, words)[0]


def are_rows_of(rows: ListRows, vectors: Vectors) -> bool:
    """Whether every word stands beside its own vector."""
    pairs = [*zip(rows.protected, rows.protected_words, strict=True)]
    pairs += zip(rows.stereotypes, rows.stereotype_words, strict=True)
    return all(
        np.array_equal(row, vectors[word])
        for each, words in pairs
        for row, word in zip(each, words, strict=True)
    )


@pytest.mark.parametrize(
    ("share", "sizes"), [(0.2, (2, 1)), (0.25, (3, 2)), (0.7, (7, 4)), (0.99, (10, 5))]
)
def test_a_sublist_holds_its_share_of_every_set_rounded_up(share: float, sizes) -> None:
    vectors, _, rows = groups_of(10, 10)
    lists = sublists(rows, [share], 6, np.random.default_rng(0))
    assert set(lists) == {share, 1.0}
    assert len(lists[share]) == 6
    for each in lists[share]:
        assert tuple(map(len, each.stereotypes)) == sizes
        assert tuple(map(len, each.protected)) == (sizes[0], sizes[0])
        assert len(each.defining_words) == len(each.defining_sets) == sizes[0]
        assert are_rows_of(each, vectors)
        for words in (*each.protected_words, *each.stereotype_words):
            assert list(words) == sorted(set(words))  # none twice, in the list's order
    assert len({each.protected_words for each in lists[share]}) > 1 or sizes == (10, 5)


def test_rounding_of_a_product_adds_no_word() -> None:
    _, _, rows = groups_of(25, 25)
    assert 0.28 * 25 > 7  # in float64
    (each, *_) = sublists(rows, [0.28], 2, np.random.default_rng(0))[0.28]
    assert tuple(map(len, each.protected)) == (7, 7)


def test_the_whole_list_is_always_there_once() -> None:
    _, _, rows = groups_of(4, 3)
    assert sublists(rows, [], 5, np.random.default_rng(0)) == {1.0: [rows]}
    lists = sublists(rows, [1.0, 0.5, 0.5], 5, np.random.default_rng(0))
    assert {share: len(each) for share, each in lists.items()} == {0.5: 5, 1.0: 1}
    assert lists[1.0] == [rows]
    assert lists[0.5][0].defining is None


@pytest.mark.parametrize("sizes", [(4, 4, 4), (4, 2, 3)])
def test_shuffling_deals_words_out_again(sizes: tuple[int, ...]) -> None:
    vectors, words, rows = groups_of(*sizes)
    random = np.random.default_rng(0)
    given = sublists(rows, [0.5], 8, random)
    dealt = reference_lists("shuffled", words, rows, given, random)
    assert {share: len(each) for share, each in dealt.items()} == {0.5: 8, 1.0: 8}
    for before, after in zip([*given[0.5], *[rows] * 8], dealt[0.5] + dealt[1.0], strict=True):
        assert tuple(map(len, after.protected)) == tuple(map(len, before.protected))
        assert Counter(sum(after.protected_words, ())) == Counter(sum(before.protected_words, ()))
        assert after.stereotype_words == before.stereotype_words
        assert are_rows_of(after, vectors)
        if before.defining is None:
            assert after.defining is None
        else:
            assert after.defining_sets.shape == before.defining_sets.shape
            was, now = (each.defining_sets.reshape(-1, 3).tolist() for each in (before, after))
            assert sorted(was) == sorted(now)
    assert len({each.protected_words for each in dealt[1.0]}) > 1
    if rows.defining is not None:
        assert any(not np.array_equal(each.defining, rows.defining) for each in dealt[1.0])


def test_pairs_that_the_embedding_lacks_are_not_shuffled() -> None:
    vectors, words, _ = groups_of(2, 2)
    del vectors["p00"], vectors["p11"]
    rows, _ = list_rows(vectors, words)
    dealt = reference_lists("shuffled", words, rows, {1.0: [rows]}, np.random.default_rng(0))
    assert len(dealt[1.0][0].defining) == 0


def test_a_reference_embedding_gives_as_many_lists() -> None:
    _, words, rows = groups_of(4, 4)
    other, _, _ = groups_of(4, 4, seed=1)
    given = sublists(rows, [0.5], 8, np.random.default_rng(0))
    lists = reference_lists(other, words, rows, given, np.random.default_rng(0))
    assert {share: len(each) for share, each in lists.items()} == {0.5: 8, 1.0: 1}
    assert all(are_rows_of(each, other) for each in lists[0.5] + lists[1.0])
    assert reference_lists(None, words, rows, given, np.random.default_rng(0)) == {}
    with pytest.raises(ValueError, match="'shuffled', got 'glove'; load an embedding"):
        reference_lists("glove", words, rows, given, np.random.default_rng(0))


def test_each_pair_is_left_out_of_words_and_pairs() -> None:
    vectors, _, rows = groups_of(3, 3)
    left = list(without_each(rows))
    assert [name for name, _ in left] == ["p00, p10", "p01, p11", "p02, p12"]
    for at, (_, rest) in enumerate(left):
        kept = [i for i in range(3) if i != at]
        assert rest.protected_words == tuple(tuple(f"p{g}{i}" for i in kept) for g in (0, 1))
        assert rest.defining_words == tuple((f"p0{i}", f"p1{i}") for i in kept)
        assert np.array_equal(rest.defining_sets, rows.defining_sets[kept])
        assert rest.stereotype_words == rows.stereotype_words
        assert are_rows_of(rest, vectors)


def test_without_pairs_words_are_left_out_but_none_that_is_alone() -> None:
    _, _, rows = groups_of(2, 1)
    left = {name: rest.protected_words for name, rest in without_each(rows)}
    assert left == {"p00": (("p01",), ("p10",)), "p01": (("p00",), ("p10",))}
    assert list(without_each(groups_of(1, 1)[2])) == []
