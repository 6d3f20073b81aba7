"""Debiasing methods as functions, for files, and as a command, and their word lists."""

import inspect
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from debias_toys import GENDER, NEUTRAL, SINGLE, toy

import bayesbias as bb
from bayesbias import debias
from bayesbias.cli import main

LISTS = ("five-religions", "gender", "race", "religion")


def test_bundled_lists_name_their_sources_and_are_the_published_ones(shared_data: Path) -> None:
    lists = {name: debias.load_defining_sets(name) for name in debias.defining_sets()}
    assert set(lists) >= set(LISTS)
    for sets in lists.values():
        assert re.search(r"\(20\d\d\)", sets.reference)
        assert all((sets.license, sets.title, sets.note))
        assert not sets.kept & set(sets.targets), "a target that is kept cannot be debiased"

    def published(name: str):
        return json.loads((shared_data / "wordlists" / f"{name}.json").read_text())

    gender = lists["gender"]
    assert [list(pair) for pair in gender.defining] == published("definitional_pairs")
    assert set(map(frozenset, gender.equalize)) == set(map(frozenset, published("equalize_pairs")))
    assert list(gender.specific) == published("gender_specific_seed")
    professions = [entry[0] for entry in published("professions")]
    assert gender.targets == tuple(word for word in professions if word not in gender.specific)
    for name in ("religion", "race"):
        sets, appendix = lists[name], published("appendix_a4")[name]
        assert [list(members) for members in sets.defining] == appendix["protected_rows"]
        assert sets.classes == tuple(appendix["protected_groups"])
        assert set(sets.targets) == {w for ws in appendix["stereotypes"].values() for w in ws}
    five = lists["five-religions"]
    terms = published("same_protected_groups")["terms_by_groups"]
    places, seen = [], set()
    for words in zip(*(terms[name] for name in five.classes), strict=True):
        if not seen & set(words) and not any(" " in word for word in words):
            places.append(words)  # one word for each religion, not present at any earlier position
        seen |= set(words)
    assert five.defining == five.equalize == tuple(places)


def test_what_is_kept_and_the_groups() -> None:
    sets = debias.DefiningSets([["she", "he"], ["her", "he"]], [["queen", "king"]], ["aunt"])
    assert sets.kept == {"she", "he", "her", "queen", "king", "aunt"}
    assert sets.classes == ("class 1", "class 2")
    assert sets.groups == {"class 1": ("she", "her"), "class 2": ("he",)}
    sets = debias.DefiningSets([("woman", "man"), ("She", "he")], representation=["She", "he"])
    assert sets.in_case("lower", ()).representation == ("she", "he")
    sets = debias.DefiningSets(
        [["she", "he"]], [["mom", "dad"], ["Mom", "Dad"], ["US", "us"]], ["Aunt"]
    )
    with pytest.warns(bb.warnings.LeftOut) as told:  # not of sets that are equal in lower case
        lower = sets.in_case("lower", ())
    assert (told[0].message.n, told[0].message.names) == (1, ("us/us",))
    assert (lower.equalize, lower.specific) == ((("mom", "dad"),), ("aunt",))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"defining": []}, "defining must contain at"),
        ({"defining": [["she"]]}, r"pairs or longer tuples of different words; got \['she'\]"),
        ({"defining": [["she", "he"], ["a", "b", "c"]]}, "one word for each of the 2 classes"),
        ({"defining": [["she", "he"]], "specific": "aunt"}, "specific must be a list of words"),
        ({"defining": [["she", "he"]], "case": "lowr"}, "unknown case .lowr.; did you mean"),
        ({"defining": [["she", "he"]], "representation": ("he", "she")}, "must be one of the"),
        ({"defining": [["she", "he"]], "equalize": [["a", "b"], ["b", "c"]]}, "several equalize"),
    ],
)
def test_what_is_refused(content: dict, words: str) -> None:
    refused(words, debias.DefiningSets, **content)


def test_files_and_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('title = "Mine"\ndefining = [["she", "he"]]\n', encoding="utf-8")
    sets = debias.load_defining_sets(path)
    assert (sets.name, sets.title, sets.defining) == ("mine", "Mine", (("she", "he"),))
    assert debias.load_defining_sets(sets) is sets
    for text, words in (
        ("defining = [[", "not valid TOML"),
        ('defnining = [["she", "he"]]', "did you mean 'defining'"),
        ("defining = []", "mine.toml: defining must contain at"),
    ):
        path.write_text(text, encoding="utf-8")
        refused(words, debias.load_defining_sets, path)
    refused("did you mean 'gender'", debias.load_defining_sets, "gendr")
    refused("no list", debias.load_defining_sets, tmp_path / "none.toml", error=FileNotFoundError)
    refused("is a folder", debias.load_defining_sets, tmp_path, error=IsADirectoryError)


