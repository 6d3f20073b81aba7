"""Word lists: bundled lists and their sources, custom lists, refusals, and the check."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from builders import refused
from hypothesis import given, settings
from hypothesis import strategies as st

from bayesbias import WordList, check_wordlist, load_wordlist, wordlists
from bayesbias._core.resources import bundled_folder
from bayesbias.tables.wordlist_lint import find_flaws
from bayesbias.warnings import LeftOut, ReadAsLatin1

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
"""Target and attribute sets of each test in Caliskan et al. (2017), named as in WEFE."""

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

PETS = {
    "name": "pets",
    "groups": {"cat": ["cat"], "dog": ["dog", "puppy"]},
    "stereotypes": {"cat": ["aloof"], "dog": ["loyal"]},
    "controls": {"neutral": ["table"]},
}

Write = Callable[..., Path]


@pytest.fixture
def write(file: Write, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Return a function that writes a list's file to the current folder."""

    def write(content: str | bytes, name: str = "mine.toml") -> Path:
        path = file(name, content)
        monkeypatch.chdir(path.parent)
        return path

    return write


@pytest.fixture
def small(write: Write) -> WordList:
    return load_wordlist(write(SMALL))


def source_of(shared_data: Path, name: str) -> Any:
    return json.loads((shared_data / "wordlists" / name).read_text("utf-8"))


def test_lists_of_the_paper_are_as_printed(shared_data: Path) -> None:
    for name in ("religion", "gender", "race"):
        source, words = source_of(shared_data, "appendix_a4.json"), load_wordlist(name)
        for part, sets in (("protected_groups", words.groups), ("stereotypes", words.stereotypes)):
            assert {key: list(value) for key, value in sets.items()} == source[name][part]
        for control in ("neutral", "human"):
            assert list(words.controls[control]) == source[control]
            assert load_wordlist(control).words == tuple(source[control])


def test_weat_lists_are_as_in_their_source(shared_data: Path) -> None:
    source = source_of(shared_data, "weat.json")
    for number, names in WEAT.items():
        words = load_wordlist(f"weat{number}")
        sets = [*words.groups.values(), *(words.stereotypes[group] for group in words.groups)]
        assert [list(part) for part in sets] == [source[name] for name in names]


def test_bundled_lists_are_complete_and_without_flaws() -> None:
    assert wordlists()[-10:] == [f"weat{number}" for number in WEAT]
    for name in wordlists():
        words = load_wordlist(name)
        assert words.name == name
        assert all((words.title, words.reference, words.license))
        assert "listing a stereotype does not endorse it" in " ".join(words.note.split()).lower()
        assert set(words.stereotypes) == set(words.groups)
        if words.groups and name not in {"gender-de", "gender-es"}:
            assert list(words.controls) == ["neutral", "human"]
        found = check_wordlist(name)
        assert list(found.columns) == ["severity", "key", "word", "finding"]
        assert found.empty, found.to_string()
    for path in bundled_folder("wordlists").glob("*.toml"):
        assert not path.read_text(encoding="utf-8").startswith("\ufeff")


def test_own_list_is_read_by_path(write: Write) -> None:
    path = write("\ufeff\r\n" + SMALL.replace("\n", "\r\n"))
    (path.parent / "religion").mkdir()
    small = load_wordlist(path)
    assert (small.name, small.title) == ("mine", "Small")
    assert small.groups == {"man": ("he", "his"), "woman": ("she",)}
    assert small.controls["human"] == load_wordlist("human").controls["human"]
    assert load_wordlist(str(path)) == load_wordlist("mine.toml") == load_wordlist(small) == small
    assert load_wordlist("religion").name == "religion"  # even though a folder has that name


