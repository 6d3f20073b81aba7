"""Word lists: the bundled ones against their sources, a user's own, and what is refused."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayesbias as bb
from bayesbias import wordlists as named_wordlists
from bayesbias._core.resources import bundled_folder
from bayesbias.tables.wordlist_files import wordlists
from bayesbias.tables.wordlists import WordList, load_wordlist

APPENDIX = ("religion", "gender", "race")
WEAT = {
    1: ("flowers", "insects", "pleasant_5", "unpleasant_5a"),
    2: ("instruments", "weapons", "pleasant_5", "unpleasant_5a"),
    3: ("european_american_names_5", "african_american_names_5", "pleasant_5", "unpleasant_5b"),
    4: ("european_american_names_7", "african_american_names_7", "pleasant_5", "unpleasant_5b"),
    5: ("european_american_names_7", "african_american_names_7", "pleasant_9", "unpleasant_9"),
    6: ("male_names", "female_names", "career", "family"),
    7: ("math", "arts", "male_terms", "female_terms"),
    8: ("science", "arts_2", "male_terms_2", "female_terms_2"),
    9: ("mental_disease", "physical_disease", "temporary", "permanent"),
    10: ("young_people_names", "old_people_names", "pleasant_9", "unpleasant_9"),
}
"""Target and attribute sets of each test of Caliskan et al. (2017), by WEFE's names."""

SCRIPT = "<script>alert(1)</script>"

SMALL = """
title = "Small"
[groups]
man = ["he", "his"]
woman = ["she"]
[stereotypes]
man = ["doctor"]
woman = ["nurse", "maid"]
[stereotype_names]
man = "work"
[controls]
neutral = ["table"]
human = "human"
"""

Write = Callable[..., Path]


@pytest.fixture
def write(file: Write) -> Write:
    """Writer of a list's file."""
    return lambda content, name="mine.toml": file(name, content)


@pytest.fixture
def small(write: Write) -> WordList:
    return load_wordlist(write(SMALL))


def pair(**fields: Any) -> WordList:
    """A list of two groups, with fields replaced or added."""
    plain = {
        "name": "pair",
        "groups": {"man": ["he"], "woman": ["she"]},
        "stereotypes": {"man": ["doctor"], "woman": ["nurse"]},
    }
    return WordList(**{**plain, **fields})


# Bundled lists


def test_names_of_bundled_lists_in_natural_order() -> None:
    plain = ["age", "disability", "gender", "gender-de", "gender-es", "human", "nationality"]
    plain += ["neutral", "race", "religion", "sexuality"]
    assert wordlists() == [*plain, *(f"weat{number}" for number in WEAT)]
    assert bb.wordlists() == named_wordlists() == wordlists()


@pytest.mark.parametrize("name", APPENDIX)
def test_lists_of_the_paper_are_as_printed(name: str, shared_data: Path) -> None:
    source = json.loads((shared_data / "wordlists" / "appendix_a4.json").read_text("utf-8"))
    words = load_wordlist(name)
    for part, sets in (("protected_groups", words.groups), ("stereotypes", words.stereotypes)):
        assert {key: list(value) for key, value in sets.items()} == source[name][part]
    assert list(words.groups) == list(source[name]["protected_groups"])
    for control in ("neutral", "human"):
        assert list(words.controls[control]) == source[control]


@pytest.mark.parametrize(("name", "size"), [("neutral", 226), ("human", 85)])
def test_control_lists_are_as_printed(name: str, size: int, shared_data: Path) -> None:
    source = json.loads((shared_data / "wordlists" / "appendix_a4.json").read_text("utf-8"))
    words = load_wordlist(name)
    assert words.controls == {name: tuple(source[name])}
    assert len(words.words) == size
    assert not words.groups


@pytest.mark.parametrize("number", WEAT)
def test_weat_lists_are_as_in_their_source(number: int, shared_data: Path) -> None:
    source = json.loads((shared_data / "wordlists" / "weat.json").read_text("utf-8"))
    x, y, a, b = (source[key] for key in WEAT[number])
    words = load_wordlist(f"weat{number}")
    assert [list(group) for group in words.groups.values()] == [x, y]
    assert [list(words.stereotypes[group]) for group in words.groups] == [a, b]


@pytest.mark.parametrize("name", wordlists())
def test_bundled_list_is_complete(name: str) -> None:
    words = load_wordlist(name)
    assert words.name == name
    assert all((words.title, words.reference, words.licence))
    assert "listing a stereotype does not endorse it" in " ".join(words.note.split()).lower()
    if words.groups:
        assert set(words.stereotypes) == set(words.groups)
        english = name not in {"gender-de", "gender-es"}
        assert list(words.controls) == (["neutral", "human"] if english else [])


# A user's own list