def test_words_are_taken_in_the_case_of_the_embedding() -> None:
    """In lower case, the pair Mary and John is found; an exact lookup would miss it."""
    sets = debias.load_defining_sets("gender")
    vectors = bb.load_vectors("glove-demo")
    assert "Mary" not in vectors
    default, exact = (
        bb.debias.debiasing(bb.debias.hard(vectors, each))
        for each in (sets, replace(sets, case="exact"))
    )
    assert (default.case, default.sizes["defining sets"]) == ("fallback", 10)
    assert (exact.case, exact.sizes["defining sets"]) == ("exact", 9)
    there = sum(all(w in vectors for w in pair) for pair in sets.equalize)
    assert exact.sizes["equalize sets"] == there
    assert exact.missing["defining sets"] == ("Mary", "John")
    assert "defining sets" not in default.missing
    bare = bb.debias.hard(vectors, sets, equalize=False)
    assert bb.debias.debiasing(bare).sizes["equalize sets"] == 0


def test_words_of_a_defining_set_that_become_one_are_named(here, capsys) -> None:
    sets = debias.DefiningSets([["He", "he"], ["she", "he"]])
    refused(r"\['He', 'he'\].*He is read as he.*case='exact'", debias.hard, toy(), sets)
    path = Path("one.toml")
    path.write_text('defining = [["He", "he"], ["she", "he"]]', encoding="utf-8")
    command = ["debias", "--sets", "one.toml", "--vectors", "toy.bin", "--out", "out"]
    assert main(command) == 2
    assert "He is read as he" in (said := capsys.readouterr().err)
    assert "--case exact" in said
    assert main([*command, "--case", "exact"]) == 0
    assert "(defining sets): He" in capsys.readouterr().err


TOML = """
defining = [["she", "he"], ["woman", "man"], ["gal", "guy"]]
equalize = [["queen", "king"]]
specific = ["aunt"]
"""
SETS = debias.DefiningSets([["she", "he"], ["woman", "man"]], [["queen", "king"]], ["aunt"])