def test_a_dict_json_and_csv_make_one_list(write: Write) -> None:
    wanted = WordList(**PETS)
    assert load_wordlist(PETS) == wanted
    assert load_wordlist(write(json.dumps(PETS), "pets.json")) == wanted
    frame = wanted.to_frame().to_csv(index=False)
    sheets = [
        frame,
        frame.replace(",", "\t"),
        "\ufeff" + frame.replace(",", ";").replace("\n", "\r\n"),
        frame.replace(",", ", "),
        frame.replace("\n", "\n,,\n") + " ,, \n",  # as Excel leaves them
        frame.replace("role,set,word", "Role,SET,Word "),
    ]
    for sheet in sheets:
        assert load_wordlist(write(sheet, "pets.csv")) == wanted
        assert load_wordlist(write(sheet, "pets.tsv")) == wanted
    held = wanted.to_frame().assign(empty=" ")
    assert load_wordlist(held.set_index(held["word"].rename("key"))).groups == wanted.groups
    with pytest.warns(LeftOut) as told:
        assert load_wordlist(held.assign(note="x", n=1)).groups == wanted.groups
    assert told[0].message.names == ("note", "n")
    rows = wanted.to_frame().to_dict("records")
    lines = "\n".join(map(json.dumps, rows))
    assert load_wordlist(write(json.dumps(rows), "pets.json")) == wanted
    assert load_wordlist(write(lines, "pets.jsonl")) == wanted
    with pytest.warns(ReadAsLatin1):
        latin = load_wordlist(write(frame.replace("puppy", "cañ").encode("latin-1"), "l.csv"))
    assert "cañ" in latin.words
    for coding in ("utf-16", "utf-16-le", "utf-16-be"):
        assert load_wordlist(write(frame.encode(coding), "pets.csv")) == wanted
    assert len(load_wordlist(PETS | {"controls": {"human": "human"}}).controls["human"]) == 85


def test_the_sets_of_a_weat_test_are_a_list(write: Write) -> None:
    """Files of SEAT (May et al., 2019) have four sets; attr1 belongs to targ1."""
    sets = {"targ1": ("men", ["he"]), "targ2": ("women", ["she"])}
    sets |= {"attr1": ("career", ["office"]), "attr2": ("family", ["home", "kin"])}
    content = {key: {"category": name, "examples": of} for key, (name, of) in sets.items()}
    paths = [write(json.dumps(content), name) for name in ("t.json", "t.jsonl")]
    for source in (content, *paths):
        words = load_wordlist(source)
        assert words.groups == {"men": ("he",), "women": ("she",)}
        assert words.stereotypes == {"men": ("office",), "women": ("home", "kin")}
        assert words.set_name("women") == "family"
    plain = {key: of for key, (_, of) in sets.items()}
    unnamed = {key: {"examples": of} for key, of in plain.items()}
    null = {key: {"category": None, "examples": of} for key, of in plain.items()}
    for source in (plain, unnamed, null):
        words = load_wordlist(source)
        assert words.groups == {"targ1": ("he",), "targ2": ("she",)}
        assert words.stereotypes == {"targ1": ("office",), "targ2": ("home", "kin")}


def test_a_word_list_keeps_what_it_was_made_of() -> None:
    words = WordList("x", groups := {"a": ["he"], "b": ["she"]}, {"a": ["x"], "b": ["y"]})
    groups["a"].append("his")
    assert words.groups == {"a": ("he",), "b": ("she",)}
    with pytest.raises(dataclasses.FrozenInstanceError):
        words.name = "other"


def test_words_sets_and_frame(small: WordList, write: Write) -> None:
    assert small.protected_words == ("he", "his", "she")
    assert small.words[:7] == ("he", "his", "she", "doctor", "nurse", "maid", "table")
    assert len(set(small.words)) == len(small.words)
    frame = small.to_frame()
    assert frame.columns.tolist() == ["role", "set", "word", "group"]
    assert frame.iloc[2:5].to_numpy().tolist() == [
        ["protected", "woman", "she", "woman"],
        ["stereotype", "work", "doctor", "man"],
        ["stereotype", "woman_stereotype", "nurse", "woman"],
    ]
    sets = [name for name, value in vars(small).items() if isinstance(value, dict)]
    for back in (frame, frame.sample(frac=1, random_state=1), write(frame.to_csv(), "small.csv")):
        for name in sets:
            assert getattr(load_wordlist(back), name).keys() == getattr(small, name).keys()
    assert len(frame) == 3 + 3 + 1 + 85


