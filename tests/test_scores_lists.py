"""Scores of word lists: tables, bootstrap, custom scores, and WEFE's numbers."""

import re
from functools import cache, partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import leaning, refused

import bayesbias as bb
from bayesbias import WordList, scores
from bayesbias._core.arrays import unit_rows
from bayesbias.comparison import scores_before_after
from bayesbias.scores import SCORES, ListScore, ect, ripa, rnd, score_table, weat
from bayesbias.scores.list_rows import list_rows
from bayesbias.scores.table import SCORE_TABLE_COLUMNS, resampled_values, resamples


def value(table, score: str, groups: str) -> float:
    return table[(table["score"] == score) & (table["groups"] == groups)]["value"].item()


def test_rows_are_the_scores_on_words(google_news) -> None:
    words = bb.load_wordlist("gender")
    table = score_table(google_news, words, n_resamples=20, seed=0)
    assert list(table.columns) == list(SCORE_TABLE_COLUMNS)
    assert set(table["score"]) == set(SCORES)
    (X, Y), (A, B) = words.groups.values(), (words.stereotypes[g] for g in words.groups)
    targets, pairs = [*A, *B], list(zip(X, Y, strict=True))
    both, turned = "man, woman", "woman, man"
    v = google_news
    expected = {
        ("weat", both): scores.weat(v, X, Y, A, B).effect_size,
        ("weat_statistic", both): scores.weat(v, X, Y, A, B).statistic,
        ("weam", both): scores.weam(v, X, A, B).score,
        ("weam", turned): scores.weam(v, Y, B, A).score,
        ("nas", turned): scores.nas(v, Y, B, A).score,
        ("semaxis", both): scores.semaxis(v, X, A, B).score,
        ("rnd", turned): scores.rnd(v, Y, X, B).score,
        ("ect", both): scores.ect(v, X, Y, targets).score,
        ("ripa", both): scores.ripa(v, targets, pairs).score,
        ("gweat", both): scores.gweat(v, [X, Y], [A, B]).score,
        ("mac", both): scores.mac(v, words).score,
        ("same", both): scores.same(v, targets, words.groups).score,
        ("same_skew", both): scores.same(v, targets, words.groups).skew,
        ("same_stereotype", both): scores.same(v, targets, words.groups).stereotype,
        ("direct_bias", both): scores.direct_bias(v, targets, pairs).score,
        ("rnsb", both): scores.rnsb(v, [*X, *Y], A, B).score,
    }
    for (score, groups), number in expected.items():
        assert value(table, score, groups) == pytest.approx(number, abs=1e-9)  # float64
    assert (table["low"] <= table["high"]).all()
    without = table.groupby("score")["no_bias"].first().to_dict()
    assert without == dict.fromkeys(SCORES, 0.0) | {"mac": 1.0, "ect": 1.0}
    tested = table["score"].isin(["weat", "weat_statistic"])
    assert np.allclose(table[tested]["p_value"], scores.weat(v, X, Y, A, B).p_value)
    assert table[~tested][["p_value", "p_low", "p_high"]].isna().all(axis=None)
    part = score_table(v, words, n_resamples=20, seed=0, scores=["same", "weat"])
    rest = table[table["score"].isin(["same", "weat"])].sort_values("score")
    assert np.array_equal(rest["low"], part.sort_values("score")["low"])
    religion = score_table(v, bb.load_wordlist("religion"), n_resamples=3, seed=0)
    count = religion["score"].value_counts()
    assert (count["weat"], count["weam"], count["same"], count["same_skew"]) == (3, 6, 1, 3)
    assert religion["note"].str.contains("left out, not in the embedding: judgemental").all()


def test_scores_of_ones_own_work_wherever_scores_are_taken() -> None:
    vectors, words = leaning("xyz")
    other = {word: row + 0.1 for word, row in vectors.items()}
    own = {"first": ListScore(lambda rows: float(rows.protected[0].sum()), "ordered")}
    table = score_table(vectors, words, scores=own, n_resamples=3, seed=0)
    of_y = np.sum([vectors[word] for word in words.groups["y"]])
    assert value(table, "first", "y, z") == pytest.approx(of_y)
    change = scores_before_after(vectors, other, words, scores=own, n_resamples=3, seed=0)
    assert change["change"].tolist() == pytest.approx([0.1 * 30] * 6)  # five words, six dimensions


