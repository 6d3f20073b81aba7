"""Scores: plain loops, every entry of `properties()`, published values, and refusals."""

import dataclasses
import math
import statistics
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import pytest
from builders import cosine, keyed, leaning, normals, refused, unit
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import ttest_rel

import bayesbias as bb
from bayesbias.scores import (
    ScoreResult,
    direct_bias,
    direction_agreement,
    ect,
    effect_sizes,
    gweat,
    mac,
    mac_change,
    nas,
    permutation_test,
    psi,
    ripa,
    rnd,
    rnsb,
    same,
    score_table,
    semaxis,
    weam,
    weat,
)
from bayesbias.scores.groups import negative_direction
from bayesbias.scores.subspace import principal_components

ROUNDING = 1e-9
"""Tolerance for means, sds, and projections of a few cosines in float64."""


def association(w, A, B) -> float:
    return statistics.fmean(cosine(w, a) for a in A) - statistics.fmean(cosine(w, b) for b in B)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n_x=st.integers(2, 5), n_y=st.integers(2, 5))
def test_weat_and_weam_against_plain_loops(seed: int, n_x: int, n_y: int) -> None:
    X, Y, A, B = (rows.tolist() for rows in normals(seed, n_x, n_y, 3, 2, dims=4))
    x, y = ([association(w, A, B) for w in words] for words in (X, Y))
    difference = statistics.fmean(x) - statistics.fmean(y)
    within = sum((v - statistics.fmean(s)) ** 2 for s in (x, y) for v in s)
    sds = {
        0: statistics.pstdev(x + y),
        1: statistics.stdev(x + y),
        "pooled": math.sqrt(within / (n_x + n_y - 2)),
    }
    for ddof, sd in sds.items():
        result = weat(None, X, Y, A, B, ddof=ddof)
        assert result.statistic == pytest.approx(math.fsum(x) - math.fsum(y), abs=ROUNDING)
        assert result.score == pytest.approx(difference / sd, abs=ROUNDING, rel=ROUNDING)
        assert result.association == pytest.approx(x + y, abs=ROUNDING)
    assert weat(None, Y, X, A, B).score == pytest.approx(-weat(None, X, Y, A, B).score)
    found = weam(None, X, A, B)
    assert found.score == pytest.approx(statistics.fmean(x), abs=ROUNDING)
    for pole, cosines in ((A, found.to_a), (B, found.to_b)):
        each = [statistics.fmean(cosine(w, v) for v in pole) for w in X]
        assert cosines == pytest.approx(each, abs=ROUNDING)
    assert gweat(None, [X, Y], [A, B]).score == pytest.approx(difference / 2, abs=ROUNDING)


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_nas_rnd_ect_and_semaxis_against_plain_loops(seed: int) -> None:
    W, Y, A, B = (rows.tolist() for rows in normals(seed, 3, 2, 4, 3))
    expected = []
    for w in W:
        a, b = [cosine(w, v) for v in A], [cosine(w, v) for v in B]
        expected.append((statistics.fmean(a) - statistics.fmean(b)) / statistics.stdev(a + b))
    assert nas(None, W, A, B).effect_size == pytest.approx(expected, rel=ROUNDING, abs=ROUNDING)
    assert nas(None, W, A, B).score == pytest.approx(statistics.fmean(expected), abs=ROUNDING)
    means = [[statistics.fmean(column) for column in zip(*rows, strict=True)] for rows in (W, Y)]
    far = [math.dist(means[0], a) - math.dist(means[1], a) for a in A]
    assert rnd(None, W, Y, A).per_attribute == pytest.approx(far, abs=ROUNDING)
    assert rnd(None, W, Y, A, average=False).score == pytest.approx(sum(far), abs=ROUNDING)
    to = [[cosine(mean, a) for a in A] for mean in means]
    ranks = [[sorted(values).index(v) for v in values] for values in to]
    squares = sum((i - j) ** 2 for i, j in zip(*ranks, strict=True))
    assert ect(None, W, Y, A).score == pytest.approx(1 - 6 * squares / (4 * 15), abs=ROUNDING)
    poles = [[statistics.fmean(column) for column in zip(*rows, strict=True)] for rows in (A, B)]
    axis = [first - second for first, second in zip(*poles, strict=True)]
    places = [cosine(w, axis) for w in W]
    assert semaxis(None, W, A, B).position == pytest.approx(places, abs=ROUNDING)


