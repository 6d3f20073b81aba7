"""Lists for debiasing: what is bundled, what a list must be, and files of one's own."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from builders import refused

import bayesbias as bb
from bayesbias.debias import DefiningSets, defining_sets, load_defining_sets

LISTS = ("five-religions", "gender", "race", "religion")


def test_bundled_lists_name_their_sources_and_are_the_published_ones(shared_data: Path) -> None:
    lists = {name: load_defining_sets(name) for name in defining_sets()}
    assert set(lists) >= set(LISTS)
    for sets in lists.values():
        assert re.search(r"\(20\d\d\)", sets.reference)
        assert all((sets.licence, sets.title, sets.note))
        assert not sets.kept & set(sets.targets), "a target that is kept cannot be debiased"

    def published(name: str):
        return json.loads((shared_data / "wordlists" / f"{name}.json").read_text())

    gender = lists["gender"]
    assert [list(pair) for pair in gender.defining] == published("definitional_pairs")
    assert set(map(frozenset, gender.equalise)) == set(map(frozenset, published("equalize_pairs")))
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
            places.append(words)  # one word for each religion, which no earlier place has
        seen |= set(words)
    assert five.defining == five.equalise == tuple(places)


def test_what_is_kept_and_the_groups() -> None:
    sets = DefiningSets([["she", "he"], ["her", "he"]], [["queen", "king"]], ["aunt"])
    assert sets.kept == {"she", "he", "her", "queen", "king", "aunt"}
    assert sets.classes == ("class 1", "class 2")
    assert sets.groups == {"class 1": ("she", "her"), "class 2": ("he",)}
    sets = DefiningSets([("woman", "man"), ("She", "he")], representation=["She", "he"])
    assert sets.in_case("lower", ()).representation == ("she", "he")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"defining": []}, "defining is empty"),
        ({"defining": "she he"}, "defining must be a list of pairs"),
        ({"defining": [["she"]]}, r"pairs or longer tuples of different words; got \['she'\]"),
        ({"defining": [["she", "he"], ["a", "b", "c"]]}, "one word of each of the 2 classes"),
        ({"defining": [["she", "he"]], "classes": ["one"]}, "each of the 1 classes"),
        ({"defining": [["she", " "]]}, "defining must hold words; got ' '"),
        ({"defining": [["she", "he"]], "specific": "aunt"}, "specific must be a list of words"),
        ({"defining": [["she", "he"]], "specific": [3]}, "specific must hold words; got 3"),
        ({"defining": [["she", "he"]], "case": "lowr"}, "unknown case .lowr.; did you mean"),
        (
            {"defining": [["she", "he"]], "representation": ("he", "she")},
            "must be one of the defining tuples; got .'he', 'she'.",
        ),
        (
            {"defining": [["she", "he"]], "equalise": [["a", "b"], ["b", "c"]]},
            "b stand in several equalise sets",
        ),
    ],
)
def test_what_is_refused(content: dict, words: str) -> None:
    refused(words, DefiningSets, **content)


def test_files_and_names(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('title = "Mine"\ndefining = [["she", "he"]]\n', encoding="utf-8")
    sets = load_defining_sets(path)
    assert (sets.name, sets.title, sets.defining) == ("mine", "Mine", (("she", "he"),))
    assert load_defining_sets(sets) is sets
    for text, words in (
        ("defining = [[", "not valid TOML"),
        ('defnining = [["she", "he"]]', "unknown key 'defnining'; did you mean 'defining'"),
        ('title = "none"', "defining is empty"),
        ("defining = []", "mine.toml: defining is empty"),
    ):
        path.write_text(text, encoding="utf-8")
        refused(words, load_defining_sets, path)
    refused("did you mean 'gender'", load_defining_sets, "gendr")
    refused("no list", load_defining_sets, tmp_path / "none.toml", error=FileNotFoundError)
    refused("is a folder", load_defining_sets, tmp_path, error=IsADirectoryError)


def test_equalise_sets_that_share_a_word_in_lower_case_are_one() -> None:
    sets = DefiningSets([["she", "he"]], [["mom", "dad"], ["Mom", "Dad"], ["US", "us"]], ["Aunt"])
    lower = sets.in_case("lower", ())
    assert (lower.equalise, lower.specific) == ((("mom", "dad"),), ("aunt",))


def test_words_are_taken_in_the_case_of_the_embedding() -> None:
    """In lower case: the pair Mary, John counts, as it would not if looked up exactly."""
    sets = load_defining_sets("gender")
    vectors = bb.load_vectors("glove-demo")
    assert "Mary" not in vectors
    default, exact = (
        bb.debias.debiasing(bb.debias.hard(vectors, each))
        for each in (sets, replace(sets, case="exact"))
    )
    assert (default.case, default.sizes["defining sets"]) == ("fallback", 10)
    assert (exact.case, exact.sizes["defining sets"]) == ("exact", 9)
    there = sum(all(w in vectors for w in pair) for pair in sets.equalise)
    assert exact.sizes["equalise sets"] == there
    assert exact.missing["defining sets"] == ("Mary", "John")
    assert "defining sets" not in default.missing
    bare = bb.debias.hard(vectors, sets, equalise=False)
    assert bb.debias.debiasing(bare).sizes["equalise sets"] == 0
