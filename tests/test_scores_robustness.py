from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

from bayesbias import WordList
from bayesbias.scores import SCORES, direct_bias_of, mac, robustness, weat
from bayesbias.scores.list_rows import list_rows
from bayesbias.scores.robustness import ROBUSTNESS_COLUMNS, reference_lists, sublists


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
    vectors, words = toy()
    frame = robustness(vectors, words, repeats=10, seed=1)
    assert list(frame.columns) == list(ROBUSTNESS_COLUMNS)
    assert set(frame["score"]) == set(SCORES) - {"rnsb"}
    part = frame[(frame["score"] == "weat") & (frame["kind"] == "sublist")].set_index("share")
    assert part.index.tolist() == [0.2, 0.4, 0.6, 0.8, 1.0]
    X, Y = words.groups.values()
    A, B = words.stereotypes.values()
    full = weat(vectors, X, Y, A, B).effect_size
    assert part.loc[1.0, "mean"] == pytest.approx(full)
    assert part["full"].tolist() == pytest.approx([full] * 5)
    assert part.loc[1.0, "deviation"] == pytest.approx(0)
    assert part.loc[0.2, "deviation"] > part.loc[0.8, "deviation"]
    assert (part["low"] <= part["mean"]).all()


def test_summaries_by_hand() -> None:
    """The values of the sub-lists that the seed gives, summed up by their definitions."""
    vectors, words = toy()
    flat, _ = toy(shift=0.0, seed=9)
    frame = robustness(
        vectors,
        words,
        scores=["weat"],
        shares=[0.4],
        repeats=5,
        reference=flat,
        ci_prob=0.5,
        seed=1,
    )
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
    frame = robustness(
        vectors, words, scores=["weat", "direct_bias"], shares=[1.0], repeats=2, seed=0
    )
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
    counts = set()
    for seed in range(8):
        frame = robustness(
            vectors,
            words,
            scores=["mac"],
            shares=[0.5],
            repeats=2,
            reference={word: np.add(row, 0.1) for word, row in vectors.items()},
            seed=seed,
        ).set_index(["kind", "embedding", "share"])
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
    X, Y = words.groups.values()
    A, B = words.stereotypes.values()
    for at in range(10):
        rest = [w for w in X if w != X[at]], [w for w in Y if w != Y[at]]
        assert left.iloc[at] == pytest.approx(weat(vectors, *rest, A, B).effect_size)


def test_without_pairs_each_word_is_left_out() -> None:
    vectors, words = toy(unequal=True)
    frame = robustness(vectors, words, scores=["weat"], repeats=2, seed=0)
    assert frame[frame["kind"] == "leave_one_out"]["left_out"].nunique() == 19


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


def test_shuffling_deals_pairs_anew() -> None:
    vectors, words = toy()
    frame = robustness(
        vectors, words, scores=["direct_bias"], reference="shuffled", shares=[1.0], seed=0
    )
    rows = frame[frame["kind"] == "sublist"].set_index("embedding")["mean"]
    assert rows["given"] > rows["reference"]


def test_same_seed_same_frame() -> None:
    vectors, words = toy()
    first, again, other = (
        robustness(vectors, words, scores=["same"], repeats=5, seed=seed) for seed in (1, 1, 2)
    )
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