def test_unit_scores_are_those_of_unit_vectors() -> None:
    X, Y, A, B = (rows * [[9.0], [0.1], [2.0]] for rows in normals(3, 3, 3, 3, 3))
    pairs = np.stack([X, Y], axis=1)
    for score, sets in (
        (rnd, (X, Y, A)),
        (ect, (X, Y, np.vstack([A, B]))),
        (semaxis, (X, A, B)),
        (rnsb, (X, A, B)),
        (direct_bias, (A, pairs)),
    ):
        scaled = [rows / np.linalg.norm(rows, axis=-1, keepdims=True) for rows in sets]
        own, as_it_is = score(None, *sets, unit=True), score(None, *sets, unit=False)
        assert own.score == pytest.approx(score(None, *scaled, unit=False).score, abs=1e-6)
        assert abs(own.score - as_it_is.score) > 1e-3, score  # lengths matter


def test_attributes_in_one_direction_share_their_rank() -> None:
    along = [[0.1 * k, 0.3 * k] for k in (1, 3, 7, 11)]
    X, Y, A = [[1.0, 0.0]], [[0.0, 1.0]], [*along, [1.0, 0.0], [1.0, 1.0]]
    assert len({cosine(X[0], a) for a in along}) > 1  # rounding errors, not ranks
    ranks = [[2.5] * 4 + [6, 5], [4.5] * 4 + [1, 2]]  # to X, the four come last
    assert ect(None, X, Y, A).score == pytest.approx(statistics.correlation(*ranks))


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n_groups=st.integers(2, 5))
def test_same_is_the_length_of_the_projection(seed: int, n_groups: int) -> None:
    """Use least squares, without a basis. The order of the groups does not matter."""
    targets, *groups = normals(seed, 4, *[3] * n_groups, dims=6)
    means = [unit(group).mean(axis=0) for group in groups]
    differences = np.array([mean - means[0] for mean in means[1:]]).T
    weights, *_ = np.linalg.lstsq(differences, unit(targets).T, rcond=None)
    result = same(None, targets, groups)
    assert result.per_target == pytest.approx(
        np.linalg.norm(differences @ weights, axis=0), abs=ROUNDING
    )
    assert result.rank == n_groups - 1
    assert same(None, targets, groups[::-1]).score == pytest.approx(result.score, abs=ROUNDING)
    if n_groups == 2:
        cosines = unit(targets) @ unit([means[0] - means[1]])[0]
        assert result.signed == pytest.approx(cosines, abs=ROUNDING)
        assert result.skew == pytest.approx(cosines.mean(), abs=ROUNDING)
        assert result.stereotype == pytest.approx(cosines.std(), abs=ROUNDING)
    neutral = targets - targets @ (basis := np.linalg.qr(differences)[0]) @ basis.T
    assert same(None, neutral, groups).score == pytest.approx(0, abs=1e-6)  # theorem 1


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_direct_bias_and_ripa_by_singular_vectors(seed: int) -> None:
    targets, x, y = normals(seed, 4, 3, 3, dims=5)
    pairs = np.stack([x, y], axis=1)
    values, vectors = np.linalg.eigh((x - y).T @ (x - y))
    assert np.abs(ripa(None, targets, pairs).per_target) == pytest.approx(
        np.abs(targets @ vectors[:, -1]), abs=1e-6 * values[-1] / (values[-1] - values[-2])
    )
    for scale in (1e-3, 1e3):
        along = [ripa(None, targets, factor * pairs).per_target for factor in (1, scale)]
        assert along[0] == pytest.approx(along[1], abs=ROUNDING)
    each = targets @ unit(x - y).T
    result = ripa(None, targets, pairs, relation="mean")
    assert result.per_target == pytest.approx(each.mean(axis=1), abs=ROUNDING)
    assert result.sd == pytest.approx(each.std(axis=1), abs=ROUNDING)
    values, vectors = np.linalg.eigh((unit(x) - unit(y)).T @ (unit(x) - unit(y)))
    for c in (1.0, 2.0):
        assert direct_bias(None, targets, pairs, c=c).per_target == pytest.approx(
            np.abs(unit(targets) @ vectors[:, -1]) ** c,
            abs=1e-6 * values[-1] / (values[-1] - values[-2]),
        )


