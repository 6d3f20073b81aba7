from __future__ import annotations

from functools import partial
from operator import itemgetter

import numpy as np
import pytest
from builders import refused

from bayesbias import WordList
from bayesbias.scores import SCORES, bootstrap, bootstrap_of, rnsb_of, same
from bayesbias.scores.list_rows import list_rows, selections
from bayesbias.scores.resampling import interval, resampled_values, resamples


def toy(n_groups: int = 2, *, more: int = 0, size: int = 6, dims: int = 5, seed: int = 0):
    """Random vectors for a list of groups; one word stands on both sides.

    Groups are of equal size unless each is to have ``more`` words than the one before.
    """
    random = np.random.default_rng(seed)
    groups = {f"g{i}": tuple(f"p{i}{j}" for j in range(size + more * i)) for i in range(n_groups)}
    stereotypes = {f"g{i}": tuple(f"s{i}{j}" for j in range(4 + i)) for i in range(n_groups)}
    stereotypes["g0"] = (*stereotypes["g0"], "p10")
    words = WordList(name="toy", groups=groups, stereotypes=stereotypes)
    return {word: random.normal(size=dims) for word in words.words}, words


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize(
    "name", [name for name, spec in SCORES.items() if spec.resampled and name != "rnsb"]
)
def test_all_at_once_is_one_by_one(name: str, n_groups: int) -> None:
    """The score of a resampled list, computed by its own function, is the oracle.

    That of RNSB keeps the classifier and is tested below.
    """
    spec = SCORES[name]
    vectors, words = toy(n_groups)
    rows, _ = list_rows(vectors, words)
    for at in selections(rows, spec.scope):
        some, picks = rows.of_groups(at), resamples(rows, 40, 1).of_groups(at)
        together = resampled_values(spec, some, picks)
        single = [spec.value(some.of_words(each)) for each in one_at_a_time(picks)]
        # Sums in another order, and squares of what the one-by-one way takes lengths of.
        assert together == pytest.approx(single, abs=1e-7)


def one_at_a_time(picks):
    return [picks.apply(itemgetter(at)) for at in range(len(picks.defining))]


def one_by_one(name: str, vectors, words, n_resamples: int = 20):
    """Values of a score under resamplings, together and one at a time; NaN where undefined."""
    rows, _ = list_rows(vectors, words)
    picks = resamples(rows, n_resamples, 1)
    together = resampled_values(SCORES[name], rows, picks)
    single = [SCORES[name].value_or_nan(rows.of_words(each)) for each in one_at_a_time(picks)]
    return together, np.array(single)


def undefined_alike(name: str, vectors, words) -> None:
    """Some resamplings are undefined, and the same ones together and one at a time."""
    together, single = one_by_one(name, vectors, words, n_resamples=60)
    assert 0 < np.isnan(single).sum() < 60
    assert together == pytest.approx(single, abs=1e-7, nan_ok=True)


@pytest.mark.parametrize("more", [-1, 2])
@pytest.mark.parametrize("name", ["weat", "weat_statistic", "weam", "nas", "gweat", "mac", "same"])
def test_groups_may_be_of_different_size(name: str, more: int) -> None:
    together, single = one_by_one(name, *toy(more=more))
    assert together == pytest.approx(single, abs=1e-7)  # as above


def named(**sets: tuple[list[list[float]], list[list[float]]]):
    """Vectors and a word list of groups, each with its protected and its stereotype vectors."""
    rows = {f"{g}p{i}": v for g, (protected, _) in sets.items() for i, v in enumerate(protected)}
    rows |= {f"{g}s{i}": v for g, (_, others) in sets.items() for i, v in enumerate(others)}
    groups = {g: tuple(f"{g}p{i}" for i in range(len(sets[g][0]))) for g in sets}
    stereotypes = {g: tuple(f"{g}s{i}" for i in range(len(sets[g][1]))) for g in sets}
    return {word: np.asarray(row) for word, row in rows.items()}, WordList(
        "toy", groups, stereotypes
    )


@pytest.mark.parametrize("tilt", [1e-8, 1e-7, 5e-7, 1e-5, 1e-3])
def test_nearly_dependent_groups_are_taken_as_by_the_score(tilt: float) -> None:
    """Below 1e-6 of the longest difference a direction is left out, above it counts."""
    random = np.random.default_rng(0)
    g, h = np.eye(4)[:2]
    third = 2 * h + tilt * np.eye(4)[2]
    others = [random.normal(size=(3, 4)) for _ in range(3)]
    vectors, words = named(g=([g], others[0]), h=([h], others[1]), k=([third], others[2]))
    together, single = one_by_one("same", vectors, words)
    # Squared lengths are rounded to 1e-16, of a smallest one of 1e-10.
    assert together == pytest.approx(single, abs=1e-5)


