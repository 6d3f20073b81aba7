"""The check of word-list files: every flaw, on the right line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayesbias as bb
from bayesbias.tables.wordlist_files import wordlists
from bayesbias.tables.wordlist_lint import (
    Finding,
    _places,
    check_wordlist,
    find_flaws,
    refuse_errors,
)
from bayesbias.tables.wordlists import load_wordlist

FINE = """\
[groups]
man = ["he"]
woman = ["she"]
[stereotypes]
man = ["doctor"]
woman = ["nurse"]
"""

CONTROLS = "[controls]\nneutral = ['x']\nhuman = ['x']\n"
NURSE = "[controls]\nneutral = ['nurse']\n"

FLAWED = """\
tytle = "x"                        # 1
[groups]
man = ["he", "his",  # "she" and "he" in a comment do not count
  'he', "son"]                     # 4
"wo.man" = [
  "she",
  "h\\u0065",                       # 7
  "her ",                          # 8
]
[stereotypes]
"wo.man" = ["nurse", \"\"\"
nurse\"\"\", "nurse"]                # 12; the second "nurse" begins on 11
man = []                           # 13
men = ["boss", "nurse"]            # 14
[controls]
neutral = "neutrl"                 # 16
human = ["son"]                    # 17
"""

Check = Callable[[str | bytes], pd.DataFrame]


@pytest.fixture
def check(file: Callable[[str, str | bytes], Path]) -> Check:
    """Checker of a text as a file."""
    return lambda content: check_wordlist(file("mine.toml", content))


def cells(found: pd.DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return list(found[list(columns)].itertuples(index=False, name=None))


@pytest.mark.parametrize("name", wordlists())
def test_nothing_is_wrong_with_a_bundled_list(name: str) -> None:
    found = bb.check_wordlist(name)
    assert list(found.columns) == ["severity", "key", "line", "word", "finding"]
    assert found.empty, found.to_string()


def test_nothing_is_wrong_with_a_plain_list(check: Check) -> None:
    assert check(FINE).empty
    assert check("\ufeff" + FINE.replace("\n", "\r\n")).empty


def test_all_flaws_are_told_on_their_lines(check: Check) -> None:
    found = check(FLAWED)
    assert cells(found, "severity", "key", "line", "word") == [
        ("error", "tytle", 1, ""),
        ("error", "groups.man", 4, "he"),
        ("error", 'groups."wo.man"', 7, "he"),
        ("error", 'groups."wo.man"', 8, "her "),
        ("error", 'stereotypes."wo.man"', 11, "nurse"),
        ("error", "stereotypes.man", 13, ""),
        ("warning", "stereotypes.men", 14, "nurse"),
        ("error", "stereotypes.men", 14, ""),
        ("error", "controls.neutral", 16, ""),
        ("warning", "controls.human", 17, "son"),
    ]
    told = dict(zip(found["line"], found["finding"], strict=True))
    assert "did you mean 'title'" in told[1]
    assert told[4] == "'he' stands 2 times"
    assert "is in groups.man as well; a protected word can belong to one group only" in told[7]
    assert told[13] == "the set is empty"
    assert "did you mean 'neutral'" in told[16]


def test_a_word_that_stands_three_times_is_told_once_at_the_second(check: Check) -> None:
    found = check(FINE.replace('["he"]', '[\n"he",\n"his",\n"he",\n"he"]'))
    assert cells(found, "line", "word", "finding") == [(5, "he", "'he' stands 3 times")]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('["he"]', '["he", "He"]', "'He' and 'he' differ in case or accents only.* counts once"),
        ('["she"]', '["HE", "she"]', "'he' of groups.man differ.*can belong to one group only"),
        ('"doctor"', '"She"', "of groups.woman differ.*no word is compared with itself"),
        ('"doctor"', '"né", "ne\u0301"', "has them as one word"),
        ('"doctor"', '"New York", "new_york"', "counts once"),
    ],
)
def test_spellings_of_one_word_are_told(check: Check, old: str, new: str, told: str) -> None:
    found = check(FINE.replace(old, new))
    assert found["severity"].tolist() == ["warning"]
    assert re.search(told, found["finding"].item())


def test_dotted_keys_and_inline_tables_have_lines_too(check: Check) -> None:
    text = """\
groups.man = ["he"]
groups.woman = [
  "she", "he"]
stereotypes = {man = ["doctor"], woman = ["nurse", "nurse"]}
stereotype_names.man = "neutral"
"""
    assert cells(check(text), "key", "line", "word") == [
        ("groups.woman", 3, "he"),
        ("stereotypes.woman", 4, "nurse"),
        ("stereotype_names.man", 5, ""),
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('woman = ["she"]', "", ("error", "groups", 1)),
        ('"nurse"', "7", ("error", "stereotypes.woman", 6)),
        ('["nurse"]', '"nurse"', ("error", "stereotypes.woman", 6)),
        ('woman = ["nurse"]', "", ("warning", "groups.woman", 3)),
        ('"doctor"', '"nurse"', ("warning", "stereotypes.woman", 6)),
        ('"doctor"', '"she"', ("warning", "stereotypes.man", 5)),
        ('"doctor"', '"docter\\t"', ("error", "stereotypes.man", 5)),
        ("[stereotypes]", "[stereotypes", ("error", "", 4)),
        ("[groups]", "name = 'a/b'\n[groups]", ("error", "name", 1)),
        ("[groups]", "note = 3\n[groups]", ("error", "note", 1)),
        ("[stereotypes]", f"{CONTROLS}[stereotypes]", ("warning", "controls.human", 6)),
        ("[stereotypes]", f"{NURSE}[stereotypes]", ("warning", "controls.neutral", 5)),
    ],
)
def test_one_flaw(
    check: Check, tmp_path: Path, old: str, new: str, expected: tuple[str, str, int]
) -> None:
    """Only those that are errors keep the list from loading."""
    found = cells(check(FINE.replace(old, new)), "severity", "key", "line")
    assert expected in found
    if expected[0] == "warning":
        assert found == [expected]
        load_wordlist(tmp_path / "mine.toml")
        return
    with pytest.raises(ValueError, match=r"mine\.toml"):
        load_wordlist(tmp_path / "mine.toml")


@pytest.mark.parametrize(
    ("content", "finding"),
    [
        (b"\xff\xfe", "is not UTF-8 text"),
        ("a = " + "[" * 100_000, "too deeply"),
        ("a = " + "1" * 5000, "is not valid TOML"),
        ("", "neither [groups] nor [controls]"),
    ],
)
def test_files_that_cannot_be_parsed_are_a_finding(
    check: Check, content: str | bytes, finding: str
) -> None:
    found = check(content)
    assert cells(found, "severity", "line") == [("error", 0)]
    assert finding in found["finding"].item()


@pytest.mark.parametrize("content", [FLAWED, "", "groups = 1", "a = [", FINE.replace("he", "")])
def test_the_check_finds_an_error_where_loading_does(
    check: Check, tmp_path: Path, content: str
) -> None:
    assert "error" in set(check(content)["severity"])
    with pytest.raises(ValueError, match=r"mine\.toml"):
        load_wordlist(tmp_path / "mine.toml")


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no word list at"):
        check_wordlist(tmp_path / "none.toml")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        check_wordlist(tmp_path)
    with pytest.raises(ValueError, match="did you mean 'gender'"):
        check_wordlist("gendr")


def test_refusing_names_the_key_and_lets_warnings_pass() -> None:
    warning = Finding("warning", ("groups", "a b"), "doubtful")
    error = Finding("error", ("groups", "a b"), "wrong")
    refuse_errors([warning])
    with pytest.raises(ValueError, match=r'^groups\."a b": wrong$'):
        refuse_errors([warning, error])
    with pytest.raises(ValueError, match=r"^wrong$"):
        refuse_errors([Finding("error", (), "wrong")])


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
keys = st.sampled_from(
    ["name", "title", "groups", "stereotypes", "controls", "stereotype_names", "x"]
)


@given(st.dictionaries(keys, json_like))
def test_no_content_makes_the_check_fail(content: dict[str, object]) -> None:
    assert all(isinstance(finding, Finding) for finding in find_flaws(content))


def quoted(word: str, style: int) -> str:
    """A word as a TOML string in one of four notations, escaped where it has to be."""
    escaped = "".join(f"\\U{ord(character):08x}" for character in word)
    plain = all(character.isprintable() and character not in "'\"\\" for character in word)
    if not plain or style == 0:
        return f'"{escaped}"'
    return [f'"{word}"', f"'{word}'", f'"""{word}"""', f"'''\n{word}'''"][style - 1]


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8"), max_size=4),
            st.integers(0, 4),
            st.sampled_from(["", "\n", " # ' \" ]\n", "\n\n"]),
        ),
        max_size=8,
    ),
    st.text(st.characters(codec="utf-8"), max_size=4),
)
def test_lines_of_strings_however_they_are_written(
    words: list[tuple[str, int, str]], key: str
) -> None:
    text, expected = f"# [x]\n[groups]\n{quoted(key, 0)} = [", []
    for word, style, gap in words:
        expected.append((("groups", key), word, 1 + text.count("\n")))
        text += quoted(word, style) + "," + gap
    places = list(_places(text + "]\n[after]\n"))
    after = (("after",), None, 2 + text.count("\n"))
    assert places == [(("groups",), None, 2), (("groups", key), None, 3), *expected, after]