def test_words_are_looked_up_and_missing_ones_reported() -> None:
    vectors, words = leaning("xy")
    (X, Y), (A, B) = words.groups.values(), words.stereotypes.values()
    rows = {
        name: np.stack([vectors[w] for w in ws])
        for name, ws in zip("XYAB", (X, Y, A, B), strict=True)
    }
    pairs, places = list(zip(X, Y, strict=True)), np.stack([rows["X"], rows["Y"]], axis=1)
    calls = {
        weat: ([X, Y, A, B], [rows[name] for name in "XYAB"], {"ddof": 0}),
        rnd: ([X, Y, A], [rows[name] for name in "XYA"], {"unit": True}),
        ect: ([X, Y, A], [rows[name] for name in "XYA"], {"unit": True}),
        weam: ([X, A, B], [rows[name] for name in "XAB"], {}),
        nas: ([X, A, B], [rows[name] for name in "XAB"], {"ddof": 0, "alternative": "less"}),
        semaxis: ([X, A, B], [rows[name] for name in "XAB"], {"unit": True}),
        rnsb: ([X, A, B], [rows[name] for name in "XAB"], {"C": 0.1, "unit": True}),
        gweat: ([[X, Y], [A, B]], [[rows["X"], rows["Y"]], [rows["A"], rows["B"]]], {}),
        same: ([A, {"x": X, "y": Y}], [rows["A"], [rows["X"], rows["Y"]]], {}),
        ripa: ([A, pairs], [rows["A"], places], {}),
        direct_bias: ([A, pairs], [rows["A"], places], {"k": 1, "unit": False}),
    }
    for score, (of_words, of_rows, choices) in calls.items():
        result, bare = score(vectors, *of_words, **choices), score(None, *of_rows, **choices)
        assert result.score == bare.score, score
        assert result.per_word.to_numpy() == pytest.approx(bare.per_word.to_numpy())
    parts = rnsb(None, rows["X"], rows["A"], rows["B"]).per_word
    assert parts["share"].to_numpy() == pytest.approx(
        parts["probability"] / parts["probability"].sum()
    )
    parts = ect(None, rows["X"], rows["Y"], rows["A"]).per_word
    for name in "XY":  # cosines of a group's mean and every attribute
        mean = rows[name].mean(axis=0)
        expected = unit(rows["A"]) @ mean / np.linalg.norm(mean)
        np.testing.assert_allclose(parts[f"to_{name.lower()}"], expected)
    result = gweat(None, [rows["X"], rows["Y"]], [rows["A"], rows["B"]])
    own = [unit(rows[name]).mean(axis=0) for name in "XYAB"]
    halves = (own[0] - own[1]) @ (own[2] - own[3]) / 4  # the same for both of two groups
    np.testing.assert_allclose(result.per_word["per_group"], [halves] * 2)
    without = {word: row for word, row in vectors.items() if word != X[0]}
    assert mac(without, words).missing == {"group x": (X[0],)}
    tiny = [1e-8 * rows[name] for name in "XAB"]  # vectors of any length have an axis
    assert semaxis(None, *tiny).score == pytest.approx(semaxis(vectors, X, A, B).score)
    result = weam(vectors, [*X, "gone"], A, B)
    assert result.missing == {"words": ("gone",)}
    assert result.words == X
    assert list(result.per_word) == ["psi", "to_a", "to_b"]
    assert result.per_word["psi"].to_list() == result.psi.tolist()
    assert "missing of words  gone" in str(result)
    with pytest.raises(AttributeError, match="no 'p_value'; it has score, per_word, limit, psi"):
        _ = result.p_value


