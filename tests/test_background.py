"""Reference distributions: ψ, Φ, relative bias, experiments, and their frames."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from background_toys import NEAR, ROUNDING, UP, Z2, Z, distribution, random_vectors
from builders import keyed, refused
from numpy.testing import assert_allclose
from scipy import stats

import bayesbias as bb
from bayesbias import background as bg
from bayesbias._core.checks import Argument
from bayesbias.background.psi_distribution import random_rows
from bayesbias.background.vocabulary import products
from bayesbias.scores import permutation_test, psi


@pytest.fixture(scope="module")
def toy() -> Any:
    return random_vectors()


def brute(vectors: Any, Z: list[str], Z2: list[str]) -> np.ndarray:
    here = [[w for w in side if w in vectors] for side in (Z, Z2)]
    return psi(vectors.vectors, vectors[here[0]], vectors[here[1]])


def test_psi_is_that_of_every_single_word(toy: Any) -> None:
    found = distribution(toy, Z, Z2)
    expected = brute(toy, Z, Z2)
    assert_allclose(found.psi, expected, atol=ROUNDING)
    assert found.missing == ("absent",)
    assert found.mean == pytest.approx(expected.mean(), abs=ROUNDING)
    assert found.sd == pytest.approx(expected.std(ddof=1), abs=ROUNDING)
    assert found.vocabulary[:3].tolist() == ["w0", "w1", "w2"]
    assert "3,000 words" in repr(found)


@pytest.mark.seconds
@pytest.mark.parametrize("kind", [".vec.gz", ""])
def test_every_source_and_chunks_of_any_size_give_the_same_numbers(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """They agree within rounding, and attribute words may be the last or first in the file."""
    path = tmp_path / f"toy{kind}"
    if kind:
        toy.save_word2vec_format(str(path))
    else:
        bb.convert_vectors(toy, path)
    expected = distribution(toy, Z, Z2).psi
    for rows in (9999, 7):
        monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", rows * 4 * 37)
        found = distribution(path, Z, Z2, progressbar=False)
        assert_allclose(found.psi, expected, rtol=0, atol=1e-15)  # 37 products, in another order


@pytest.mark.parametrize("power", [-124, 124])
def test_lengths_of_vectors_make_no_difference(power: int) -> None:
    """This holds even if squares overflow float32. Powers of two scale the numbers exactly."""
    rows = random_vectors().vectors[:7]
    directions = np.random.default_rng(7).standard_normal((2, 37))
    scaled = rows * np.float32(2.0) ** power
    assert_allclose(products(scaled, directions), products(rows, directions), atol=1e-6)


@pytest.mark.parametrize(("case", "row"), [("lower", 0), ("fallback", 1)])
def test_how_words_are_looked_up(case: str, row: int) -> None:
    rng = np.random.default_rng(2)
    vectors = keyed(["paul", "Paul", "ann", "x", "Y", "y"], rng.standard_normal((6, 5)))
    found = distribution(vectors, ["Ann"], ["Y"], case=case)
    loaded = bb.load_vectors(vectors, ["Ann", "Y", "Paul"], case=case)
    expected = psi(vectors.vectors, loaded[["Ann"]], loaded[["Y"]])
    assert_allclose(found.psi, expected, atol=ROUNDING)
    assert found.psi_of(["Paul", "nobody"]).to_dict() == {"Paul": found.psi[row]}


def test_words_without_a_direction_are_left_out_with_a_word(toy: Any) -> None:
    matrix = toy.vectors[:50].copy()
    matrix[3], matrix[9, 0] = 0.0, np.nan
    vectors = keyed([f"w{i}" for i in range(50)], matrix)
    with pytest.warns(bb.warnings.LeftOut) as told:
        found = distribution(vectors, ["w1"], ["w2"])
    assert [each.message.names for each in told] == [("w3", "w9")]
    assert len(found.psi) == len(found.vocabulary) == 48
    assert np.isfinite(found.psi).all()
    assert found.psi_of(["w3", "w4"]).index.tolist() == ["w4"]
    good = np.delete(matrix, [3, 9], axis=0)
    assert_allclose(found.psi, psi(good, matrix[[1]], matrix[[2]]), atol=ROUNDING)


def test_experiments_without_words_are_left_out_with_a_warning(toy: Any) -> None:
    made = {
        "whole": bg.Experiment("whole", ("w5",), ("w6",), ("w1",), ("w2",)),
        "no X": bg.Experiment("no X", ("W5", "Adam"), ("w6",), ("w1",), ("w2",)),
        "pair": (["w1", "w19"], ["w4"]),
        "no Z": bg.Experiment("no Z", ("w5",), ("w6",), ("x",), ("w2",)),
    }
    with pytest.warns(bb.warnings.MissingSet) as caught:
        found = bg.distributions(toy, made)
    assert list(found) == ["whole", "pair"]
    assert found["whole"].vocabulary is found["pair"].vocabulary
    assert_allclose(found["pair"].psi, brute(toy, *made["pair"]), atol=ROUNDING)
    assert [warning.message.about for warning in caught] == ["no X", "no Z"]
    assert {(warning.message.n, warning.message.total) for warning in caught} == {(1, 4)}
    assert "(W5, Adam)" in caught[0].message.reason
    assert caught[0].message.hint[-1] == Argument("case", "fallback")
    refused("no Z: no word in Z", bg.distributions, toy, {"no Z": made["no Z"]})


def seven() -> bg.Distribution:
    return distribution(keyed([*"abcdefg"], random_vectors().vectors[:7]), ["a"], ["b"])


def test_three_words_are_a_reference() -> None:
    some = seven().among(2, 5)
    assert some.mean == pytest.approx(seven().psi[2:5].mean(), rel=1e-12)
    assert some.sd == pytest.approx(seven().psi[2:5].std(ddof=1), rel=1e-12)


NO_RANKS = ((-1, 5), (0, -2), (0, -5), (5, 2), (3, 3), (0.5, 5), (0, 5.0), (True, 6))


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: distribution(random_vectors(), [], ["w2"]), "Z is empty"),
        (lambda: distribution(random_vectors(), ["x", "y"], ["w2"]), r"no word in Z is .*\(x"),
        (lambda: seven().among(0, 5).relative_bias([*"abc"], [*"def"]), "has 5 words, but sets of"),
        (lambda: seven().among(2, 4), "include 2 of 7 words"),
        *((partial(seven().among, *ends), "ranks must be") for ends in NO_RANKS),
        (lambda: bg.words(seven(), {}), "there are no sets"),
        *((partial(of, {}), "there are no distrib") for of in (bg.densities, bg.fits)),
        *((partial(of, {}, {}), "there are no distrib") for of in (bg.standalone, bg.relative)),
        (
            lambda: bg.Experiment("e", *([w] for w in "abcd"), labels=[*"XXZW"]),
            "those of X and Y must differ",
        ),
        (lambda: seven().phi([*"abcdefg"], kind="sets"), "a set of 7 words needs more than 7"),
        (lambda: seven().phi(["A", "no"]), r"no word in the set .*pass case='fallback'"),
        (lambda: seven().relative_bias([*"ab"], [*"bc"]), "X and Y share b; keep"),
        (lambda: bg.experiments(["neutral"]), "'neutral' needs two or more groups"),
        (lambda: bg.distributions(random_vectors(), {}), "there are no experiments"),
        (
            lambda: distribution(keyed([*"abcd"], np.ones((4, 3))), ["a"], ["b"]).phi(["c"]),
            "the same for all words",
        ),
    ],
)
def test_what_is_refused(call: Callable[[], object], what: str) -> None:
    refused(what, call)


@pytest.mark.parametrize("made", [tuple, iter, bg.Experiment])
def test_words_may_come_from_iterators(made: Any) -> None:
    words = [["w5", "w6", "no"], ["w7", "w8"], Z, Z2]
    given = [iter(each) for each in words]
    one = bg.Experiment("toy", *given) if made is bg.Experiment else map(made, words[2:])
    found = bg.distributions(random_vectors(), {"toy": one})
    assert found["toy"].missing == ("absent",)
    np.testing.assert_array_equal(found["toy"].psi, distribution(random_vectors(), Z, Z2).psi)
    if made is bg.Experiment:
        assert bg.standalone(found, {"toy": one})["n_missing"].tolist() == [1, 0]


def test_a_text_is_no_set_of_words() -> None:
    for given in (("ab", ["c"]), "ab", (["a"], ["b"], ["c"]), {"Z": ["a"], "Z2": ["b"]}):
        refused("'e'", bg.distributions, random_vectors(), {"e": given}, error=TypeError)
    refused("X of the experiment", bg.Experiment, "e", "ab", ["c"], ["d"], ["e"], error=TypeError)
    refused("for one word, pass", seven().phi, "a", error=TypeError)
    refused("must be a list", distribution, random_vectors(), "w1", ["w2"], error=TypeError)


def relative_bias(psi: np.ndarray, n: int, m: int, **options: int) -> bg.RelativeBias:
    """Return the relative bias of the first n words and the next m words."""
    words = [f"w{i}" for i in range(len(psi))]
    return bg.Distribution("toy", psi, pd.Index(words)).relative_bias(
        words[:n], words[n : n + m], **options
    )


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 1), (1, 3), (2, 2)])
def test_the_closed_form_is_that_of_all_pairs_of_sets(n: int, m: int) -> None:
    """Compare with every ordered choice of n + m out of six words, by brute force."""
    values = np.array([0.3, -1.2, 2.5, 0.1, 0.9, -0.4])
    every = np.array([values[list(p)] for p in permutations(range(6), n + m)])
    statistic = every[:, :n].sum(axis=1) - every[:, n:].sum(axis=1)
    found = relative_bias(values, n, m, n_resamples=5000, seed=1)
    assert found.expected == pytest.approx(statistic.mean(), abs=1e-12)
    assert found.sd == pytest.approx(statistic.std(), abs=1e-12)
    assert found.z == pytest.approx((statistic[0] - statistic.mean()) / statistic.std())
    # Four standard errors of a mean of 5,000 draws.
    assert abs(found.reference.mean() - found.expected) < 4 * found.sd / np.sqrt(5000)


@pytest.mark.parametrize(("n_words", "size"), [(10_000, 20), (8, 5), (5, 5)])
def test_random_sets_hold_no_word_twice_and_every_word_as_often(n_words: int, size: int) -> None:
    rows = random_rows(n_words, size, 4000, np.random.default_rng(6))
    ranked = np.sort(rows, axis=1)
    assert (ranked[:, 1:] > ranked[:, :-1]).all()
    assert ranked.min() >= 0
    assert ranked.max() < n_words
    if n_words < 10:
        # Each word is drawn 4,000/n_words times in each position (sd below 28); allow five sds.
        for column in rows.T:
            counts = np.bincount(column, minlength=n_words)
            assert np.abs(counts - 4000 / n_words).max() < 140


def test_p_values_of_a_planted_pair(planted: bg.Distribution) -> None:
    """Four words are two sds above the mean and four are at it: 8 sds of ψ, z = 8/sqrt(8)."""
    level = [f"w{i}" for i in np.argsort(np.abs(planted.psi - planted.mean))[:4]]
    found = planted.relative_bias(UP, level, n_resamples=20_000, seed=1)
    assert found.z == pytest.approx(8 / np.sqrt(8), abs=0.03)
    assert found.p_normal() == pytest.approx(2 * stats.norm.sf(8 / np.sqrt(8)), rel=0.1)
    # With 20,000 draws and p = .0047, the standard error is .0005.
    assert found.p_simulated() == pytest.approx(found.p_normal(), abs=0.002)
    turned = planted.relative_bias(level, UP, n_resamples=9, seed=1)
    assert turned.p_normal() == pytest.approx(found.p_normal())  # two-sided
    few = planted.relative_bias(UP, level, n_resamples=9, seed=1)
    assert few.p_simulated() == 1 / 10  # none is as far, except the given pair


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ({}, stats.norm.cdf(2)),
        ({"tail": "upper"}, stats.norm.sf(2)),
        ({"tail": "two"}, 2 * stats.norm.sf(2)),
        ({"about": "zero"}, stats.norm.cdf(2.4)),
        ({"kind": "empirical"}, stats.norm.cdf(2)),
        ({"kind": "empirical", "about": "zero"}, stats.norm.cdf(2.4)),
        ({"kind": "sets", "tail": "upper"}, stats.norm.sf(4)),
    ],
)
def test_a_planted_set_gets_the_phi_that_theory_says(planted, choice, expected) -> None:
    """Mean ψ is two sds above the mean, 2.4 above 0, and four sds of a mean of four words."""
    assert planted.phi(UP, **choice) == pytest.approx(expected, abs=NEAR, rel=0.05)
    below, above, both = (
        planted.phi(UP, **(choice | {"tail": tail})) for tail in ("lower", "upper", "two")
    )
    assert below + above == pytest.approx(1)
    assert both == pytest.approx(2 * min(below, above))


def test_empirical_ranks_count_ties_half() -> None:
    found = distribution(random_vectors(), ["w1"], ["w2"])
    order = np.argsort(found.psi)
    middle = f"w{order[700]}"
    assert found.phi([middle], kind="empirical") == pytest.approx(700.5 / 3000, abs=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_ties_are_not_decided_by_rounding(seed: int) -> None:
    """Multiples of a third have few values, and of eight words, four are the highest."""
    rng = np.random.default_rng(seed)
    thirds, names = rng.integers(-4, 9, 300), [f"w{i}" for i in range(300)]
    tied = bg.Distribution("tied", thirds / 3, pd.Index(names))
    for some in (names[:1], names[:4]):
        mean = thirds[: len(some)].sum()
        ranks = np.sign(len(some) * thirds - mean)  # whole numbers
        expected = (ranks < 0).mean() + (ranks == 0).mean() / 2
        assert tied.phi(some, kind="empirical") == pytest.approx(expected, abs=1e-12)
    psi = np.sort(rng.normal(size=8))
    few = bg.Distribution("few", psi, pd.Index(names[:8]))
    found = few.relative_bias(names[4:8], names[:4], n_resamples=20_000, seed=seed)
    # Two of the 70 splits are as far. Allow four standard errors.
    assert found.p_simulated() == pytest.approx(2 / 70, abs=4 * np.sqrt(2 / 70 / 20_000))


def test_every_pair_of_groups_is_an_experiment() -> None:
    made = bg.experiments()
    assert list(made) == [f"weat{i}" for i in range(1, 11)]
    first = made["weat1"]
    assert first.labels == ("flowers", "insects", "pleasant", "unpleasant")
    assert (len(first.X), first.X[0], first.Z2[0]) == (25, "aster", "abuse")
    assert len(bg.experiments(["religion"])) == 3


@pytest.fixture(scope="module")
def three(planted: bg.Distribution) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return experiments on the planted background with three different conclusions."""
    order = np.argsort(planted.psi)
    high = tuple(f"w{i}" for i in order[-30:-1:2] if i > 1)
    low = tuple(f"w{i}" for i in order[1:30:2] if i > 1)
    level = tuple(f"w{i}" for i in np.argsort(np.abs(planted.psi - planted.mean))[:15])
    made = {
        name: bg.Experiment(name, X, Y, ("up",), ("down",))
        for name, X, Y in (("apart", high, low), ("one", (*high, "absent"), level))
    }
    return dict.fromkeys(made, planted), made