def test_own_list_is_read_by_path(
    write: Write, small: WordList, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert small.name == "mine"
    assert small.title == "Small"
    assert small.groups == {"man": ("he", "his"), "woman": ("she",)}
    assert small.controls["human"] == load_wordlist("human").controls["human"]
    path = write(SMALL)
    monkeypatch.chdir(path.parent)
    assert load_wordlist(str(path)) == load_wordlist("mine.toml") == small
    assert load_wordlist(small) is small


def test_name_of_a_bundled_list_wins_over_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "religion").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_wordlist("religion").name == "religion"


@pytest.mark.parametrize("start", ["\ufeff", "\ufeff\r\n", "# comment\n"])
def test_byte_order_mark_and_windows_lines_are_read(write: Write, start: str) -> None:
    path = write(start + SMALL.replace("\n", "\r\n"))
    assert load_wordlist(path).words[:3] == ("he", "his", "she")


def test_keys_may_hold_dots_quotes_and_other_scripts(write: Write) -> None:
    sets = "\"a.b\" = ['x']\n'c\"d' = ['y']\n\"ζ\" = ['z']\n"
    other = sets.replace("['", "['s")
    words = load_wordlist(write(f"[groups]\n{sets}[stereotypes]\n{other}"))
    assert list(words.groups) == ["a.b", 'c"d', "ζ"]
    assert words.set_name("a.b") == "a.b_stereotype"


# What a WordList offers


def test_words_come_once_and_protected_words_first(small: WordList) -> None:
    assert small.protected_words == ("he", "his", "she")
    assert small.words[:7] == ("he", "his", "she", "doctor", "nurse", "maid", "table")
    assert len(set(small.words)) == len(small.words)
    assert [small.set_name(group) for group in small.groups] == ["work", "woman_stereotype"]


def test_frame_has_one_row_a_word(small: WordList) -> None:
    frame = small.to_frame()
    assert list(frame.columns) == ["role", "set", "word"]
    first = [tuple(row) for row in frame.iloc[2:5].to_numpy()]
    assert first == [
        ("protected", "woman", "she"),
        ("stereotype", "work", "doctor"),
        ("stereotype", "woman_stereotype", "nurse"),
    ]
    assert len(frame) == 3 + 3 + 1 + 85


def test_html_shows_hostile_text_as_text() -> None:
    words = pair(
        title=SCRIPT,
        note=SCRIPT,
        groups={SCRIPT: [SCRIPT + "1"], "b": ["she"]},
        stereotypes={SCRIPT: ["'\"&"], "b": ["nurse"]},
    )
    html = words._repr_html_()
    assert "<script" not in html
    # caption, note, name of the group, its word, name of its stereotypes
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 5
    assert "&#x27;&quot;&amp;" in html


def test_html_has_a_row_a_set_and_abridges_long_ones() -> None:
    html = load_wordlist("religion")._repr_html_()
    assert html.count("<tr>") == 1 + 3 + 3 + 2
    assert "… and 202 more" in html  # 226 neutral words, 24 shown


def test_text_shows_every_set(small: WordList) -> None:
    lines = str(small).splitlines()
    assert lines[0] == "mine: Small"
    assert len(lines) == 2 + 2 + 2 + 2
    assert lines[1].split() == ["role", "set", "size", "words"]
    assert lines[2].index("he") == lines[3].index("she")
    assert "… and 77 more" in lines[-1]  # 85 human words, 8 shown


def test_a_word_list_cannot_be_changed(small: WordList) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="name"):
        small.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError, match="does not support item assignment"):
        small.groups["man"] = ("x",)  # type: ignore[index]


def test_later_changes_of_what_it_was_made_of_do_not_reach_it() -> None:
    groups = {"man": ["he"], "woman": ["she"]}
    words = pair(groups=groups)
    groups["man"].append("his")
    del groups["woman"]
    assert words.groups == {"man": ("he",), "woman": ("she",)}


@pytest.mark.parametrize("name", ["religion", "weat1", "neutral"])
def test_copies_and_pickles_are_equal(name: str) -> None:
    words = load_wordlist(name)
    copies = [pickle.loads(pickle.dumps(words)), copy.copy(words), copy.deepcopy(words)]
    for same in (*copies, dataclasses.replace(words), load_wordlist(name)):
        assert same == words
        assert hash(same) == hash(words)
        assert repr(same) == repr(words)


def test_equal_lists_have_equal_hashes_whatever_the_order_of_groups() -> None:
    turned = pair(groups={"woman": ["she"], "man": ["he"]})
    assert turned == pair()
    assert hash(turned) == hash(pair())
    assert pair(groups={"man": ["she"], "woman": ["he"]}) != pair()