def test_no_word_is_compared_with_itself_in_mac() -> None:
    toy = {"x": [1.0, 0.0], "y": [0.0, 1.0], "b": [3.0, 4.0]}
    words = bb.WordList("toy", {"g": ("x",), "h": ("y",)}, {"g": ("x", "b"), "h": ("b",)})
    assert mac(toy, words).per_word.to_numpy() == pytest.approx(np.array([[0.4, 0.4], [0.6, 0.2]]))
    alone = bb.WordList("toy", {"g": ("x",), "h": ("y",)}, {"g": ("x",), "h": ("b",)})
    refused("MAC is undefined for 'x'", mac, toy, alone)


def test_names_of_sets_do_not_move_mac() -> None:
    vectors, words = leaning("xy")
    named = dataclasses.replace(words, stereotype_names={"x": "group x", "y": "stereotypes of x"})
    found, usual = mac(vectors, named), mac(vectors, words)
    assert found.score == usual.score
    assert list(found.per_word) == ["group x", "stereotypes of x"]
    np.testing.assert_array_equal(found.per_word, usual.per_word)


@pytest.mark.parametrize("turn", [1, -1])
def test_spellings_of_one_vector_are_one_word_in_mac(turn: int) -> None:
    """The scores are those of a list in which the word has one spelling."""
    toy = {"x": [1.0, 0.0], "y": [0.0, 1.0], "z": [1.0, 1.0], "b": [3.0, 4.0]}
    found = []
    for spelled in "xX":
        group = [spelled, "y"][::turn]
        words = bb.WordList("toy", {"h": ("z",), "g": group}, {"h": ("b", "y"), "g": ("x", "b")})
        vectors = bb.load_vectors(toy, words, case="fallback")
        table = score_table(vectors, words, scores=["mac"], n_resamples=5, seed=0)
        numbers = [*mac(vectors, words).per_word.to_numpy().ravel()]
        found.append([*numbers, *table[["value", "low", "high"]].to_numpy().ravel()])
    assert found[0] == pytest.approx(found[1])


def test_a_change_of_two_pairs_has_the_t_of_a_paired_test() -> None:
    ends = [ScoreResult(0.5, pd.DataFrame({"a": own})) for own in ([0.11, 0.4], [0.3, 0.5])]
    found, expected = mac_change(*ends), ttest_rel(*(end.per_word["a"] for end in reversed(ends)))
    assert (found["t"], found["p_value"], found["n_pairs"]) == pytest.approx((*expected, 2))
    one = [ScoreResult(0.5, end.per_word.head(1)) for end in ends]
    refused("undefined without two pairs", mac_change, *one)
    moved = ScoreResult(0.5, ends[0].per_word + 0.1)  # equal changes, but for rounding
    refused("undefined without two pairs", mac_change, ends[0], moved)


SHORT = {f"{letter}{i}": row for letter in "xyab" for i, row in enumerate(np.eye(5)[:3])}
X, Y, A, B = ([f"{letter}{i}" for i in range(3)] for letter in "xyab")
TENTHS = np.outer([0.1, 0.2, 0.3, 1e-18], [1.0, 2.0])  # their mean is .15, but for rounding
FAR = SHORT | {"x1": np.eye(5)[4]}
"""Vectors of which x1 is equally far from all attributes."""

SAME_VECTORS = dict.fromkeys(SHORT, np.ones(5))
FOUR, THREE = (X, Y, A, B), (X, A, B)
PAIRS = list(zip(X, Y, strict=True))
EYE, ZERO = np.eye(2), np.diag([1.0, 0.0])
MASKED = np.ma.MaskedArray(EYE, mask=[[False, True], [False, False]])
TWIN = SHORT | {"x1": np.full(5, 3 * 0.1), "y1": np.full(5, 0.3)}  # equal, but for rounding
TWINS = [("x0", "y1"), ("x1", "y1")]
LABELED = SHORT | {"x0": pd.Series(SHORT["x0"]), "x1": pd.Series(SHORT["x1"], [*"abcde"])}


def wide(*widths: int) -> tuple[np.ndarray, ...]:
    """Return two vectors of each length."""
    return tuple(np.random.default_rng(width).normal(size=(2, width)) for width in widths)


WIDE = pd.DataFrame([[1.0, 2.0]], columns=[*"ab"])
SWAPPED = WIDE[["b", "a"]]


