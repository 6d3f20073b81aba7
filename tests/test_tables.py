"""Copies, cosines, and descriptive statistics of tables."""

from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import groups_by_sets, keyed, leaning, refused, unit
from scipy.stats import norm

import bayesbias as bb
from bayesbias.nulls import scenario
from bayesbias.scores.groups import mac_of_table
from bayesbias.tables import table_files
from bayesbias.tables.copies import drop_duplicates, duplicate_vectors
from bayesbias.tables.cosines import attach_cosines, joined_tables, table_cosines
from bayesbias.tables.descriptives import (
    contrast_of,
    densities,
    mac_band,
    neighborhood,
    probability_below,
)
from bayesbias.tables.schema import table_hash
from bayesbias.tables.table_files import read_table, write_table
from bayesbias.warnings import ExactCopies

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.warnings.ExactCopies")

WORDS = bb.WordList(
    name="pets",
    groups={"cat": ["cat", "kitten", "puss"], "dog": ["dog", "puppy", "hound"]},
    stereotypes={"cat": ["aloof", "quiet", "proud"], "dog": ["loyal", "loud", "keen"]},
    controls={"neutral": ["table", "clock", "grass"]},
)

RELIGION_PAIRS = {
    ("judaism", "christianity"),
    ("jew", "muslim"),
    ("synagogue", "mosque"),
    ("torah", "quran"),
    ("rabbi", "priest"),
}


def vectors_of(**same: str) -> Any:
    """Return irregular vectors, in which some words share a vector."""
    rows = np.random.default_rng(7).standard_normal((len(WORDS.words), 8)).astype(np.float32)
    by_word = dict(zip(sorted(WORDS.words), rows, strict=True))
    by_word |= {word: 2 * by_word[other] for word, other in same.items()}
    return keyed([*by_word], np.array([*by_word.values()]))


def by_brute_force(table: pd.DataFrame) -> set[frozenset[str]]:
    """Return pairs of protected words with equal distances wherever both have one."""
    wide = table.pivot_table(
        index="protected_word", columns="attribute", values="cosine_distance", aggfunc="last"
    )
    return {
        frozenset(pair)
        for pair in combinations(wide.index, 2)
        if (wide.loc[pair[0]] - wide.loc[pair[1]]).abs().max() <= 1e-5
    }


@pytest.mark.seconds
def test_copies_across_groups_and_among_attributes_are_named() -> None:
    vectors = vectors_of(hound="kitten", puppy="cat", loud="quiet")
    with pytest.warns(ExactCopies) as told:
        table = bb.distance_table(vectors, WORDS)
    named = {"protected_word": (("cat", "puppy"), ("kitten", "hound"))}
    named |= {"attribute": (("quiet", "loud"),)}
    expected = [ExactCopies(*each, about="these vectors") for each in named.items()]
    assert [each.message for each in told] == expected
    found = duplicate_vectors(table)
    assert set(found["kind"]) == {"copy"}
    pairs = found[found["role"] == "protected_word"][["word", "other"]]
    assert set(map(frozenset, pairs.to_numpy())) == by_brute_force(table)
    assert (found["difference"] <= 1e-6).all()  # float32 vectors with two lengths
    largest = table["cosine_distance"].mask(table.index == 0, table["cosine_distance"] + 5e-6)
    moved = duplicate_vectors(table.assign(cosine_distance=largest))
    moved = moved[moved["word"] == table["protected_word"][0]]
    assert moved["difference"].tolist() == pytest.approx([5e-6], abs=1e-6)


def test_each_vector_is_kept_once_and_under_its_first_name() -> None:
    vectors = vectors_of(hound="kitten", puppy="kitten", loud="quiet")
    whole = bb.distance_table(vectors, WORDS)
    once = bb.distance_table(vectors, WORDS, drop_duplicates=True)
    assert list(once["protected_word"].unique()) == ["cat", "kitten", "puss", "dog"]
    assert "loud" not in set(once["attribute"])
    pd.testing.assert_frame_equal(once, drop_duplicates(whole))
    assert duplicate_vectors(once).empty