# What is refused


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": " "}, r"name: the name ' ' is blank"),
        ({"name": "../x"}, r"name: .*must do as a file name; leave slashes out"),
        ({"name": ".."}, r"name: .*must do as a file name"),
        ({"name": 3}, r"name: must be a text in quotes; got 3"),
        ({"groups": {"man": ["he"]}}, r"one group, 'man'; a comparison needs at least two"),
        ({"groups": {}}, r"neither \[groups\] nor \[controls\]"),
        ({"groups": ["he"]}, r"groups: must be a table of sets; got \['he'\]"),
        ({"groups": {"man": "he", "woman": ["she"]}}, r"groups.man: must be a list of words.*'he'"),
        ({"groups": {"man": ["he", 3], "b": []}}, r"groups.man: word 2 must be a text.*got 3"),
        ({"groups": {"man": [], "woman": ["she"]}}, r"groups.man: the set is empty"),
        ({"groups": {1: ["he"], "b": ["she"]}}, r"groups.1: must be a text in quotes; got 1"),
        ({"groups": {"man": ["he", "he"], "woman": ["she"]}}, r"groups.man: 'he' stands 2 times"),
        (
            {"groups": {"man": ["he"], "woman": ["she", "he"]}},
            r"groups.woman: 'he' is in groups.man as well; .* one group only",
        ),
        ({"groups": {"man": [" he"], "woman": ["she"]}}, r"word ' he' has spaces around it"),
        ({"groups": {"man": [""], "woman": ["she"]}}, r"groups.man: the word '' is blank"),
        ({"groups": {"man": ["h\x1be"], "woman": ["she"]}}, r"holds a control character"),
        ({"groups": {"": ["he"], "woman": ["she"]}}, r'stereotypes.man: unknown group|groups."": '),
        ({"stereotypes": {}}, r"stereotypes: the list has groups but no \[stereotypes\]"),
        ({"stereotypes": {"men": ["x"]}}, r"stereotypes.men: unknown group 'men'.*mean 'man'"),
        ({"stereotype_names": {"men": "x"}}, r"stereotype_names.men: unknown group 'men'"),
        ({"stereotype_names": {"man": 1}}, r"stereotype_names.man: must be a text"),
        ({"stereotype_names": {"man": " "}}, r"stereotype_names.man: the name ' ' is blank"),
        ({"stereotype_names": {"man": "woman_stereotype"}}, r"is that of stereotypes.man already"),
        ({"stereotype_names": {"man": "human"}}, r"'human' is that of controls.human already"),
        ({"controls": {"neutrl": ["x"]}}, r"controls.neutrl: unknown control.*mean 'neutral'"),
        ({"controls": {"human": "human"}}, r"controls.human: must be a list of words.*'human'"),
    ],
)
def test_unusable_lists_are_refused_with_the_key(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pair(**fields)


def test_words_with_inner_spaces_and_other_scripts_are_words() -> None:
    groups = {"a": ["new york", "naïve", "می\u200cروم"], "b": ["东京"]}
    words = pair(groups=groups, stereotypes={"a": ["x"], "b": ["y"]})
    assert words.protected_words == ("new york", "naïve", "می\u200cروم", "东京")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"neither \[groups\] nor \[controls\]"),
        ("grups = 1", r"grups: unknown key 'grups'; did you mean 'groups'"),
        ("title = 1984", r"title: must be a text in quotes; got 1984"),
        ("[groups]\na = 'x'", r"groups.a: must be a list of words"),
        ("[groups]\na = ['x', 1984]", r"groups.a: word 2 must be a text in quotes; got 1984"),
        ("[groups]\na = [['x']]", r"groups.a: word 1 must be a text in quotes; got \['x'\]"),
        ("[groups.a]\nb = ['x']", r"groups.a: must be a list of words.*got \{'b': \['x'\]\}"),
        ("[[groups]]\na = ['x']", r"groups: must be a table of sets"),
        ("groups = 'x'", r"groups: must be a table of sets; got 'x'"),
        ("[groups]\na = ['x'", r"is not valid TOML: .*at (line|end)"),
        ("[groups]\na = ['x']\na = ['x']\n", r"is not valid TOML: .*at line 3"),
        ("a = " + "[" * 100_000, r"nests lists or tables too deeply"),
        ("a = " + "{a = " * 9_000, r"nests lists or tables too deeply"),
        ("[groups]\n" + ".".join("a" * 1000) + " = 1", r"groups.a: must be a list of words"),
        ("title = " + "1" * 5000, r"is not valid TOML: .*digits"),
        ("title = 0x" + "f" * 9000, r"a number of 36,000 bits is too large"),
        ("title = '\xe9'".encode("latin-1"), r"is not UTF-8 text \(byte 10\)"),
        (SMALL.encode("utf-16"), r"is not UTF-8 text \(byte 1\)"),
        (b"\x00\x01", r"is not valid TOML"),
        ("[controls]\nneutral = 'neutrl'", r"bundled word list 'neutrl'; did you mean 'neutral'"),
        ("[controls]\nneutral = 'human'", r"the list 'human' holds no 'neutral' control words"),
        ("[controls]\nneutral = '../wordlists/neutral'", r"unknown bundled word list"),
        ("[controls]\nneutral = ''", r"unknown bundled word list ''"),
        ("[controls]\nneutral = 'mine.toml'", r"unknown bundled word list 'mine.toml'"),  # a circle
        ("[controls]\nhuman = 'religion'", r"'religion' holds no 'human' control words of its own"),
        ("[controls]\nhuman = 'weat1'", r"'weat1' holds no 'human' control words of its own"),
    ],
)
def test_unusable_files_are_refused_with_their_name(
    write: Write, content: str | bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(content)
    monkeypatch.chdir(path.parent)
    with pytest.raises(ValueError, match=rf"mine\.toml.*{message}"):
        load_wordlist(path)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("relgion", r"unknown word list 'relgion'; did you mean 'religion'.*path, ending in .toml"),
        ("Religion", r"did you mean 'religion'"),
        ("", r"unknown word list ''"),
        ("a\0b", r"unknown word list"),
        *(
            (source, r"a word list is given by its name or path, or as")
            for source in (3, None, ["religion"])
        ),
    ],
)
def test_unknown_name_gives_the_nearest(source: Any, message: str) -> None:
    with pytest.raises(ValueError if isinstance(source, str) else TypeError, match=message):
        load_wordlist(source)