@pytest.mark.parametrize(
    ("told", "call", "sets"),
    [
        ("X is empty", weat, (SHORT, [], Y, A, B)),
        ("X contains x0 more than once", weat, (SHORT, [*X, "x0"], Y, A, B)),
        ("X and Y share x0; keep each in", rnd, (SHORT, X, [*Y, "x0"], A)),
        ("have different lengths", weam, (SHORT | {"x1": np.ones(3)}, *THREE)),
        ("'x0' and 'x1' have different labels", weat, (LABELED, *FOUR)),
        ("words and A have different labels", weam, (None, WIDE, SWAPPED, WIDE)),
        ("targets and pairs 0 have", ripa, (None, WIDE, [SWAPPED])),
        (
            r"words\[0\] and words\[1\] have",
            psi,
            ([WIDE.loc[0], SWAPPED.loc[0]], WIDE, WIDE),
        ),
        ("^A must be a matrix", psi, ([[1.0]], [1.0], [[1.0]])),
        *(
            (f"^{name} must not have rows of zeros; leave out rows \\[1\\]", call, (None, *sets))
            for name, call, sets in (
                ("A", weat, (EYE, EYE, ZERO, EYE)),
                ("words", nas, (ZERO, EYE, EYE)),
                ("words", semaxis, (ZERO, EYE, EYE)),
                ("attributes", rnd, (EYE, EYE, ZERO)),
                ("X", ect, (ZERO, EYE, EYE)),
                ("targets", rnsb, (ZERO, EYE, EYE)),
                ("group 1", same, (EYE, [EYE, ZERO])),
                ("attributes of group 0", gweat, ([EYE, EYE], [ZERO, EYE])),
                ("pairs 1", ripa, (EYE, [EYE, ZERO])),
                ("defining sets 0", partial(direct_bias, unit=False), (EYE, [ZERO])),
            )
        ),
        ("all words have the same association", weat, (SAME_VECTORS, *FOUR)),
        ("equally close to every attribute", ect, (SAME_VECTORS, X, Y, A)),
        (r"the effect size is undefined for words \[0, 1, 2\]", nas, (SAME_VECTORS, *THREE)),
        (r"the effect size is undefined for words \[1\]", nas, (FAR, *THREE)),
        ("have the same mean vector", same, (SAME_VECTORS, A, [X, Y])),
        ("poles A and B have the same mean", semaxis, (SAME_VECTORS, *THREE)),
        ("A and B have the same mean", semaxis, (None, [[1.0, 2.0]], TENTHS, [[0.15, 0.3]])),
        ("all vectors are equal", direct_bias, (SAME_VECTORS, A, PAIRS)),
        ("of a pair must differ", ripa, (SAME_VECTORS, A, PAIRS)),
        (r"must differ; leave out these pairs: \[1\]", direction_agreement, (TWIN, TWINS)),
        (r"must differ; leave out these pairs: \[1\]", ripa, (TWIN, A, TWINS)),
        ("different words.*'x0', 'x0'", ripa, (SHORT, A, [("x0", "x0")])),
        ("different words.*'x0', 'y1', 'x0'", direct_bias, (SHORT, A, [("x0", "y1", "x0")])),
        ("different words.*'x0', 'x0'", direction_agreement, (SHORT, [("x0", "x0")])),
        ("words have 3 numbers, and those of A have 2", psi, wide(3, 2, 2)),
        ("X have 3 numbers, and those of B have 2", weat, (None, *wide(3, 3, 3, 2))),
        ("targets have 3 numbers, and those of group 1 have 4", same, (None, *wide(3), wide(3, 4))),
        ("targets have 3 numbers, and those of B have 2", rnsb, (None, *wide(3, 3, 2))),
        ("group 0 have 3 numbers, and those of attr", gweat, (None, wide(3, 3), wide(3, 2))),
        ("X have 3 numbers, and those of attributes", rnd, (None, *wide(3, 3, 2))),
        ("targets have 3 numbers, and those of pairs 0", ripa, (None, *wide(3), wide(2))),
        ("targets have 3 numbers, and those of def", direct_bias, (None, *wide(3), wide(2))),
        (
            "and those of pairs 0 have 2",
            ripa,
            (SHORT | {"p": [1, 2], "q": [2, 1]}, A, [("p", "q")]),
        ),
        ("one row for each data set", effect_sizes, (np.ones((2, 3)), np.ones((3, 3)), "pooled")),
        ("one row for each data set", permutation_test, (np.ones((2, 3)), np.ones((3, 3)))),
        ("not finite or masked", permutation_test, (MASKED[0], [0.0, 1.0])),
        (r"A must be finite; leave out rows \[0\]", weat, (None, EYE, EYE, MASKED, EYE)),
        ("groups contains 1 more than once", same, (SHORT, A, {1: X, "1": Y})),
        ("at least one association each", effect_sizes, (1.0, [1.0])),
        (
            "k must be from 1 to .*whole number.*got 1.5",
            partial(direct_bias, k=1.5),
            (SHORT, A, [("x0", "y1")]),
        ),
        ("pairs is empty", ripa, (SHORT, A, [])),
        ("each pair must have two words", ripa, (SHORT, A, [("x0", "y1", "y2")])),
        ("needs two or more; got 1", same, (SHORT, A, [X])),
        ("an equal number of attribute sets; got 1 and 2", gweat, (SHORT, [X], [A, B])),
        ("at least two; only one is left", ect, (SHORT, X, Y, A[:1])),
        ("at least one association each", effect_sizes, ([], [1.0])),
        ("needs at least three words", effect_sizes, ([1.0], [2.0], "pooled")),
        (r"ddof must be one of \(0, 1, 'pooled'\); got 2", effect_sizes, ([1.0], [2.0], 2)),
        *(("positive and finite", partial(rnsb, C=c), (SHORT, *THREE)) for c in (0, -1, np.inf)),
        ("finite and not negative", partial(direct_bias, c=np.nan), (SHORT, A, PAIRS)),
        (
            "k must be from 1 to",
            partial(direct_bias, k=2),
            (SHORT, A, [("x0", "y1")]),
        ),
        ("unknown relation", partial(ripa, relation="all"), (SHORT, A, PAIRS)),
        ("MAC needs a list", mac, (SHORT, bb.WordList(name="n", controls={"neutral": ("x0",)}))),
    ],
)
def test_refusals(told: str, call, sets) -> None:
    refused(told, call, *sets)