OPTIONS = {
    "hard": {"k": 2},
    "multiclass_hard": {"equalize": False},
    "soft": {"strength": 1.0},
    "double_hard": {"n_words": 10, "candidates": 3, "seed": 1},
    "half_sibling": {"alpha": 2.0},
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    toy().save_word2vec_format("toy.bin", binary=True)
    Path("mine.toml").write_text(TOML, encoding="utf-8")
    return ["debias", "--lists", "mine.toml", "--vectors", "toy.bin"]


@pytest.fixture
def toy_halves() -> Iterator[Callable]:
    """Register a method that multiplies some coordinates of neutral words during a test."""

    @debias.debiasing_method()
    def toy_halves(
        material: debias.Material, *, first: int | None = None, factor: float = 1
    ) -> debias.Debiaser:
        """Multiply the first coordinates."""
        factors = np.ones(len(material.vectors["she"]))
        factors[:first] = factor
        options = {"equalize": False, "unit": False}
        return material.debiaser({"factor": factor}, neutral=lambda r: r * factors, **options)

    yield toy_halves
    del debias.DEBIASING_METHODS["toy_halves"]


def test_a_new_method_is_a_function_and_debiases_files(toy_halves, here) -> None:
    vectors = toy()
    by_hand = vectors.vectors.copy()
    neutral = [word not in SETS.kept for word in vectors.index_to_key]
    by_hand[neutral, :3] *= 0.25
    result = toy_halves(vectors, SETS, first=3, factor=0.25)
    assert np.array_equal(result.vectors, by_hand)
    assert debias.debiasing(result).method == "toy_halves"
    assert debias.debiasing(result).parameters == {"factor": 0.25}
    rows = debias.fit_debiaser(vectors, "toy_halves", SETS, first=3, factor=0.25).transform_rows(
        vectors.index_to_key[40:50], vectors.vectors[40:50]
    )
    assert np.array_equal(rows, by_hand[40:50])
    options = ["--method", "toy_halves", "--first", "3", "--factor", ".25"]
    assert main([*here, *options, "--out", "command"]) == 0
    assert np.array_equal(bb.load_vectors("command").vectors, by_hand)


def test_words_beyond_the_vocabulary_are_debiased_too() -> None:
    sets, asked = debias.load_defining_sets("gender"), ["he", "weisbuch"]
    by_hand = debias.fit_debiaser("glove-demo", "hard", sets).transform(
        bb.load_vectors("glove-demo", asked)
    )
    found = bb.load_vectors(debias.hard("glove-demo", sets), asked)
    assert found.index_to_key == asked
    assert np.array_equal(found.vectors, by_hand.vectors)


@pytest.mark.parametrize("method", OPTIONS)
def test_the_file_is_what_the_function_gives(method: str, here, monkeypatch) -> None:
    expected = getattr(debias, method)(bb.load_vectors("toy.bin"), GENDER, **OPTIONS[method])
    written = debias.debias_file("toy.bin", "out", method, GENDER, **OPTIONS[method])
    found = bb.load_vectors("out")
    assert found.index_to_key == expected.index_to_key
    assert np.array_equal(found.vectors, expected.vectors)
    told = json.loads(Path("out/record.json").read_text(encoding="utf-8"))
    assert told == json.loads(json.dumps(written))
    assert told | json.loads(json.dumps(asdict(debias.debiasing(expected)))) == told
    assert (told["source"], told["words"], told["dims"]) == ("toy.bin", len(expected), 8)
    monkeypatch.setattr("bayesbias.embeddings.source.READ_SIZE", 4 * 8 * 20)
    debias.debias_file("toy.bin", "out", method, GENDER, force=True, **OPTIONS[method])
    assert bb.load_vectors("out").vectors == pytest.approx(expected.vectors, abs=SINGLE)
    function = getattr(debias, method)
    _, _, *options = inspect.signature(function).parameters
    assert options == debias.method_options(method)
    assert all(f"\n{option} : " in function.__doc__ for option in options)


def test_a_debiased_file_has_the_ranks_of_its_source(here) -> None:
    vectors = toy()
    counts = np.random.default_rng(2).permutation(len(vectors)) + 1
    for word, count in zip(vectors.index_to_key, counts.tolist(), strict=True):
        vectors.set_vecattr(word, "count", count)
    vectors.save("counted.kv")
    debias.debias_file("counted.kv", "out", "hard", GENDER, allow_pickle=True)
    ranks = bb.frequency_ranks(bb.load_vectors("out"))["rank"]
    assert ranks.tolist() == (len(vectors) + 1 - counts).tolist()
    debias.debias_file("toy.bin", "out", "hard", GENDER, force=True)
    assert bb.frequency_ranks(bb.load_vectors("out"))["rank"].is_monotonic_increasing


def test_options_of_the_command_reach_the_method(here, capsys) -> None:
    assert main([*here, "--method", "soft", "--strength", "2", "--out", "out", "-q"]) == 0
    assert capsys.readouterr().out == ""
    assert np.array_equal(
        bb.load_vectors("out").vectors, debias.soft(toy(), SETS, strength=2).vectors
    )
    options = ["--k", "2", "--equalize", "False", "--out", "k", "--case=exact"]
    assert main([*here, *options]) == 0
    assert "(defining sets): gal, guy" in capsys.readouterr().err
    told = json.loads(Path("k", "record.json").read_text(encoding="utf-8"))
    assert told["parameters"] == {"k": 2, "equalize": False}
    assert (told["case"], told["missing"]) == ("exact", {"defining sets": ["gal", "guy"]})


def test_the_file_of_sets_decides_on_case_unless_the_command_does(here) -> None:
    Path("mine.toml").write_text(f'case = "exact"\n{TOML}', encoding="utf-8")
    for given, case in (([], "exact"), (["--case", "lower"], "lower")):
        assert main([*here, *given, "--out", case]) == 0
        assert json.loads(Path(case, "record.json").read_text(encoding="utf-8"))["case"] == case


@pytest.mark.parametrize("option", ["bogus", "progressbar", "source", "embedding", "material"])
def test_options_that_a_method_does_not_have_are_refused(here, capsys, option: str) -> None:
    assert main([*here, f"--{option}", "False", "--out", "out"]) == 2
    assert f"unknown option of hard '{option}'" in capsys.readouterr().err
    assert not Path("out").exists()
    for name in (option, "method"):
        refused(f"unknown option of hard '{name}'", debias.hard, toy(), GENDER, **{name: 1})


BAD_FILES = [
    ({"out": "out.bin"}, "out.bin is a file or has the suffix of one"),
    ({"out": "toy.bin", "force": True}, "toy.bin is the source itself"),
    ({"source": "cut.bin"}, "cut off"),
    ({"source": "nan.bin"}, "not finite: "),
    ({"source": "toy.kv"}, "allow_pickle=True"),
]


def test_bad_files_are_refused_and_nothing_is_written(here) -> None:
    content = Path("toy.bin").read_bytes()
    place = content.index(f"{NEUTRAL[-1]} ".encode()) + len(NEUTRAL[-1]) + 1
    Path("cut.bin").write_bytes(content[:-3])
    Path("nan.bin").write_bytes(content[:place] + b"\xff" * 8 + content[place + 8 :])
    toy().save("toy.kv")
    before = sorted(Path().rglob("*"))
    for changed, fragment in BAD_FILES:
        options = {"source": "toy.bin", "out": "out", "sets": GENDER} | changed
        refused(fragment, debias.debias_file, error=Exception, **options)
        assert sorted(Path().rglob("*")) == before
    debias.debias_file("toy.kv", "out", "hard", GENDER, allow_pickle=True)


def test_vectors_of_another_dimension_are_refused_with_both_dimensions() -> None:
    fitted = debias.fit_debiaser(toy(dims=8), "hard", GENDER)
    refused("8 dimensions, and these have 6", fitted.transform, toy(dims=6))