@pytest.mark.parametrize("apart", [1e-8, 1e-7, 1e-5, 1e-3])
def test_groups_that_nearly_coincide_are_taken_as_by_the_score(apart: float) -> None:
    random = np.random.default_rng(0)
    g = np.eye(4)[0]
    h = g + apart * np.eye(4)[1]
    others = [random.normal(size=(3, 4)) for _ in range(2)]
    vectors, words = named(g=([g], others[0]), h=([h], others[1]))
    together, single = one_by_one("same", vectors, words)
    assert np.isnan(single).all() == (apart < 1e-6)
    assert together == pytest.approx(single, abs=1e-5, nan_ok=True)  # as above


def test_resamplings_in_which_groups_coincide_are_undefined_one_by_one() -> None:
    both = [[1.0, 0.0], [0.0, 1.0]]
    vectors, words = named(g=(both, [[1.0, 0.3]]), h=(both, [[0.2, 1.0]]))
    for name in ("weat", "same"):
        undefined_alike(name, vectors, words)


def test_a_word_against_itself_only_counts_where_it_is_drawn() -> None:
    random = np.random.default_rng(0)
    vectors = {word: random.normal(size=3) for word in "xyzab"}
    words = WordList("toy", {"g": ("x", "y"), "h": ("z",)}, {"g": ("x", "a"), "h": ("b",)})
    undefined_alike("mac", vectors, words)
    alone = WordList("alone", {"g": ("x",), "h": ("z",)}, {"g": ("x",), "h": ("b",)})
    only = r"^undefined: an attribute set holds only the protected"
    refused(only, bootstrap, "mac", vectors, alone)


def test_a_word_without_nas_counts_only_where_it_is_drawn() -> None:
    # The second word is orthogonal to all attributes but the first group's second.
    words = [[1.0, 0.2, 0.0], [0.0, 0.0, 1.0]]
    attributes = [[1.0, 0.0, 0.0], [0.1, 0.0, 1.0]]
    toy = named(g=(words, attributes), h=([[0.0, 1.0, 0.0]], [[0.0, 1.0, 0.0]]))
    undefined_alike("nas", *toy)


@pytest.mark.parametrize("spread", [0.01, 1.0])
@pytest.mark.parametrize("tilt", [0.0, 1e-7, 3e-7, 1e-5, 1e-3])
def test_nearly_dependent_defining_sets_are_taken_as_by_the_score(tilt, spread) -> None:
    """Three groups ask for two components: two words of one direction, but for a tilt, have one."""
    random = np.random.default_rng(0)
    east, north, up = np.eye(3)
    members = [[east], [east + spread * north], [3 * east + 3 * spread * tilt * up]]
    others = [random.normal(size=(3, 3)) for _ in range(3)]
    vectors, words = named(**{k: (m, s) for k, m, s in zip("ghk", members, others, strict=True)})
    together, single = one_by_one("direct_bias", vectors, words)
    assert np.isnan(single).all() == (tilt < 1e-6)
    # Squares are rounded to 1e-16; the smallest that counts is some 1e-14.
    assert together == pytest.approx(single, abs=2e-2, nan_ok=True)


@pytest.mark.parametrize("seed", range(20))
def test_rounding_neither_warns_nor_leaves_the_range(seed: int) -> None:
    random = np.random.default_rng(seed)
    g, h, inside = random.normal(size=(3, 5))
    plane = np.linalg.qr(np.array([g / np.linalg.norm(g) - h / np.linalg.norm(h)]).T)[0][:, 0]
    along, across = [plane, -3 * plane], [inside - (inside @ plane) * plane]
    for name in ("same", "direct_bias"):
        for targets, value in ((along, 1.0), (across, 0.0)):
            together, _ = one_by_one(name, *named(g=([g], targets), h=([h], targets)))
            assert together == pytest.approx(np.full(20, value), abs=1e-7)  # root of 1e-16
            assert together.min() >= 0
            assert together.max() <= 1
    a, b, c = (each / np.linalg.norm(each) for each in (g, h, inside))
    sets = {"g": ([a], [a - b]), "h": ([b], [b - c]), "k": ([c], [a - c])}
    together, _ = one_by_one("direct_bias", *named(**sets))
    assert together.max() <= 1
    basis = np.linalg.qr(np.array([a - b, a - c]).T)[0]
    normal = [each - basis @ (basis.T @ each) for each in random.normal(size=(3, 5))]
    sets = {name: (sets[name][0], [row]) for name, row in zip("ghk", normal, strict=True)}
    together, _ = one_by_one("same", *named(**sets))
    assert together == pytest.approx(np.zeros(20), abs=1e-7)
    equal = [inside, 2 * inside, 0.3 * inside]  # nothing varies, so that there is no sd
    for name in ("weat", "nas"):
        together, _ = one_by_one(name, *named(g=([g, 2 * g], equal), h=([3 * g], equal)))
        assert np.isnan(together).all()


def test_targets_of_rnsb_are_resampled() -> None:
    vectors, words = toy(more=2)
    rows, _ = list_rows(vectors, words)
    probability = rnsb_of(np.vstack(rows.protected), *rows.stereotypes).probability
    drawn = one_at_a_time(resamples(rows, 50, 0))
    result = bootstrap("rnsb", vectors, words, n_resamples=50, seed=0)
    for value, picks in zip(result.values, drawn, strict=True):
        chosen = probability[np.r_[picks.protected[0], 6 + picks.protected[1]]]
        share = chosen / chosen.sum()
        # The classifier's solver stops at a gradient of 1e-8, in the same place for both.
        assert value == pytest.approx(sum(share * np.log(14 * share)), abs=1e-9)