def test_standalone_sets(three: tuple[dict[str, Any], dict[str, Any]]) -> None:
    distributions, made = three
    frame = bg.standalone(distributions, made)
    assert frame["role"].tolist() == ["X", "Y"] * 2
    row = frame.iloc[2]
    each = distributions["one"]
    assert row["n_missing"] == 1
    assert row["psi"] == pytest.approx(each.psi_of(made["one"].X).mean())
    assert row["phi_reference"] == each.phi(made["one"].X)
    assert row["p_zero"] == each.phi(made["one"].X, "zero", "two")
    for column, kind in (("p_reference", "normal"), ("p_rank", "empirical"), ("p_sets", "sets")):
        assert row[column] == each.phi(made["one"].X, tail="two", kind=kind)
    assert row["rank"] == each.phi(made["one"].X, kind="empirical")
    # Both Φ are of the same ψ, so their quantiles differ by the shift of the mean for any set.
    z = stats.norm.ppf(frame[["phi_reference", "phi_zero"]])[:2]
    assert z[:, 0] - z[:, 1] == pytest.approx([-each.mean / each.sd] * 2, abs=1e-6)


def test_readings(three: tuple[dict[str, Any], dict[str, Any]]) -> None:
    distributions, made = three
    frame = bg.relative(distributions, made, n_resamples=2000, seed=1).set_index("experiment")
    apart, one = frame.loc["apart"], frame.loc["one"]
    assert (apart["x_side"], apart["y_side"]) == (1, -1)
    assert "on opposite sides" in apart["reading"]
    assert "only X outside" in one["reading"]
    for name, expected in (("apart", 0.5), ("one", 1.0)):
        shares = frame.loc[name, ["x_share", "x_distance_share"]].tolist()
        assert shares == pytest.approx([expected] * 2, abs=0.05 if name == "apart" else 0.01)
    psi = [distributions["one"].psi_of(sets).to_numpy() for sets in (made["one"].X, made["one"].Y)]
    assert one["p_weat"] == permutation_test(*psi).p_value