REFUSED_FIELDS: list[tuple[dict[Any, Any], str]] = [
    ({"name": " "}, r"name: the name ' ' is blank"),
    ({"name": "../x"}, r"name: .*work as a file name; remove slashes"),
    ({(1,): 3}, r"unknown key '\(1,\)'; known: "),
    ({"grups": 1}, r"grups: unknown key 'grups'; did you mean 'groups'"),
    ({"groups": {"man": ["he"]}}, r"only the group 'man'; a comparison needs at least two"),
    ({"groups": ["he"]}, r"groups: must be a table of sets; got \['he'\]"),
    ({"groups": {"man": "he", "woman": ["she"]}}, r"groups.man: must be a list of words.*'he'"),
    ({"groups": {1: ["he"], "b": ["she"]}}, r"groups.1: must be text in quotes; got 1"),
    ({"groups": {"a": ["he", "he"], "b": ["x"]}}, r"a\[1\]: 'he' is already in groups.a\[0\]; k"),
    ({"groups": PETS["groups"] | {"Cat": ["tom"]}}, "groups.Cat: .*differ only in case"),
    ({"groups": PETS["groups"] | {"a b": ["x"], "A_b": ["y"]}}, "groups.A_b: .*case, spaces, or"),
    ({"stereotype_names": {"cat": "d s", "dog": "d_s"}}, "stereotype_names.dog: .*'d s' and 'd_s'"),
    ({"groups": {"a b": ["he"], "c": ["x", "he"]}}, r'c\[1\]: .*groups."a b"\[0\].*one group only'),
    ({"groups": {"man": [" he"], "woman": ["she"]}}, r"word ' he' has spaces around it"),
    ({"groups": {"man": ["h\x1be"], "woman": ["she"]}}, r"contains a control character"),
    ({"stereotypes": {}}, r"stereotypes: the list has groups but no \[stereotypes\]"),
    ({"stereotype_names": {"cat": "human"}}, r"'human' is already the name of controls.human"),
    ({"controls": {"neutral": "neutrl"}}, r"bundled word list for controls.neutral 'neutrl'; did"),
    ({"controls": {"neutral": "human"}}, r"the list 'human' has no 'neutral' control words"),
    ({"facets": {"gender": {"bx": "women"}}}, r"facets.gender.bx: unknown group 'bx'"),
]

TWO_SETS = "role,set,word,group\nstereotype,s,x,a\nstereotype,q,y,a\n"

REFUSED_FILES: list[tuple[str, str | bytes, str]] = [
    ("mine.toml", "", r"no \[groups\] and no \[controls\]"),
    ("mine.toml", "[groups]\na = [['x']]", r"groups.a\[0\]: must be text in quotes; got \['x'\]"),
    ("mine.toml", "[groups]\na = ['x']\na = ['x']\n", r"not valid TOML: .*at line 3"),
    ("mine.toml", "title = '\xe9'".encode("latin-1"), r"is not UTF-8 text \(byte 10 is"),
    ("mine.toml", "[controls]\nneutral = 'mine.toml'", r"unknown bundled word list"),  # a circle
    ("mine.json", "[1]", r"it contains \[1\] instead"),
    ("mine.json", '[{"role": "protected"}, 1]', r"it contains .*, 1\] instead"),
    ("mine.json", '{"groups": {"a": ["x"], "b": ["y"], "a": ["z"]}}', "'a' occurs twice"),
    ("mine.csv", "role,word\n", r"is missing columns: set"),
    ("mine.csv", "role,set,word\nprotected,a,она\n".encode("cp1251"), "save it as CSV in UTF-8"),
    ("mine.csv", "role,set,word\nprotected,a\n", r"groups.a\[0\]: the word '' is blank"),
    ("mine.csv", "role,set,word\nprotected,a,b\n,c,\n", "unknown role in row 3 ''"),
    ("mine.csv", "role,set,word\ngroup,a,b\n", "unknown role in row 2 'group'; .*protected"),
    ("mine.csv", "role,set,word,word\n", "two columns are named 'word'"),
    ("mine.csv", "role,set,word,group\nprotected,a,b,c\n", "row 2 has the group 'c'.* 'a'"),
    ("mine.csv", "role,set,word,group\ncontrol,human,b,c\n", "group of a control word is empty"),
    ("mine.csv", TWO_SETS, "row 3 has the set 'q', but earlier stereotypes of 'a' are in 's'"),
    ("mine.csv", TWO_SETS.replace("q,", "a_stereotype,"), "row 3 has the set 'a_ster.* in 's'"),
]

REFUSED_SOURCES: list[tuple[Any, type[Exception], str]] = [
    ("relgion", ValueError, r"unknown word list 'relgion'; did you mean 'religion'.*end in "),
    (3, TypeError, "a word list must be a name, a path, or a mapping"),
    (Path("religion"), FileNotFoundError, "no word list at "),
    (".", IsADirectoryError, "is a folder; give the path of a .toml"),
    ("other.txt", ValueError, r"must end in \.toml.*rename other\.txt"),
]


@pytest.mark.parametrize(("fields", "message"), REFUSED_FIELDS)
def test_unusable_lists_are_refused_with_the_key(fields: dict[str, Any], message: str) -> None:
    """The check lists the reasons for refusal among its errors."""
    with pytest.raises(ValueError, match=message) as refused:
        load_wordlist(PETS | fields)
    errors = check_wordlist(PETS | fields).query("severity == 'error'")
    assert errors["finding"].map(str(refused.value).endswith).any()