@pytest.mark.parametrize("call", [weat, nas, same, ripa, direction_agreement])
def test_words_are_text(call) -> None:
    sets = {ripa: ([1], PAIRS), direction_agreement: ([("x0", 1)],), same: ([1], [X, Y])}
    sets |= {weat: (X, Y, A, (1, 2)), nas: (X, np.array([1, 2]), B)}
    refused("the words of .* must be text; got", call, SHORT, *sets[call], error=TypeError)


@pytest.mark.parametrize("kind", [int, np.int64, bytes])
def test_words_may_be_keys_of_a_dict(kind) -> None:
    rows = dict(zip(SHORT, np.random.default_rng(4).normal(size=(12, 5)), strict=True))
    keys = {word: str(i).encode() if kind is bytes else kind(i) for i, word in enumerate(rows)}
    held = {keys[word]: row for word, row in rows.items()}
    x, y, a, b = ([keys[word] for word in words] for words in FOUR)
    assert weat(held, x, y, a, b[:2]).score == weat(rows, *FOUR[:3], B[:2]).score
    pairs = [*zip(x, y, strict=True)]
    assert ripa(held, a, pairs).score == ripa(rows, A, PAIRS).score
    cosines = [direction_agreement(*given)["cosine"] for given in ((held, pairs), (rows, PAIRS))]
    assert cosines[0].equals(cosines[1])
    refused("the words of B must be text", weat, held, x, y, a, [*b, 99], error=TypeError)
    refused("the words of X must be text", weat, SHORT, x, *FOUR[1:], error=TypeError)