def test_the_share_of_x_where_both_sets_lie_on_one_side(planted: bg.Distribution) -> None:
    """X is 2.1 sds above the mean and Y 1.5: without Y, the difference is 2.1/.6 times as large."""
    made = {
        name: bg.Experiment(name, (x,), (y,), ("up",), ("down",))
        for name, x, y in (("one side", "w13", "w10"), ("other way", "w10", "w13"))
    }
    frame = bg.relative(dict.fromkeys(made, planted), made, n_resamples=100, seed=1)
    assert frame["x_share"].tolist() == pytest.approx([2.1 / 0.6, -1.5 / 0.6], abs=0.05)
    readings = [f"only {x} outside, difference within that of random sets" for x in "XY"]
    assert frame["reading"].tolist() == readings
    assert frame["x_distance_share"].tolist() == pytest.approx([2.1 / 3.6, 1.5 / 3.6], abs=NEAR)
    near = {"near": bg.Experiment("near", ("w12",), ("w13",), ("up",), ("down",))}
    row = bg.relative({"near": planted}, near, n_resamples=100, seed=1).iloc[0]
    assert (row["x_side"], row["y_side"]) == (0, 1)  # 1.9 and 2.1 sds are on either side of 1.96
    same = {"same": bg.Experiment("same", ("w20",), ("w21",), ("up",), ("down",))}
    found = bg.relative({"same": planted}, same, n_resamples=100, seed=1)
    assert np.isnan(found.loc[0, "x_share"])