@pytest.mark.parametrize(("name", "content", "message"), REFUSED_FILES)
def test_unusable_files_are_refused_with_their_name(write, name, content, message) -> None:
    path = write(content, name)
    refused(rf"mine\..*{message}", load_wordlist, path)
    assert "error" in set(check_wordlist(path)["severity"])


@pytest.mark.parametrize("column", ["role", "set", "word", "group"])
@pytest.mark.parametrize("cell", [["he", "his"], {"a": 1}, False, 1984, 1e5])
def test_cells_of_rows_that_are_no_text_are_refused(write: Write, column: str, cell: Any) -> None:
    rows = WordList(**PETS).to_frame().to_dict("records")
    rows[1][column] = cell
    frame = pd.DataFrame(rows)
    for source in (frame, write(json.dumps(rows), "pets.json")):
        refused(rf"the {column} in row 3 must be text; got", load_wordlist, source)


@pytest.mark.parametrize(("source", "error", "message"), REFUSED_SOURCES)
def test_what_is_no_list_is_refused_in_a_line(write, source, error, message) -> None:
    write(SMALL, "other.txt")
    for call in (load_wordlist, check_wordlist):
        with pytest.raises(error, match=message) as refused:
            call(source)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "key", "message"),
    [
        ({"stereotypes": {"cat": ["aloof"]}}, "groups.dog", "no stereotypes.*only 'cat' has some"),
        ({"stereotypes": {"cat": ["x"], "dog": ["x"]}}, "stereotypes.dog[0]", "both groups"),
        ({"controls": {"neutral": ["cat"]}}, "controls.neutral[0]", "is compared with itself"),
        ({"controls": {"human": ["loyal"]}}, "controls.human[0]", "counts as a stereotype"),
        ({"controls": {"neutral": ["x"], "human": ["x"]}}, "controls.human[0]", "neutral only"),
        ({"groups": {"a b": ["he", "He"], "cat": ["x"], "dog": ["y"]}}, 'groups."a b"[1]', "once"),
        ({"stereotypes": {"cat": ["Dog"], "dog": ["x"]}}, "stereotypes.cat[0]", "itself"),
        ({"controls": {"human": ["né", "ne\u0301"]}}, "controls.human[1]", "as one word"),
        ({"controls": {"human": ["boy, guy"]}}, "controls.human[0]", "list each of them"),
        ({"controls": {"human": ["boy;guy"]}}, "controls.human[0]", "list each of them"),
        *(
            ({"controls": {"human": [word]}}, "controls.human[0]", "leave it out")
            for word in ("“boy”", '"boy"', "• boy", "1. boy", "boy,")
        ),
    ],
)
def test_doubts_do_not_keep_a_list_from_loading(fields, key, message) -> None:
    found = check_wordlist(PETS | fields)
    found = found[found["key"] == key]
    assert {*found["severity"]} == {"warning"}
    assert found["finding"].str.contains(message).sum() == 1
    load_wordlist(PETS | fields)


def test_all_flaws_are_found(write: Write) -> None:
    text = 'tytle = "x"\n[groups]\nman = ["he", "his", "he"]\n"wo.man" = ["she", "h\\u0065"]\n'
    path = write(text + '[stereotypes]\nman = []\nmen = ["boss"]\n')
    found = check_wordlist(path)
    assert found[["severity", "key", "word"]].to_numpy().tolist() == [
        ["error", "tytle", ""],
        ["error", "groups.man[2]", "he"],
        ["warning", 'groups."wo.man"', ""],  # two words
        ["error", 'groups."wo.man"[1]', "he"],
        ["error", "stereotypes.man", ""],
        ["warning", "stereotypes.men", ""],
        ["warning", 'groups."wo.man"', ""],
        ["error", "stereotypes.men", ""],
    ]


def test_sets_of_fewer_than_three_words_are_doubtful() -> None:
    found = check_wordlist(PETS)
    assert found["key"].tolist() == [
        "groups.cat",
        "groups.dog",
        "stereotypes.cat",
        "stereotypes.dog",
    ]
    assert {*found["severity"]} == {"warning"}
    assert check_wordlist("religion").empty


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
keys = st.sampled_from([*PETS, "title", "facets", "stereotype_names", "x", 3, (1,)])


@settings(max_examples=50)
@given(st.dictionaries(keys, json_like))
def test_no_content_makes_the_check_fail(content: dict[str, object]) -> None:
    assert all(flaw.severity in {"error", "warning"} for flaw in find_flaws(content))
    assert check_wordlist(content).columns[0] == "severity"