@pytest.mark.parametrize("name", SCORES)
def test_resamplings_are_scores_of_the_drawn_words(name: str) -> None:
    vectors, words = leaning("xyz")
    vectors |= {f"x{i}": row for i, row in enumerate(np.random.default_rng(0).normal(size=(5, 6)))}
    rows, _ = list_rows(vectors, words)
    spec, at = SCORES[name], (0, 1, 2) if SCORES[name].scope == "all" else (2, 0)
    picks = resamples(rows, 5, 0)
    values, _ = resampled_values([(spec, at), (spec, at[::-1])], rows, picks)
    for number, found in enumerate(values):
        drawn = [
            {
                group: {
                    f"{kind}{g}.{i}": vectors[listed[group][j]] for i, j in enumerate(of[number])
                }
                for g, (group, of) in enumerate(zip(words.groups, chosen, strict=True))
            }
            for kind, listed, chosen in (
                ("group", words.groups, picks.protected),
                ("stereotype", words.stereotypes, picks.stereotypes),
            )
        ]
        if name == "rnsb":  # only targets are resampled; the classifier uses the whole list
            drawn[1] = {g: {w: vectors[w] for w in ws} for g, ws in words.stereotypes.items()}
        if name in {"ripa", "direct_bias"}:  # pairs are resampled as pairs
            places = picks.defining[5][number]
            drawn[0] = {
                group: {
                    f"{group}.{i}": vectors[words.groups[group][j]] for i, j in enumerate(places)
                }
                for group in words.groups
            }
        named = {word: row for sets in drawn for of in sets.values() for word, row in of.items()}
        sets = [{group: tuple(of) for group, of in kind.items()} for kind in drawn]
        listed, _ = list_rows(named, WordList("drawn", *sets))
        # The classifier's solver stops at a gradient of 1e-8, at the same point for both.
        error = 1e-9 if name == "rnsb" else 1e-12
        assert found == pytest.approx(spec.value(listed.of_groups(at)), abs=error)


def test_tuples_that_lack_a_word_define_nothing() -> None:
    vectors, words = leaning("xyz")
    rows, _ = list_rows({word: row for word, row in vectors.items() if word != "y2"}, words)
    expected = [[vectors[f"{group}{place}"] for group in "xyz"] for place in (0, 1, 3, 4)]
    np.testing.assert_allclose(rows.defining_sets, expected, rtol=1e-6)  # single precision


@pytest.mark.parametrize("third", ["one is missing", "one more", "two fewer"])
def test_rows_of_two_groups_do_not_depend_on_a_third_one(third: str) -> None:
    vectors, words = leaning("xyz")
    size = {"one more": 6, "two fewer": 3}.get(third, 5)
    lost = {"y2"} | ({"z1"} if third == "one is missing" else set())
    known = {w: v for w, v in (vectors | {"z5": np.arange(6.0)}).items() if w not in lost}
    three = WordList("n", words.groups | {"z": [f"z{i}" for i in range(size)]}, words.stereotypes)
    two = [{g: sets[g] for g in "xy"} for sets in (words.groups, words.stereotypes)]
    tables = [
        score_table(known, each, n_resamples=20, seed=0) for each in (three, WordList("n", *two))
    ]
    rows = [t[t["groups"].isin(["x, y", "y, x"])].set_index(["score", "groups"]) for t in tables]
    both = rows[0].index.intersection(rows[1].index)
    assert {"ripa", "weat", "rnsb", "same_skew"} <= {score for score, _ in both}
    pd.testing.assert_series_equal(rows[0].loc[both, "value"], rows[1].loc[both, "value"])
    complete = [i for i in range(5) if i != 2]
    pairs = [(f"x{i}", f"y{i}") for i in complete]
    targets = [*words.stereotypes["x"], *words.stereotypes["y"]]
    assert value(tables[0], "ripa", "x, y") == pytest.approx(ripa(known, targets, pairs).score)
    assert rows[0].loc[both, ["low", "high"]].notna().all(axis=None)