@pytest.mark.parametrize("ddof", [0, 1, "pooled"])
@pytest.mark.parametrize("few", [(6,), (1, 6), (2, 1, 5)])
def test_scores_of_one_data_set_next_to_several(few: tuple[int, ...], ddof) -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(3, 6)), rng.normal(size=few)
    rows = [(one, other) for other in y.reshape(-1, few[-1]) for one in x]
    shape = (*few[:-2], 3)
    each = np.reshape([effect_sizes(*pair, ddof) for pair in rows], shape)
    np.testing.assert_allclose(effect_sizes(x, y, ddof), each)
    np.testing.assert_allclose(effect_sizes(y, x, ddof), -each)
    test = permutation_test(x, y)
    np.testing.assert_allclose(
        test.p_value, np.reshape([permutation_test(*pair).p_value for pair in rows], shape)
    )


@pytest.mark.parametrize("C", [1.0, 1e3])
@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4])
def test_probabilities_too_small_for_float64_have_shares(scale: float, C: float) -> None:
    """Python's decimals go down to 1e-999999."""
    rows, a, b = scale * np.array([[1.0, 0], [1, 1e-3], [1.1, 0], [2, 0]]), np.eye(2), -np.eye(2)
    direction = negative_direction(a, b, C)
    powers = [Decimal(float(x)).exp() for x in rows @ direction[:-1] + direction[-1]]
    chances = [power / (1 + power) for power in powers]
    shares = [chance / sum(chances) for chance in chances]
    found = rnsb(None, rows, a, b, C=C)
    # Exponents up to 1e6 have rounding errors of 1e-10.
    assert found.share.tolist() == pytest.approx([*map(float, shares)], abs=1e-7)
    assert found.probability.tolist() == pytest.approx([*map(float, chances)], abs=1e-7)
    kl = sum((p * (p * 4).ln() for p in shares if p), Decimal(0))
    assert found.score == pytest.approx(float(kl), abs=1e-6)


def test_vectors_come_first() -> None:
    held = keyed([*SHORT], np.stack([*SHORT.values()]))
    refused("B is an embedding; pass the vectors first", weat, *FOUR, held, error=TypeError)


def test_directions_of_pairs_agree_as_far_as_their_cosines() -> None:
    rng = np.random.default_rng(7)
    words = {name: rng.normal(size=6) for name in "abcdef"}
    frame = bb.scores.direction_agreement(words, [("a", "b"), ("c", "d"), ("e", "f"), ("a", "z")])
    unit = {name: row / np.linalg.norm(row) for name, row in words.items()}
    gaps = [unit[x] - unit[y] for x, y in ("ab", "cd", "ef")]
    lengths = [np.linalg.norm(gap) for gap in gaps]
    expected = [gaps[i] @ gaps[j] / lengths[i] / lengths[j] for i, j in ((0, 1), (0, 2), (1, 2))]
    # The halves of x - y are the centered members, so the component is that of the differences.
    axis = np.linalg.eigh(sum(np.outer(gap, gap) for gap in gaps))[1][:, -1]
    axis *= np.sign(axis @ sum(gaps))
    expected += [gap @ axis / length for gap, length in zip(gaps, lengths, strict=True)]
    np.testing.assert_allclose(frame["cosine"], expected, atol=1e-12)
    assert frame["other"].tolist()[-3:] == ["first component"] * 3