def test_densities_are_smoothed_by_silverman_s_rule() -> None:
    """A kernel's variance adds to that of ψ: (.9 n^(-1/5))² of it, 5% for 1,000 words."""
    psi = stats.norm.ppf((np.arange(1000) + 0.5) / 1000)
    one = bg.Distribution("even", psi, pd.Index([f"w{i}" for i in range(1000)]))
    frame = bg.densities({"even": one})
    variance = np.average(frame["psi"] ** 2, weights=frame["density"])
    # Quantiles of a Normal have .995 of its variance; steps of .03 sd add less than .0001.
    assert variance / psi.var() == pytest.approx(1 + 0.81 * 1000**-0.4, abs=0.005)


def test_densities_have_area_one(planted: bg.Distribution) -> None:
    frame = bg.densities({"planted": planted})
    step = frame["psi"].diff().median()
    for column in ("density", "normal"):
        assert frame[column].sum() * step == pytest.approx(1, abs=2e-3)  # 0.02% off the grid
    # 200,000 draws, binned and smoothed by 0.08 sd: within 3% of the peak everywhere.
    assert (frame["density"] - frame["normal"]).abs().max() < 0.03 * frame["normal"].max()
    fit = bg.fits({"planted": planted}).loc[0]
    # Standard errors with 200,000 draws: .0055 for the skew and .0005 for the share.
    assert abs(fit["skew"]) < 0.03
    assert fit["outside_95"] == pytest.approx(0.05, abs=0.003)
    assert fit["ks"] < 0.005  # 1.95/sqrt(n), the .001 point of Kolmogorov's distribution, is .0044
    reach = (frame["psi"].agg(["min", "max"]) - planted.psi.mean()) / planted.psi.std()
    # 1.2 times 3.72 sds, the .0001 quantile, whose standard error is .06 with 200,000 draws.
    assert reach.tolist() == pytest.approx([-4.46, 4.46], abs=0.2)
    (low, high), *others = set(zip(frame["low"], frame["high"], strict=True))
    assert not others
    assert (low, high) == pytest.approx((0.02 - 0.098, 0.02 + 0.098), abs=1e-3)