def test_interval_of_a_mean_is_that_of_theory() -> None:
    values = np.random.default_rng(0).normal(size=(200, 1))
    result = bootstrap_of(np.mean, values, n_resamples=4000, seed=0, ci_prob=0.89)
    error = values.std() / np.sqrt(200)
    # 1.598 is the 94.5% point of the Normal; ends vary by about 3% of it for 4,000 resamples.
    assert result.high - values.mean() == pytest.approx(1.598 * error, rel=0.1)
    assert values.mean() - result.low == pytest.approx(1.598 * error, rel=0.1)
    assert result.sd == pytest.approx(error, rel=0.1)
    assert result.score == pytest.approx(values.mean())


def test_seeds() -> None:
    vectors, words = toy()
    first, again, other = (
        bootstrap("weat", vectors, words, n_resamples=50, seed=seed)
        for seed in (3, np.random.SeedSequence(3), 4)
    )
    assert np.array_equal(first.values, again.values)
    assert not np.array_equal(first.values, other.values)
    assert first.low <= first.high
    assert first.undefined == 0
    assert first.seed == again.seed == 3
    rows = np.random.default_rng(0).normal(size=(5, 2))
    for fresh in (partial(bootstrap, "weat", vectors, words), partial(bootstrap_of, np.mean, rows)):
        unseeded, other = fresh(n_resamples=50), fresh(n_resamples=50)
        assert not np.array_equal(unseeded.values, other.values)
        assert np.array_equal(unseeded.values, fresh(n_resamples=50, seed=unseeded.seed).values)


def test_result_tells_what_it_was_made_of() -> None:
    vectors, words = toy()
    del vectors["p00"]
    result = bootstrap("weat", vectors, words, n_resamples=2, seed=0, ci_prob=0.5)
    assert result.name == "weat"
    assert result.missing == {"group g0": ("p00",)}
    assert result.ci_prob == 0.5
    first, second = result.values
    assert result.sd == pytest.approx(abs(first - second) / np.sqrt(2))  # of two values
    # Equal-tailed and linear between order statistics: a quarter in from either end.
    quarter = abs(first - second) / 4
    assert result.low == pytest.approx(min(first, second) + quarter)
    assert result.high == pytest.approx(max(first, second) - quarter)


def test_function_of_arrays_gives_its_name() -> None:
    rows = np.random.default_rng(0).normal(size=(5, 2))
    result = bootstrap_of(np.mean, rows, n_resamples=2, seed=0)
    assert (result.name, result.ci_prob, result.missing) == ("mean", 0.89, {})
    assert bootstrap_of(partial(np.mean, axis=None), rows, n_resamples=2, seed=0).name == "score"


def test_scores_of_all_groups_take_more_than_two() -> None:
    vectors, words = toy(3)
    targets = list(dict.fromkeys(w for each in words.stereotypes.values() for w in each))
    drawn = bootstrap("same", vectors, words, n_resamples=2, seed=0)
    assert drawn.score == pytest.approx(same(vectors, targets, words.groups).score)


@pytest.mark.parametrize("n_defined", [0, 1, 2])
def test_sd_needs_two_defined_values(n_defined: int) -> None:
    values = iter([7.0, *range(1, n_defined + 1)])

    def some(rows) -> float:
        try:
            return next(values)
        except StopIteration:
            raise ValueError("undefined") from None

    result = bootstrap_of(some, [[1.0]], n_resamples=3, seed=0)
    assert result.score == 7
    assert result.undefined == 3 - n_defined
    assert np.isnan(result.sd) == (n_defined < 2)
    if n_defined == 2:
        assert result.sd == pytest.approx(np.sqrt(0.5))  # of 1 and 2


def test_groups_are_chosen_by_name() -> None:
    vectors, words = toy(3)
    first = bootstrap("weam", vectors, words, groups=("g0", "g2"), n_resamples=20, seed=0)
    second = bootstrap("weam", vectors, words, groups=("g2", "g0"), n_resamples=20, seed=0)
    assert first.score != second.score
    refused(r"compares two groups, and there are 3", bootstrap, "weat", vectors, words)
    known = "no group 'g9'; groups are g0, g1, g2"
    refused(known, bootstrap, "weat", vectors, words, groups=("g0", "g9"))
    refused("unknown score 'waet'; did you mean 'weat'", bootstrap, "waet", vectors, words)


def test_bad_input_is_named() -> None:
    vectors, words = toy()
    refused(r"for an 89% interval pass 0\.89", bootstrap, "weat", vectors, words, ci_prob=89)
    refused("n_resamples must be at least 2", bootstrap, "weat", vectors, words, n_resamples=1)
    refused(r"^set 1 must be a matrix", bootstrap_of, np.dot, [[1.0]], [1.0])
    assert np.isnan(interval(np.array([np.nan]), 0.5)).all()