def test_words_equalized_by_debiasing_are_no_copies_and_no_group_is_emptied() -> None:
    """All attributes are neutralized, so she and he are equally far from all of them."""
    words = {"groups": {"a": ["he", "man"], "b": ["she", "woman"]}}
    words |= {"stereotypes": {"a": ["doctor", "boss", "strong"], "b": ["nurse", "weak", "home"]}}
    debiased = bb.debias.hard(bb.load_vectors("glove-demo"), "gender")
    with pytest.warns(bb.warnings.EquidistantWords):
        table = bb.distance_table(debiased, words, drop_duplicates=True)
    assert {*table["protected_group"]} == {"a", "b"}
    assert {*duplicate_vectors(table)["kind"]} == {"equidistant"}
    of_list = {word: debiased[word] for each in words.values() for word in chain(*each.values())}
    with pytest.warns(bb.warnings.EquidistantWords):
        once = bb.distance_table(of_list | {"boss": of_list["doctor"]}, words, drop_duplicates=True)
    assert {*table["attribute"]} - {*once["attribute"]} == {"boss"}
    copied = {word: debiased[word] for word in table["attribute"].unique()}
    copied |= dict.fromkeys(("he", "she"), debiased["he"])
    copied |= dict.fromkeys(("man", "woman"), debiased["man"])
    refused("all words of b are copies", bb.distance_table, copied, words, drop_duplicates=True)


def test_words_at_one_distance_from_stereotypes_alone_are_equidistant() -> None:
    table = bb.distance_table(vectors_of(), WORDS)
    sides = table["attribute_set"].isin(["neutral"])
    like = table[table["protected_word"] == "cat"].set_index("attribute")["cosine_distance"]
    moved = table["cosine_distance"].mask(
        (table["protected_word"] == "dog") & ~sides, table["attribute"].map(like)
    )
    found = duplicate_vectors(table.assign(cosine_distance=moved))
    assert found[["kind", "word", "other"]].to_numpy().tolist() == [["equidistant", "cat", "dog"]]
    assert found["n_distances"].tolist() == [6]
    within_group = table["cosine_distance"].mask(
        (table["protected_word"] == "puss") & ~sides, table["attribute"].map(like)
    )
    assert duplicate_vectors(table.assign(cosine_distance=within_group)).empty


def test_missing_pairs_tolerance_and_few_distances() -> None:
    table = bb.distance_table(vectors_of(hound="kitten"), WORDS)
    for attribute in table["attribute"].unique():
        holes = (table["protected_word"] == "hound") & (table["attribute"] == attribute)
        assert duplicate_vectors(table[~holes])["n_distances"].tolist() == [8]
    few = table[table["attribute"].isin(["clock", "grass"])]
    assert duplicate_vectors(few).empty
    moved = table["cosine_distance"] + 2e-5 * (table["protected_word"] == "hound")
    near = table.assign(cosine_distance=moved)
    assert duplicate_vectors(near).empty


