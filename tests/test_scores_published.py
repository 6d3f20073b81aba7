"""Numbers that docs/scores.md gives for the rules of published programs, beside ours.

The rules are written down here from their formulas; none of the programs is run.
"""

from __future__ import annotations

import numpy as np
import pytest

import bayesbias as bb
from bayesbias import scores
from bayesbias.scores.subspace import group_means


def associations(vectors, name: str):
    words = bb.load_wordlist(name)
    (X, Y), (A, B) = words.groups.values(), (words.stereotypes[g] for g in words.groups)
    result = scores.weat(vectors, X, Y, A, B)
    return result.association[: result.n_x], result.association[result.n_x :]


@pytest.mark.parametrize(
    ("name", "ddof", "documented"),
    [
        ("weat6", 1, 1.890),
        ("weat6", 0, 1.952),
        ("weat6", "pooled", 8.371),
        ("weat7", 1, 0.966),
        ("weat7", 0, 0.998),
        ("weat7", "pooled", 1.077),
        ("weat2", 1, 1.628),
        ("weat2", "pooled", 2.830),
    ],
)
def test_effect_sizes_by_sd(google_news, name: str, ddof, documented: float) -> None:
    effect = float(scores.effect_sizes(*associations(google_news, name), ddof))
    assert effect == pytest.approx(documented, abs=6e-4)  # half the last place, and float32 input


SPREADS = [
    ([1, 2, 3, 4], [5, 10, 15], "pooled", 3.316625),
    ([1, 2, 3, 40], [5, 10, 15], "pooled", 15.06652),
    (
        [6, 6, 7, 8, 8, 10, 11, 13, 15, 15, 16, 17, 19, 19, 21],
        [10, 11, 13, 13, 15, 17, 17, 19, 20, 22, 24, 25, 27, 29, 29],
        "pooled",
        5.789564,
    ),
]
SPREADS.append((*SPREADS[-1][:2], 1, 6.6224974))


@pytest.mark.parametrize(("x", "y", "ddof", "sd"), SPREADS)
def test_spreads_of_sweaters_own_tests(x, y, ddof, sd: float) -> None:
    """tests/testthat/test-pool.R of sweater 1e95d93 (v0.1.6): pooled for unequal sizes, or forced.

    Its values have seven digits.
    """
    effect = float(scores.effect_sizes(x, y, ddof))
    assert (np.mean(x) - np.mean(y)) / effect == pytest.approx(sd, rel=2e-7)


def with_replacement(x, y, *, two_sided: bool, draws: int = 200_000) -> float:
    """Words drawn with replacement, strictly larger counted, |S*| against S."""
    picked = np.random.default_rng(0).choice(np.r_[x, y], size=(draws, len(x) + len(y)))
    drawn = picked[:, : len(x)].sum(axis=1) - picked[:, len(x) :].sum(axis=1)
    drawn = np.abs(drawn) if two_sided else drawn
    return float(((drawn > x.sum() - y.sum()).sum() + 1) / (draws + 1))


def test_words_drawn_with_replacement(google_news) -> None:
    x, y = associations(google_news, "weat9")
    # Four standard errors of a share of .0095 in 200,000.
    assert with_replacement(x, y, two_sided=False) == pytest.approx(0.0095, abs=9e-4)
    assert scores.permutation_test(x, y, alternative="greater").p_value == pytest.approx(
        0.0076, abs=5e-5
    )


def test_a_negative_statistic_is_not_two_sided_without_its_absolute_value(google_news) -> None:
    x, y = associations(google_news, "weat7")
    assert with_replacement(y, x, two_sided=True) == 1.0
    for first, second in ((x, y), (y, x)):
        p = scores.permutation_test(first, second).p_value
        assert p == pytest.approx(0.0454, abs=5e-5)


def test_the_given_split_counts(google_news) -> None:
    x, y = associations(google_news, "weat6")
    assert x.min() > y.max()  # no split exceeds the given one: counting those gives 0
    assert scores.permutation_test(x, y, alternative="greater").p_value == pytest.approx(1 / 12_870)


def test_added_components_depend_on_the_order_of_groups(google_news) -> None:
    words = bb.load_wordlist("religion")
    targets = [w for ws in words.stereotypes.values() for w in ws if w in google_news]
    rows = np.stack([google_news[word] for word in targets]).astype(float)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)

    def added(groups) -> float:
        means = group_means([[google_news[w] for w in words.groups[g]] for g in groups])
        first, second = means[1] - means[0], means[2] - means[0]
        first = first / np.linalg.norm(first)
        second = second - (second @ first) * first  # not brought to unit length
        return float((np.abs(rows @ first) + np.abs(rows @ second)).mean())

    groups = list(words.groups)
    assert added(groups) == pytest.approx(0.1181, abs=6e-5)
    assert added(groups[::-1]) == pytest.approx(0.1135, abs=6e-5)
    for order in (groups, groups[::-1]):
        score = scores.same(google_news, targets, {g: words.groups[g] for g in order}).score
        assert score == pytest.approx(0.1187, abs=6e-5)