@given(st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_components_of_defining_sets(seed: int) -> None:
    """They point toward the first words, and their variances are eigenvalues."""
    rng, axis = np.random.default_rng(seed), np.array([1.0, 0, 0, 0])
    pairs = np.stack([[axis, -axis]] * 5) + rng.normal(0, 0.4, (5, 2, 4))
    targets = rng.normal(size=(3, 4))
    one = direct_bias(None, targets, pairs, k=1, unit=False)
    other = direct_bias(None, targets, pairs[:, ::-1], k=1, unit=False)
    np.testing.assert_allclose(other.component_0, -one.component_0, atol=1e-12)
    toward = np.mean(pairs[:, 0] - pairs[:, 1], axis=0)
    assert direct_bias(None, [toward], pairs, k=1, unit=False).component_0[0] > 0
    centered = (pairs - pairs.mean(axis=1, keepdims=True)).reshape(-1, 4)
    values = np.linalg.eigvalsh(centered.T @ centered)
    assert one.explained == pytest.approx(values[-1:] / values.sum())
    small = direct_bias(None, targets, 1e-8 * pairs, k=1, unit=False)  # vectors of any length
    np.testing.assert_allclose(small.component_0, one.component_0, atol=1e-12)


def test_the_largest_defining_set_decides_how_many_components_there_are() -> None:
    rng = np.random.default_rng(3)
    sets = [rng.normal(size=(n, 6)) for n in (2, 4, 3)]
    directions, shares = principal_components(sets)
    assert directions.shape == (3, 6)
    np.testing.assert_allclose(directions @ directions.T, np.eye(3), atol=1e-12)
    assert shares.tolist() == sorted(shares, reverse=True)


def test_effect_sizes_of_many_tables_are_those_of_each() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 7, 5))
    x, s = x[:, :3], np.r_[x[0, :3], y[0]]
    pooled = np.sqrt((3 * x[0].var() + 5 * y[0].var()) / 6)
    for ddof, sd in ((0, s.std()), (1, s.std(ddof=1)), ("pooled", pooled)):
        each = [effect_sizes(*one, ddof) for one in zip(x, y, strict=True)]
        np.testing.assert_allclose(effect_sizes(x, y, ddof), each)
        assert each[0] == pytest.approx((x[0].mean() - y[0].mean()) / sd)
    # Three words leave one degree of freedom: √(.1² + .1²).
    assert effect_sizes([0.5], [0.1, 0.3], "pooled") == pytest.approx(0.3 / np.sqrt(0.02))


@pytest.mark.parametrize(("C", "size"), [(1.0, 1.0), (1e4, 1.0), (1.0, 1e3)])
def test_the_penalty_balances_the_likelihood(C: float, size: float) -> None:
    """At the maximum, each weight w is C times its derivative of the log likelihood."""
    rng = np.random.default_rng(2)
    A, B = size * rng.normal(size=(6, 40)), size * (rng.normal(size=(8, 40)) + 0.3)
    w = negative_direction(A, B, C)
    rows = np.c_[np.vstack([A, B]), np.ones(14)]
    is_b = np.repeat([0, 1], [6, 8])
    pull = C * rows.T @ (is_b - expit(rows @ w))
    np.testing.assert_allclose(w, pull, atol=1e-6 * np.abs(w).max())  # of the last Newton step


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_pairs_that_tie_but_for_float32_are_tied(alternative) -> None:
    """Each pair mirrors its words at a plane that contains all attributes."""
    rng = np.random.default_rng(1)
    middles, ways, attributes = rng.normal(size=(3, 4, 6))
    turn = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    both = [np.hstack([middles, sign * ways]) @ turn for sign in (1, -1)]
    poles = np.vsplit(np.pad(attributes, ((0, 0), (0, 6))) @ turn, 2)
    exact = [*both, *poles]
    single = [rows.astype(np.float32) for rows in exact]
    held = {
        f"{name}{i}": row
        for name, of in zip("xyab", single, strict=True)
        for i, row in enumerate(of)
    }
    X, Y, A, B = ([word for word in held if word[0] == name] for name in "xyab")
    expected = weat(None, *exact, alternative=alternative)
    listed = bb.WordList("mirrored", {"x": X, "y": Y}, {"x": A, "y": B})
    table = score_table(
        held, listed, scores=["weat"], n_resamples=2, alternative=alternative, seed=1
    )
    for found in (
        weat(None, *single, alternative=alternative),
        weat(held, X, Y, A, B, alternative=alternative),
        table.iloc[0],
    ):
        assert found.p_value == pytest.approx(expected.p_value)
    words = [nas(None, poles[0], *of, alternative=alternative).p_value for of in (both, single[:2])]
    assert words[1] == pytest.approx(words[0])
    for sets in (exact, single):
        one = [rows[:1] for rows in sets[:2]]
        refused("all words have the same association", weat, None, *one, *sets[2:])


def test_groups_whose_vectors_cancel_have_no_ranks() -> None:
    """Three directions at equal angles have a mean of zero, except for rounding."""
    angles = np.arange(3) * 2 * np.pi / 3 + 0.3
    cancelling = np.c_[np.cos(angles), np.sin(angles), np.zeros(3)]
    others = np.random.default_rng(0).normal(size=(6, 3))
    refused("cancel each other", ect, None, cancelling, np.eye(3), others)
    refused("cancel each other", ect, None, np.eye(3), cancelling, others)