def test_stereotypes_that_groups_share_count_once() -> None:
    vectors, words = leaning("xyz")
    stereotypes = {g: [*of] for g, of in words.stereotypes.items()}
    stereotypes["y"][1:3] = "B", stereotypes["x"][0]
    vectors |= {"b": np.ones(6)}  # B is another spelling of it
    stereotypes["x"][2] = "b"
    shared = WordList("n", words.groups, stereotypes)
    pooled = {
        key: [*dict.fromkeys(stereotypes[key[0]] + stereotypes[key[1]])] for key in ("xy", "xz")
    }
    pooled["xy"].remove("B")
    everything = [w for w in dict.fromkeys(chain(*stereotypes.values())) if w != "B"]
    v, of = bb.load_vectors(vectors, shared, case="lower"), words.groups
    table = score_table(v, shared, n_resamples=50, seed=0)
    for (one, other), targets in pooled.items():
        at, pairs = f"{one}, {other}", list(zip(of[one], of[other], strict=True))
        two = scores.same(v, targets, [of[one], of[other]])
        expected = {
            "ect": ect(v, of[one], of[other], targets).score,
            "ripa": ripa(v, targets, pairs).score,
            "same_skew": two.skew,
            "same_stereotype": two.stereotype,
        }
        for name, number in expected.items():
            assert value(table, name, at) == pytest.approx(number)
    assert value(table, "same", "x, y, z") == pytest.approx(scores.same(v, everything, of).score)
    triples = list(zip(*of.values(), strict=True))
    direct = scores.direct_bias(v, everything, triples).score
    assert value(table, "direct_bias", "x, y, z") == pytest.approx(direct)
    for name, at in product(["nas", "rnsb"], ["x, y", "y, x", "x, z"]):
        row = table[(table["score"] == name) & (table["groups"] == at)]
        undefined = [stereotypes["x"][0] in note for note in row["note"]]
        assert undefined == [at != "x, z"] * len(row) == row["value"].isna().tolist()
    A, B = stereotypes["x"], stereotypes["y"]
    refused("A and B share", scores.nas, v, of["x"], A, B)
    refused("A and B share", scores.rnsb, v, of["x"], A, B)
    # On average, a drawn list has every word once.
    rows, _ = list_rows(v, shared)
    mean = ListScore(lambda drawn: float(drawn.targets.sum()), "all")
    (drawn,) = resampled_values([(mean, (0, 1, 2))], rows, resamples(rows, 2_000, 0))
    error = drawn.std() / np.sqrt(2_000)
    assert abs(drawn.mean() - v[everything].sum()) < 4 * error


def test_intervals_are_quantiles_and_what_is_undefined_is_left_out() -> None:
    # If one word is drawn twice, the groups' associations are all equal.
    vectors = {"x": [1.0, 0.0], "y": [0.0, 1.0], "a": [2.0, 0.0], "b": [0.0, 3.0]}
    words = WordList("n", {"g": ("x", "y"), "h": ("a", "b", "gone")}, {"g": ("a",), "h": ("b",)})
    table = score_table(vectors, words, scores=["weat"], n_resamples=200, seed=0).iloc[0]
    rows, missing = list_rows(vectors, words)
    assert missing == {"group h": ("gone",)}
    (drawn,) = resampled_values([(SCORES["weat"], (0, 1))], rows, resamples(rows, 200, 0))
    undefined = np.isnan(drawn).sum()
    assert f"undefined in {undefined} of 200 resamplings; left out" in table["note"]
    low, high = np.nanquantile(drawn, [0.055, 0.945])
    assert (table["low"], table["high"]) == (low, high)
    uneven = score_table(vectors, words, scores=["ripa"], n_resamples=2, seed=0).iloc[0]
    assert "all groups must be the same size" in uneven["note"]
    assert np.isnan(uneven["value"])


def test_refusals() -> None:
    vectors, words = leaning("xyz")
    table = partial(score_table, vectors, words)
    refused("got the string 'weat'", table, scores="weat", error=TypeError)
    refused("unknown score 'waet'; did you mean 'weat'", table, scores=["waet"])
    refused("unknown scope 'alle'; did you mean 'all'", ListScore, len, "alle")
    refused("unknown direction 'up'", ListScore, len, "all", direction="up")
    refused("scores is empty; choose from weat", table, scores=[])
    refused("must be a bb.scores.ListScore", table, scores={"own": len}, error=TypeError)
    refused("n_resamples must be a whole number, 2 or more", table, scores=["mac"], n_resamples=0)
    without = WordList("n", words.groups, {"x": words.stereotypes["x"]})
    refused("has no stereotypes of y, z", score_table, vectors, without)


ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")

EMBEDDINGS = ["glove", "hard", "soft", "half_sibling"]