def test_added_cosines_are_no_length(google_news) -> None:
    words = bb.load_wordlist("religion")
    targets = [w for ws in words.stereotypes.values() for w in ws]
    result = scores.direct_bias(google_news, targets, zip(*words.groups.values(), strict=True))
    assert result.k == 2
    assert np.abs(result.components).sum(axis=1).mean() == pytest.approx(0.146, abs=6e-4)
    # EmbeddingBiasScores gives the same length since it was mended, to six digits.
    assert result.score == pytest.approx(0.116431, abs=1e-6)


def test_a_sum_over_attribute_sets_is_no_mean(google_news) -> None:
    result = scores.mac(google_news, bb.load_wordlist("gender"))
    assert result.score == pytest.approx(0.813, abs=6e-4)
    assert result.distance.sum(axis=1).mean() == pytest.approx(1.626, abs=6e-4)


@pytest.mark.parametrize(("C", "score"), [(0.1, 0.0002), (1, 0.0109), (10, 0.1032), (100, 0.3016)])
def test_rnsb_depends_on_its_penalty(google_news, C: float, score: float) -> None:
    words = bb.load_wordlist("weat1")
    targets = [word for group in words.groups.values() for word in group]
    A, B = (words.stereotypes[group] for group in words.groups)
    result = scores.rnsb(google_news, targets, A, B, C=C)
    assert result.score == pytest.approx(score, abs=6e-5)


def test_held_out_words_move_rnsb(google_news) -> None:
    words = bb.load_wordlist("weat1")
    found = {g: [w for w in words.stereotypes[g] if w in google_news] for g in words.groups}
    targets = [word for group in words.groups.values() for word in group if word in google_news]
    values = []
    for seed in range(40):
        random = np.random.default_rng(seed)
        A, B = (random.permutation(ws)[: round(0.8 * len(ws))].tolist() for ws in found.values())
        values.append(scores.rnsb(google_news, targets, A, B).score)
    assert max(values) > 1.5 * min(values)


def test_limits_of_association(google_news) -> None:
    for name, limit in (("weat1", 0.450), ("weat7", 0.584)):
        A, B = bb.load_wordlist(name).stereotypes.values()
        assert scores.association_limit(google_news, A, B) == pytest.approx(limit, abs=6e-4)


def test_a_component_of_pairs_is_not_their_mean() -> None:
    vectors, words = bb.load_vectors("glove-demo"), bb.load_wordlist("weat7")
    pairs = list(zip(*words.stereotypes.values(), strict=True))
    assert pairs[0] == ("male", "female")
    for relation, score in (("component", 0.686), ("mean", 0.431)):
        found = scores.ripa(vectors, words.groups["math"], pairs, relation=relation).score
        assert found == pytest.approx(score, abs=6e-4)


TO_MEN = """
    .3352883 .13495237 .1791162 .2698131 .10123085 .2305419 .13817054 .2842002 .2607956 .2340296
    .2282981 .3205498 .2029543 .17446868 .2657907 .2672548 .1767915 .3080301 .2322444 .1852041
    .2423898 .17124643 .11379186 .06231389 .07450962 .3435494 .3904412 .2128712 .1525395 .1696522
    .1237070 .2278508 .07601974 .3349666 .2642203 .1263250 .4006367 .3169384 .2034101 .2256034
    .1339011 .1741268 .3154815 .2847909 .08028339 .1397101748 .1572854 .07317863 .2337787
    .2733306 .2703030 .1832604 .2187359 .2278016 .16052771 .2494770 -.006505338 .2937436 .1920894
    .1777700 .3090903 .2519372 .07080773 .1948853 .1819504 .15938222 .1300515 .3116599 .3413265
    .1604224 .2540493 .2008630 .2675705 .0828586 .1211243 .3599860
"""
TO_WOMEN = """
    .2598501 .08300127 .3851766 .2331852 .06957685 .2077952 .05101061 .1850456 .2570477 .3171645
    .3508183 .4610773 .1789482 .08362829 .2873140 .2623802 .2475565 .1603038 .2418605 .1920407
    .1332954 .09133125 .07585015 .14343468 .04008006 .1882135 .3011930 .2223472 .1112061 .1440956
    .3147546 .2495253 .15137979 .2735083 .1957056 .1023058 .2425019 .3083380 .1903228 .2029597
    .1112940 .1272682 .1585883 .2981460 .10544115 .0008324421 .1341877 .08706450 .1926543
    .2363398 .2413599 .1034218 .4470728 .2849471 .03511008 .1146753 .032652565 .2345743 .2081210
    .1555298 .2220792 .3146901 .03393879 .1344678 .2274278 .09691327 .0743546 .2590763 .3390124
    .1368013 .3299938 .2493299 .3567416 .1224295 .1220939 .3076572
"""
"""Cosines of 76 occupations with the mean vectors of words for men and for women in GoogleNews, as
the README of sweater 008fb1e prints them."""


def test_coherence_in_sweaters_readme() -> None:
    """Its ECT of these cosines is .7001504, the seven digits printed."""
    to_x, to_y = (np.array(text.split(), dtype=float) for text in (TO_MEN, TO_WOMEN))
    attributes = np.column_stack([to_x, to_y, np.sqrt(1 - to_x**2 - to_y**2)])
    result = scores.ect_of([[1.0, 0, 0]], [[0, 1.0, 0]], attributes)
    assert result.score == pytest.approx(0.7001504, abs=5e-8)
