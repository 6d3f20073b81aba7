from __future__ import annotations

import numpy as np
import pytest

from bayesbias import WordList
from bayesbias.scores import SCORES, robustness, weat
from bayesbias.scores.robustness import ROBUSTNESS_COLUMNS


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


def test_each_pair_is_left_out_once() -> None:
    vectors, words = toy()
    frame = robustness(vectors, words, scores=["weat"], repeats=2)
    left = frame[frame["kind"] == "leave_one_out"].set_index("left_out")["mean"]
    assert list(left.index) == [f"x{i}, y{i}" for i in range(10)]
    X, Y = words.groups.values()
    A, B = words.stereotypes.values()
    for at in range(10):
        rest = [w for w in X if w != X[at]], [w for w in Y if w != Y[at]]
        assert left.iloc[at] == pytest.approx(weat(vectors, *rest, A, B).effect_size)


def test_without_pairs_each_word_is_left_out() -> None:
    vectors, words = toy(unequal=True)
    frame = robustness(vectors, words, scores=["weat"], repeats=2)
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
    frame = robustness(vectors, words, scores=["direct_bias"], reference="shuffled", shares=[1.0])
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
    with pytest.raises(ValueError, match=r"shares must lie in \(0, 1\], got \[20\]"):
        robustness(vectors, words, shares=[20])
    with pytest.raises(ValueError, match="repeats must be at least 2"):
        robustness(vectors, words, repeats=1)
    with pytest.raises(ValueError, match="reference must be an embedding or 'shuffled'"):
        robustness(vectors, words, reference="glove", scores=["weat"])
    with pytest.raises(ValueError, match="unknown score"):
        robustness(vectors, words, scores=["nothing"])