@pytest.mark.parametrize("source", ["mylist.txt", "mylist", "./mylist.txt"])
def test_file_of_another_ending_is_refused(
    write: Write, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    path = write(SMALL, Path(source).name)
    monkeypatch.chdir(path.parent)
    for given in (source, Path(source)):
        with pytest.raises(ValueError, match=r"mylist.* does not end in \.toml.*rename it"):
            load_wordlist(given)


def test_missing_file_and_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lists").mkdir()
    monkeypatch.chdir(tmp_path)
    for missing in ("none.toml", "lists/none", Path("religion")):
        with pytest.raises(FileNotFoundError, match=r"no word list at "):
            load_wordlist(missing)
    for folder in ("lists", Path("lists"), "."):
        with pytest.raises(IsADirectoryError, match=r"is a folder; give the word list's .toml"):
            load_wordlist(folder)


def test_every_bundled_file_is_utf8_without_a_mark() -> None:
    for path in bundled_folder("wordlists").glob("*.toml"):
        assert not path.read_text(encoding="utf-8").startswith("\ufeff")


PETS = {
    "name": "pets",
    "groups": {"cat": ["cat"], "dog": ["dog", "puppy"]},
    "stereotypes": {"cat": ["aloof"], "dog": ["loyal"]},
    "controls": {"neutral": ["table"]},
}


def test_a_dict_json_csv_and_a_query_make_one_list(write: Write) -> None:
    wanted = WordList(**PETS)
    assert load_wordlist(PETS) == wanted
    assert load_wordlist(write(json.dumps(PETS), "pets.json")) == wanted
    frame = wanted.to_frame().to_csv(index=False)
    assert load_wordlist(write(frame, "pets.csv")) == wanted
    query = bb.WordList.from_query(
        ["cat"], ["dog", "puppy"], ["aloof"], ["loyal"], names=("cat", "dog", "a", "b")
    )
    assert query.groups == wanted.groups
    assert query.stereotypes == wanted.stereotypes
    assert query.set_name("dog") == "b"
    of_wefe = {
        "target_sets": [["cat"], ["dog", "puppy"]],
        "attribute_sets": [["aloof"], ["loyal"]],
        "target_sets_names": ["cat", "dog"],
        "attribute_sets_names": ["a", "b"],
    }
    assert load_wordlist(write(json.dumps(of_wefe), "mine.json")) == query
    assert len(load_wordlist(PETS | {"controls": {"human": "human"}}).controls["human"]) == 85


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", "[1]", r"a\.json is not valid JSON: it holds \[1\]"),
        ("a.json", '{"groups": {"a": "x"}}', r"a\.json: groups\.a: must be a list of words"),
        ("a.json", '{"target_sets": [["a"]]}', "its 1 target_sets need as many attribute_sets"),
        ("a.csv", "role,word\n", r"a\.csv is not valid CSV: its heads must be role, set and word"),
        ("a.csv", "", "its heads must be role, set and word; got nothing"),
        ("a.csv", "role,set,word\nprotected,a\n", "row 2 holds 2 cells in place of 3"),
        ("a.csv", "role,set,word\ngroup,a,b\n", "row 2: unknown role 'group'; .*protected"),
    ],
)
def test_files_that_are_no_list_say_why(
    write: Write, name: str, content: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        load_wordlist(write(content, name))
    assert set(bb.check_wordlist(write(content, name))["severity"]) == {"error"}