THEIRS = pd.read_csv(Path(__file__).with_name("wefe.csv"))
"""Numbers from WEFE 1.0.1 (PyPI; Python 3.10, numpy 1.26.4, scikit-learn 1.7.2). Inputs were the
four embeddings of docs/coming-from.md as text of nine digits, the page's queries,
``preprocessors=[{}, {"lowercase": True}]`` and, for metrics of one attribute set,
``generate_subqueries=True``: with A, and then with B. Effect sizes are those of
``return_effect_size=True``. RNSB uses ``holdout=False``."""

FLOAT32 = 2e-6
"""WEFE uses float32, so sums of 24 products of size 10 have relative errors of 1e-6."""

LIBLINEAR = 2e-3
"""Relative error of RNSB at LIBLINEAR's tolerance of 1e-4, which WEFE uses."""


WEFE = {
    "WEAT": bb.scores.SCORES["weat_statistic"],
    "WEAT, effect size": ListScore(
        lambda rows: weat(None, *rows.protected, *rows.stereotypes, ddof=0).effect_size, "pair"
    ),
    "RNSB, no hold-out": bb.scores.SCORES["rnsb"],
    "RND": ListScore(lambda rows: rnd(None, *rows.protected, rows.stereotypes[0]).score, "ordered"),
    "RIPA": ListScore(
        lambda rows: ripa(None, rows.stereotypes[0], rows.defining_sets, relation="mean").score,
        "ordered",
    ),
    "MAC": bb.scores.SCORES["mac"],
    "ECT": ListScore(
        lambda rows: ect(None, *rows.protected, rows.stereotypes[0]).score,
        "ordered",
        no_bias=1.0,
        direction="lower",
    ),
}
"""WEFE's scores of one attribute set, and its options. "ordered" uses X and Y with A, then Y and
X with B, as ``generate_subqueries=True`` does."""


@cache
def scored() -> dict[str, Any]:
    """Run the code in the page's section on WEFE, and WEFE's scores."""
    found: dict[str, Any] = {}
    code = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)[0]
    exec(compile(code, "coming-from.md", "exec"), found)
    assert list(found["embeddings"]) == EMBEDDINGS
    found["as_wefe"] = as_wefe(found, WEFE)
    return found


def as_wefe(found: dict[str, Any], scores: dict[str, ListScore], *, unit: bool = False) -> Any:
    """Return each list's score in each embedding: mean values, and mean sizes for ranking."""
    rows = []
    for (name, vectors), words in product(found["embeddings"].items(), found["lists"]):
        held = bb.load_vectors(vectors, words, "fallback")
        if unit:
            held.vectors = unit_rows(held.vectors)
        table = bb.score_table(held, words, scores=scores, n_resamples=2)
        rows.append(table.assign(embedding=name, wordlist=words.name))
    table = pd.concat(rows)
    table["bias"] = (table["value"] - table["no_bias"]).abs()
    return table.groupby(["score", "wordlist", "embedding"])[["value", "bias"]].mean()


@pytest.mark.seconds
@pytest.mark.parametrize("score", WEFE)
def test_values_of_wefe(score: str) -> None:
    """Check values of every list, and mean sizes for ranking; subqueries use Y and X with B."""
    close = {"rel": LIBLINEAR} if score.startswith("RNSB") else {"abs": FLOAT32}
    theirs = THEIRS[THEIRS["score"] == score]
    ours = scored()["as_wefe"].loc[score]
    for wordlist, rows in theirs.groupby("wordlist"):
        # Exchanging X and Y changes the sign of all scores except ECT.
        turned = np.where((rows["attributes"] == "B") & (score != "ECT"), -1, 1)
        expected = (rows[EMBEDDINGS].mul(turned, axis=0)).mean().to_numpy()
        assert ours["value"].loc[wordlist][EMBEDDINGS].to_numpy() == pytest.approx(
            expected, **close
        )
    size = ours["value" if score in {"MAC", "ECT"} else "bias"].unstack()[EMBEDDINGS].mean()
    assert size.to_numpy() == pytest.approx(theirs[EMBEDDINGS].abs().mean().to_numpy(), **close)


@pytest.mark.seconds
def test_lengths_of_vectors_turn_the_ranks_of_rnd() -> None:
    """Compare with mean sizes in WEFE with ``normalize=True``."""
    sizes = as_wefe(scored(), {"RND": WEFE["RND"]}, unit=True)["bias"]
    theirs = [0.1070611911, 0.0722025886, 0.0761735138, 0.0408186075]
    average = sizes["RND"].unstack()[EMBEDDINGS].mean()
    assert average.to_numpy() == pytest.approx(theirs, abs=FLOAT32)