def test_words_with_their_places(planted: bg.Distribution) -> None:
    frame = bg.words(planted, {"high": UP, "zero": ["w20", "absent"]})
    assert frame["word"].tolist() == [*UP, "w20"]
    assert frame["z"].tolist() == pytest.approx([1.5, 2.5, 1.9, 2.1, -0.4], abs=0.03)
    assert frame["rank"].tolist() == pytest.approx(
        stats.norm.cdf([1.5, 2.5, 1.9, 2.1, -0.4]), abs=NEAR
    )


def test_spellings_of_one_word_count_once_and_in_one_set(planted: bg.Distribution) -> None:
    spelled = replace(planted, case="fallback")
    with pytest.warns(bb.warnings.SameSpellings) as told:
        found = spelled.psi_of(["w3", "W3", "w2"], "X")
    assert found.index.tolist() == ["w3", "w2"]
    assert told[0].message.spellings == (("W3", "w3"),)
    refused("X and Y", spelled.relative_bias, ["w3", "w4"], ["W3", "w2"], n_resamples=9, seed=1)


def test_names_of_experiments_and_distributions_are_told_apart(planted: bg.Distribution) -> None:
    sets = {"groups": {"a": ["he"], "b": ["she"]}, "stereotypes": {"a": ["doctor"], "b": ["nurse"]}}
    refused("two experiments are called 'mine'", bg.experiments, [sets, sets])
    one = {"one": bg.Experiment("one", UP, ("w2",), ("up",), ("down",))}
    for pair, text in (({}, "distribution called 'one'"), ({"other": planted}, "called 'one'")):
        for function in (bg.relative, bg.standalone):
            refused(text, function, pair, one)
    refused("experiment called 'two'", bg.relative, {"one": planted, "two": planted}, one)


@pytest.mark.parametrize("ranks", [(-3, None), (0, 1.5), 5, (9, 3)])
def test_ranks_to_draw_from_are_checked(ranks: object) -> None:
    drawn = partial(bg.topic_tables, "glove-demo", "weat1", n_tables=1, progressbar=False)
    refused("ranks must be", lambda: next(drawn(ranks=ranks)))
    refused("unknown case", lambda: next(drawn(case="x")))


@pytest.mark.seconds
def test_topics_refuse_a_word_in_two_groups_as_other_lists_do() -> None:
    """All words in the message are in the list, in the group that it names."""
    groups = {"a": ["zoo", "He"], "b": ["he", "she", "She"]}
    sets = {"a": ["Army", "army", "king"], "b": ["ARMY", "weak", "Weak"]}
    given = {"groups": groups, "stereotypes": sets}, {"case": "fallback", "progressbar": False}
    said = []
    for ask in (
        lambda words, how: next(bg.topic_tables("glove-demo", words, **how)),
        lambda words, how: bb.vocabulary_contrasts("glove-demo", words, n_lists=2, **how),
    ):
        with pytest.raises(ValueError, match=r"'He' \(group a\)") as told:
            ask(*given)
        said.append(str(told.value))
    assert said[0] == said[1]