def test_the_published_debiased_religion_table_warns_and_names_its_five_pairs(shared_data) -> None:
    path = shared_data / "paper_tables" / "debiased_religion_reddit.csv"
    with pytest.warns(bb.warnings.BayesbiasWarning) as told:
        table = bb.read_table(path)
    (copies,) = (each.message for each in told if each.category is ExactCopies)
    assert (copies.about, set(copies.pairs)) == (str(path), RELIGION_PAIRS)
    found = duplicate_vectors(table).query("kind == 'copy'")
    assert set(zip(found["word"], found["other"], strict=True)) == RELIGION_PAIRS
    assert set(found["n_distances"]) == {322}
    assert by_brute_force(table) == set(map(frozenset, RELIGION_PAIRS))


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Return six-dimensional vectors of two groups of five words."""
    return bb.distance_table(*leaning())


def test_cosines_are_those_of_the_words_in_any_order(table: pd.DataFrame, tmp_path: Path) -> None:
    vectors, _ = leaning()
    write_table(table, tmp_path / "table.parquet")
    write_table(table, tmp_path / "table.csv")
    words = ["y3", "x1", "x2"]
    rows = unit([vectors[word] for word in words])
    for carrier in (table, *(read_table(tmp_path / f"table.{end}") for end in ("parquet", "csv"))):
        found = table_cosines(carrier.sample(frac=1, random_state=1), words)
        np.testing.assert_allclose(found, rows @ rows.T, atol=5.1e-5)  # six numbers of 16 bits
        assert carrier.attrs == table.attrs
    assert not table_cosines(table, ["x1", "unknown"]).size


def test_simulated_tables_carry_the_cosines_of_their_batch() -> None:
    batch = scenario("vocabulary").simulate(3, seed=1).first(2)
    for index in range(2):
        table = batch.table(index)
        words = [*table["protected_word"].unique(), *table["attribute"].unique()]
        assert batch.cosines is not None
        found = table_cosines(table, words)
        np.testing.assert_allclose(found, batch.cosines[index], atol=5e-5)  # rounded
    assert "cosines" not in scenario("independent").table(1).attrs


def test_cosines_too_large_for_a_parquet_file_are_next_to_it(table, tmp_path, monkeypatch) -> None:
    path = tmp_path / "table.parquet"
    monkeypatch.setattr(table_files, "MOST_IN_PARQUET", 10)
    write_table(table, path)
    assert (tmp_path / "table.parquet.cosines.csv").is_file()
    assert not pd.read_parquet(path).attrs
    assert read_table(path).attrs == table.attrs
    monkeypatch.undo()
    write_table(table, path)
    assert [*tmp_path.iterdir()] == [path]
    assert read_table(path).attrs == table.attrs


def test_cosines_next_to_a_csv_file_follow_the_table(table: pd.DataFrame, tmp_path: Path) -> None:
    place = tmp_path / "table.cosines.csv"
    write_table(table, tmp_path / "table.csv")
    assert place.is_file()
    unusable = "word,x1\nx1,high\n", "word,v1\nx1,0\n", "word,y1\nx1,1\n"
    unusable += "word,x1\n", "word,x1\nx1,5\n", "word,v1\nx1,1\nx1,2\n", "word,v1,v2\nx1,1,\n"
    for content in (*unusable, "word,x1,y1\nx1,1,\ny1,,1\n"):
        place.write_text(content, encoding="utf-8")
        refused("must be a square matrix of cosines", read_table, tmp_path / "table.csv")
    for unread in (b"", "word,x1\nx1,1\n".encode("utf-16")):
        place.write_bytes(unread)
        refused("cosines.csv does not contain cosines", read_table, tmp_path / "table.csv")
    years = dict(zip(table["attribute"].unique(), map("0{}".format, range(9)), strict=False))
    years |= dict(zip(table["protected_word"].unique(), map("1{}".format, range(9)), strict=False))
    numbers = table.replace({"attribute": years, "protected_word": years})
    attach_cosines(numbers, [*years.values()], np.eye(len(years)))
    write_table(numbers, tmp_path / "table.csv")
    assert read_table(tmp_path / "table.csv").attrs == numbers.attrs
    bare = table.copy()
    bare.attrs.clear()
    write_table(bare, tmp_path / "table.csv")
    assert not place.exists()


def test_cosines_lost_in_pandas_are_put_back(table: pd.DataFrame, tmp_path: Path) -> None:
    vectors, _ = leaning()
    table.to_csv(tmp_path / "table.csv", index=False)
    notes = pd.DataFrame({"attribute": ["x_s0"], "note": ["first"]})
    other = table.assign(embedding="other")
    other.attrs = {"from": "elsewhere"}
    for lost in (
        pd.read_csv(tmp_path / "table.csv"),
        table.merge(notes, how="left"),
        pd.concat([table.assign(embedding="one"), other]),
    ):
        assert not lost.attrs
        for source in (vectors, pd.DataFrame(vectors).T, table):
            found = bb.with_cosines(lost, source)
            assert found.attrs == table.attrs
            pd.testing.assert_frame_equal(found, lost)
        assert not lost.attrs
    del vectors["x_s0"]
    few = bb.with_cosines(table[table["attribute"] != "x_s0"], vectors)
    for source in (vectors, few, lost):
        refused(r"x_s0|x0, x1", bb.with_cosines, table, source)


def test_many_words_keep_their_likeness_as_few_do(tmp_path: Path) -> None:
    """Files have the cosines of 1,001 words, and joined tables have their means."""
    rng, n = np.random.default_rng(1), 1001
    vectors = dict(zip([f"w{i}" for i in range(n)], rng.normal(size=(n, 10)), strict=True))
    names = [*vectors]
    groups = {"a": names[:2], "b": names[2:4]}
    words = {"groups": groups, "stereotypes": {"a": names[4:500], "b": names[500:]}}
    table = bb.distance_table(vectors, words)
    rows = unit([*vectors.values()])
    for end in ("csv", "parquet"):
        write_table(table, tmp_path / f"table.{end}")
        found = table_cosines(read_table(tmp_path / f"table.{end}"), names)
        np.testing.assert_allclose(found, rows @ rows.T, atol=1e-4)  # ten numbers of 16 bits
    assert joined_tables([table, table.copy()]).attrs == table.attrs
    turned = dict(zip(names, np.roll(rows, 1, axis=0), strict=True))
    mean = table_cosines(joined_tables([table, bb.distance_table(turned, words)]), names)
    expected = (rows @ rows.T + np.roll(rows @ rows.T, 1, axis=(0, 1))) / 2
    np.testing.assert_allclose(mean, expected, atol=1.5e-4)  # rounded to four decimals
    assert len(table.attrs["cosines"]) < 60 * n  # the cosines would take 2,700 n letters


def test_damaged_cosines_are_named(table: pd.DataFrame) -> None:
    for damaged in ("{", '{"words": ["a"]}', '{"words": ["a"], "numbers": "AA=="}', "[1]"):
        broken = table.copy()
        broken.attrs["cosines"] = damaged
        refused(r"bb\.with_cosines", bb.fit, broken, draws=100)


TOY = [
    ("she", "woman", "kind", "woman_stereotype", "associated", 0.6),
    ("she", "woman", "warm", "woman_stereotype", "associated", 0.8),
    ("she", "woman", "bold", "man_stereotype", "different", 0.9),
    ("she", "woman", "table", "neutral", "neutral", 1.0),
    ("she", "woman", "chair", "neutral", "neutral", 1.3),
    ("she", "woman", "walk", "human", "human", 0.75),
    ("he", "man", "bold", "man_stereotype", "associated", 0.5),
    ("he", "man", "kind", "woman_stereotype", "different", 1.0),
    ("he", "man", "table", "neutral", "neutral", 0.95),
]


DIFFERENCES = pd.DataFrame([{"first": "associated", "second": "human", "mean": -0.1}])
DIFFERENCES = DIFFERENCES.assign(low=-0.3, high=0.2, p_direction=0.9)


@pytest.fixture
def toy() -> pd.DataFrame:
    return bb.validate_table(pd.DataFrame(TOY, columns=list(bb.COLUMNS)))


@pytest.mark.seconds
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_band_includes_its_endpoints(toy: pd.DataFrame, dtype: type) -> None:
    """The 101 widths of two decimals, of which 23 are not exact differences from 1."""
    for width in range(101):
        at_ends = np.array([(100 - width) / 100, (100 + width) / 100], dtype=dtype)
        outside = at_ends + np.array([-1e-6, 1e-6])  # of seven digits
        table = pd.concat(
            [toy[:2].assign(cosine_distance=y.clip(0, 2)) for y in (at_ends, outside)]
        )
        band = mac_band(table, width / 100)
        assert band["n_inside"].sum() == (2 if width < 100 else 4)
    for width in ("a", [0.1], True, 1.1, np.nan):
        refused("half_width .* must lie in", mac_band, toy, width)


def test_mac_band_by_hand(toy: pd.DataFrame) -> None:
    band = mac_band(toy).set_index("connection")
    # she: woman's set (.6 + .8)/2 = .7, man's set .9; he: .5 and 1.0; their mean is .775
    assert band["mac"].tolist() == pytest.approx([0.775] * 4)
    assert band["band_low"].iloc[0] == pytest.approx(0.77)  # rounded up to .23
    assert band["band_high"].iloc[0] == pytest.approx(1.23)
    assert band.index.tolist() == ["associated", "different", "neutral", "human"]
    assert band["n_rows"].tolist() == [3, 2, 3, 1]
    assert band["n_inside"].tolist() == [1, 2, 2, 0]
    assert band["share"].tolist() == pytest.approx([1 / 3, 1, 2 / 3, 0])


@pytest.mark.parametrize(
    ("name", "mac", "percent"),
    [
        ("gender_group_google_dataset", 0.8128, []),
        ("religion_group_google_dataset", 0.8831, []),
        ("religion_group_reddit_dataset", 0.8614, [36, 44, 56, 53]),
        ("debiased_religion_reddit", 0.9334, [64, 64, 59, 59]),
    ],
)
def test_mac_and_shares_of_published_tables(published, name, mac, percent) -> None:
    table = published(name)
    # Dobrzeniecka and Urbaniak report four decimal places
    assert mac_band(table)["mac"].iloc[0] == pytest.approx(mac, abs=5e-5)
    if percent:  # for associated, different, neutral, and human; they round 1 - MAC to .14
        shares = mac_band(table, half_width=0.14)["share"]
        assert [round(100 * share) for share in shares] == percent


def test_densities_match_a_sum_of_normals_by_hand(toy: pd.DataFrame) -> None:
    curve = densities(toy)
    curve = curve[curve["connection"] == "neutral"]
    points = np.array([1.0, 1.3, 0.95])
    width = points.std(ddof=1) * 3 ** (-1 / 5)  # Scott's rule
    at = curve["cosine_distance"].to_numpy()[:, None]
    normals = np.exp(-0.5 * ((at - points) / width) ** 2) / (width * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(curve["density"], normals.mean(axis=1), rtol=1e-9)
    groups = toy.groupby("connection")["cosine_distance"]
    widths = (groups.std() * groups.size() ** (-1 / 5))[["associated", "neutral"]]
    distances = toy["cosine_distance"]  # two of the larger widths beyond all
    assert at.min() == pytest.approx(max(0, distances.min() - 2 * widths.max()))
    assert at.max() == pytest.approx(min(2, distances.max() + 2 * widths.max()))
    assert set(densities(toy)["connection"]) == {"associated", "neutral"}
    same = densities(toy.assign(cosine_distance=1.0))
    assert same.columns.tolist() == ["connection", "cosine_distance", "density"]
    assert same.empty


def test_neighborhood_keeps_the_nearest_and_the_words_own(toy: pd.DataFrame) -> None:
    near = neighborhood(toy.iloc[::-1], "she", most=5)
    assert near["attribute"].tolist() == ["kind", "walk", "warm", "bold", "table"]
    assert near["n_available"].tolist() == [6] * 5
    assert [*near] == ["attribute", "connection", "cosine_distance", "n_available"]
    assert neighborhood(toy.iloc[::-1], "she", most=1)["attribute"].tolist() == ["kind", "warm"]
    again = toy.iloc[[0]].assign(cosine_distance=0.7)
    near = neighborhood(pd.concat([toy, again]), "she").set_index("attribute")
    assert near.loc["kind", "cosine_distance"] == pytest.approx(0.65)
    assert near.index.is_unique


def test_contrast_of_turns_a_pair_around() -> None:
    pd.testing.assert_frame_equal(contrast_of(DIFFERENCES, "associated", "human"), DIFFERENCES)
    turned = {"first": "human", "second": "associated", "mean": 0.1, "low": -0.2, "high": 0.3}
    found = contrast_of(DIFFERENCES, "human", "associated").iloc[0]
    assert found.to_dict() == turned | {"p_direction": 0.9}


def test_the_probability_below_zero_is_the_share_of_draws_there() -> None:
    means = np.array([-0.3, -0.01, 0.02, 0.4])
    below = norm.cdf(0, means, 0.1)
    frame = pd.DataFrame({"mean": means, "p_direction": np.maximum(below, 1 - below)})
    np.testing.assert_allclose(probability_below(frame), below)


def test_what_is_refused(toy: pd.DataFrame) -> None:
    refused("MAC needs associated", mac_band, toy[toy["connection"] == "human"])
    refused("half_width", mac_band, toy, half_width=14)
    assert mac_band(toy, np.array(0.2)).equals(mac_band(toy, 0.2))  # an array without dimensions
    refused("did you mean 'she'", neighborhood, toy, "shee")
    refused("only associated - human", contrast_of, DIFFERENCES, "neutral", "human")


def test_both_ends_of_distances_ranks_widths_and_copies() -> None:
    """Distances reach from 0 to 2, within rounding; a width has two decimals; ranks begin at 1."""
    table = groups_by_sets("xy", 1, 2)
    valid = bb.validate_table(table.assign(cosine_distance=[-1e-6, 2 + 1e-6] * 4))
    assert valid["cosine_distance"].tolist() == [0.0, 2.0] * 4
    assert mac_of_table(table.assign(cosine_distance=0.0)).score == 0
    # In binary, 1 - .86 is a little more than .14.
    band = mac_band(table.assign(cosine_distance=0.86))
    assert band[["band_low", "band_high"]].to_numpy() == pytest.approx(np.array([[0.86, 1.14]] * 2))
    for rank in (0.5, True, 2 + 0j, pd.Timestamp("2020-01-01")):
        refused("from 1", bb.validate_table, valid.assign(attribute_rank=rank))
    for odd in (True, np.True_, 1j, pd.Timestamp(1), pd.Timedelta(0), "1,0", None, [1]):
        values = pd.Series([odd] * len(valid))
        refused(r"not in \[0, 2\]", bb.validate_table, valid.assign(cosine_distance=values))
    for name in ("protected_word", "attribute_set", "connection"):
        odd = valid.assign(**{name: valid[name].astype(str) + " "})
        refused("spaces around", bb.validate_table, odd)
        odd = valid.assign(**{name: valid[name].astype(str) + "\0"})  # no file of HDF5 has it
        refused("NUL", bb.validate_table, odd)
    far = groups_by_sets("x", 2, 4)
    equal = np.tile([0.5, 0.6, 0.7, 0.8], 2)
    assert len(duplicate_vectors(far.assign(cosine_distance=equal))) == 1
    equal[-1] += 3e-5  # the mean difference is below the tolerance
    assert duplicate_vectors(far.assign(cosine_distance=equal)).empty


def test_the_hash_depends_on_which_row_has_which_word() -> None:
    table = groups_by_sets("xy", 2, 3).assign(cosine_distance=0.5)
    words = table["attribute"].tolist()
    swapped = table.assign(attribute=[*words[:-2], words[-1], words[-2]])
    assert [*swapped["attribute"].unique()] == [*table["attribute"].unique()]
    assert table_hash(table) == table_hash(table.copy())
    assert table_hash(table) != table_hash(swapped)


@pytest.mark.seconds
@pytest.mark.parametrize(
    ("first", "second"), [("m.csv", "m.csv.random.csv"), ("m.csv", "m.csv.parquet")]
)
def test_tables_with_similar_names_have_their_own_cosines(
    first: str, second: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_files, "MOST_IN_PARQUET", 10)
    one, other = (bb.distance_table("glove-demo", name) for name in ("religion", "gender"))
    for table, name in ((one, first), (other, second)):
        write_table(table, tmp_path / name)
    assert read_table(tmp_path / first).attrs == one.attrs
    assert read_table(tmp_path / second).attrs == other.attrs


@pytest.mark.parametrize("square", [True, False], ids=["cosines", "vectors"])
def test_cosines_of_other_vectors_are_left_out(tmp_path: Path, square: bool) -> None:
    """Tables may be cut, rounded, or have planted effects; another embedding is found."""
    rng, words = np.random.default_rng(3), {"groups": {}, "stereotypes": {}}
    for role, group in product(words, "ab"):
        words[role][group] = [f"{role[0]}{group}{i}" for i in range(6)]
    names = [word for sets in words.values() for some in sets.values() for word in some]
    size = 60 if square else 5
    one, other = (
        bb.distance_table(dict(zip(names, rng.standard_normal((24, size)), strict=True)), words)
        for _ in range(2)
    )
    path = tmp_path / "q.csv"
    write_table(one, path)
    shift = 0.01 * (one["connection"] == "associated")
    for same in (
        one,
        one[::2],
        one.sample(frac=1, random_state=1),
        one.round(2),
        one.assign(more=1.0),
        one.assign(cosine_distance=(one["cosine_distance"] + shift).clip(0, 2)),
    ):
        same.to_csv(path, index=False)
        assert read_table(path).attrs == one.attrs
    for change in (other, other.round(2), other[::2]):
        change.to_csv(path, index=False)
        with pytest.warns(bb.warnings.CosinesOfOthers):
            assert not read_table(path).attrs
