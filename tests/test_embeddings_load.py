"""Loading vectors and word sets: sources, words, spellings, and refusals."""

import gzip
import re
import socket
import urllib.error
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from embedding_toys import WORDS, File, Table, as_binary, as_text, check, keyed, zipped
from gensim import downloader
from gensim.models import KeyedVectors
from numpy.testing import assert_array_equal
from test_held_objects import ROWS, Model

import bayesbias as bb
from bayesbias.embeddings.formats.keyed import first_places, known_ranks
from bayesbias.embeddings.load import load_vectors, vectors_in_memory
from bayesbias.embeddings.word_sets import _as_rows, look_up, look_up_tuples
from bayesbias.tables.spellings import first_spellings
from bayesbias.tables.wordlist_files import wordlists
from bayesbias.tables.wordlists import load_wordlist

TOY = {"he": [1.0, 0.0], "she": [0.0, 1.0], "her": [1.0]}


NO_SETS: list[tuple[Callable[[], object], str]] = [
    (lambda: look_up(TOY, {"X": "he"}), "X must be a list of words; for one word"),
    (lambda: look_up(TOY, {"X": ["he"], "Y": ["her"]}), "X have 2 numbers, and those of Y have 1"),
    (lambda: look_up_tuples(TOY, "pairs", [("he", "xe")]), "every tuple in pairs .*: xe"),
    (lambda: look_up_tuples(TOY, "pairs", [("he",)]), "pairs must contain pairs or longer tuples"),
    (lambda: _as_rows("X", [[1.0], [np.inf]]), r"X must be finite; leave out rows \[1\]"),
]


@pytest.mark.parametrize(("call", "message"), NO_SETS)
def test_sets_that_are_refused(call: Callable[[], object], message: str) -> None:
    refused(message, call, error=(ValueError, TypeError))


def test_googlenews_as_gensim_reads_it(shared_data: Path) -> None:
    path = shared_data / "vectors" / "googlenews_subset.bin"
    theirs = KeyedVectors.load_word2vec_format(str(path), binary=True)
    check(load_vectors(path), dict(zip(theirs.index_to_key, theirs.vectors, strict=True)))
    words = load_wordlist("religion").words
    there = {word: theirs[word] for word in theirs.index_to_key if word in words}
    for asked in (words, reversed(words)):  # the order of requests does not matter
        check(load_vectors(path, asked), there)


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset, iter, np.array])
def test_words_may_come_in_any_collection_and_more_than_once(kind: Callable[..., Any]) -> None:
    vectors = load_vectors(keyed(WORDS), kind(["queen", "king", "king"]))
    check(vectors, {"king": WORDS["king"], "queen": WORDS["queen"]})
    vectors.vectors[:] = 99  # a copy
    check(load_vectors(keyed(WORDS)), WORDS)


def test_the_bundled_set_is_glove_and_has_the_words_of_the_lists_of_papers() -> None:
    vectors = load_vectors("glove-demo")
    # First numbers of 'the' in glove.6B.100d.txt, the source of the package's vectors.
    assert_array_equal(vectors["the"][:3], np.float32([-0.038194, -0.24487, 0.72812]))
    assert vectors.most_similar("king", topn=2)[1][0] == "queen"
    beyond = {"age", "disability", "gender-de", "gender-es", "nationality", "sexuality"}
    names = set(wordlists()) - beyond
    words = {word for name in names for word in load_wordlist(name).words}
    lacking = words - set(load_vectors("glove-demo", words, "fallback").key_to_index)
    assert lacking <= {"literaly", "gladiola"}  # not in GloVe: a typo and a rare plural


ODD: Table = {"New_York": (1, 0, 0), "café": (0, 1, 0), "naive": (0, 0, 1), "London": (1, 1, 0)}
NFD = "cafe\u0301"
"""As written by macOS, with the accent as a separate character."""


@pytest.mark.parametrize(
    ("source", "read_as", "options"),
    [
        (WORDS, {"bill": "bill", "Bill": "Bill", "King": ""}, {}),
        (WORDS, {"King": "king", "Bill": "bill", "bill": "bill"}, {"case": "lower"}),
        # An exact match has priority.
        (WORDS, {"King": "king", "Bill": "Bill", "KRAKÓW": "kraków"}, {"case": "fallback"}),
        (ODD, {NFD: "café"}, {}),
        (ODD, {"NAÏVE": "naive"}, {"strip_accents": True, "case": "fallback"}),
        (ODD, {"café": "café"}, {"strip_accents": True}),
    ],
)
def test_words_are_read_in_a_form_and_called_as_asked(source, read_as, options, tmp_path) -> None:
    vectors = load_vectors(keyed(source), [*read_as, "Missing"], **options)
    found = {word: form for word, form in read_as.items() if form}
    check(vectors, {word: source[form] for word, form in found.items()})
    changed = {word: form for word, form in found.items() if form != word}
    assert bb.resolved_forms(vectors) == changed
    assert [vectors.get_vecattr(word, "matched_form") for word in found] == [*found.values()]
    assert bb.resolved_forms(load_vectors(vectors, [*found])) == changed
    bb.save_vectors(vectors, tmp_path / "again.npz")
    assert bb.resolved_forms(load_vectors(tmp_path / "again.npz")) == changed


def test_other_spellings_of_missing_words_are_remembered() -> None:
    others = {"CAFÉ": "café", "naïve": "naive", "NAÏVE": "naive", "london": "London"}
    assert load_vectors(keyed(ODD), [*others, "café", "lost"]).others == others
    assert load_vectors(keyed(ODD)).others == {}


def test_two_spellings_of_one_vector_are_one_word_of_a_set() -> None:
    vectors = load_vectors(keyed(WORDS), ["King", "king", "queen"], case="fallback")
    first = {"King": "King", "king": "King", "queen": "queen"}
    assert first_spellings(vectors, ["King", "king", "queen", "lost"]) == first
    with pytest.warns(bb.warnings.SameSpellings) as told:
        found = look_up(vectors, {"X": ["king", "King", "queen"], "Y": ["King", "lost"]})
    assert told[0].message == bb.warnings.SameSpellings((("King", "king"),), about="X")
    assert found.words == {"X": ("king", "queen"), "Y": ("King",)}
    assert found.missing == {"Y": ("lost",)}


def test_one_file_of_several_in_a_zip(file: File) -> None:
    other = as_text({word: row[:2] for word, row in WORDS.items()})
    members = {"glove/50d": as_text(WORDS), "glove/25d.txt": other, "w2v.bin": as_binary(WORDS)}
    path = file("many.zip", zipped(members))
    for name in ("glove/50d", "w2v.bin"):  # recognized by content and by file extension
        check(load_vectors(f"{path}::{name}"), WORDS)
    refused(r"unknown file '50d'; .*glove/50d", load_vectors, f"{path}::50d")


@pytest.fixture
def downloads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of gensim's downloads, and block the network."""

    def refuse(*_: object, **__: object) -> None:
        raise urllib.error.URLError("no network here")

    monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(downloader, "BASE_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(downloader, "urlopen", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tmp_path / "data"


def test_what_gensim_fetches_is_read_and_fetched_once(downloads, monkeypatch, capsys) -> None:
    place = downloads / "glove-twitter-25" / "glove-twitter-25.gz"
    with pytest.raises(FileNotFoundError, match=f"not at {re.escape(str(place))}.*GENSIM_DATA_DIR"):
        load_vectors("glove-twitter-25")

    def load(name: str, return_path: bool) -> str:
        assert return_path  # otherwise, it runs a file that it downloaded
        place.parent.mkdir(parents=True)
        place.write_bytes(gzip.compress(as_text(WORDS, f"{len(WORDS)} 3")))
        return str(place)

    monkeypatch.setattr(downloader, "load", load)
    for _ in range(2):
        check(load_vectors("glove-twitter-25"), WORDS)
    assert "".join(capsys.readouterr()) == ""


VECTORS = keyed(WORDS)
REFUSALS: list[tuple[Any, dict[str, Any], str]] = [
    ("glove-dmo", {}, r"unknown embedding 'glove-dmo'; did you mean 'glove-demo'.*to use your own"),
    *((f"/none/a{end}", {}, f"no embedding file at .*a{end}") for end in (".bin", ".gz")),
    ("few.zip::50d", {}, r"no embedding file at few\.zip::50d; "),
    ("a.docx", {}, r"a\.docx is text, but its lines are not words"),
    *((name, {}, f"{name} is empty") for name in ("a.bin", "a.txt", "a.gz", "a.zip", "a.bin.gz")),
    ("folder.bin", {}, r"folder\.bin is a folder; give"),
    (VECTORS, {"case": "lowr"}, "unknown case 'lowr'; did you mean 'lower'"),
    (VECTORS, {"allow_pickle": "no"}, "allow_pickle must be True or False; got 'no'"),
    (VECTORS, {"strip_accents": "false"}, "strip_accents must be True or False"),
    (VECTORS, {"words": "king"}, "unknown word list 'king'"),
    (VECTORS, {"words": []}, "words must not be empty"),
    (VECTORS, {"words": ["y", "x"]}, r"word is in the vectors given \(x, y\); .* 'king'"),
    (keyed(ODD), {"words": ["naïve"]}, "'naïve' is spelled 'naive' there. .* strip_accents=True"),
    (KeyedVectors(3), {}, "the vectors given has no words"),
    (["king"], {}, r"vectors must be a path, .*; got list"),
    ({"a": {"he": [1]}}, {}, "mapping of embeddings. Pass one embedding at a time, .* 'a'"),
    ((["he", 3], np.eye(2)), {}, "must be text; got 3"),
    ((["he", "she"], np.eye(3)), {}, r"shape \(2, n_dims\); got"),
]


@pytest.mark.parametrize(("source", "options", "fragment"), REFUSALS)
def test_what_is_refused(source, options, fragment, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.bin").mkdir()
    (tmp_path / "a.docx").write_bytes(b"x")
    for name in ("a.bin", "a.txt", "a.gz", "a.zip", "a.bin.gz"):
        (tmp_path / name).touch()
    refused(fragment, load_vectors, source, error=(ValueError, TypeError, OSError), **options)


def test_of_words_that_occur_again_the_first_row_counts() -> None:
    assert first_places([*"abcab"]) == {"a": 0, "b": 1, "c": 2}


def test_unknown_frequency_is_said() -> None:
    """A dict and a list from A to Z have no order of frequency; counts, and files, have one."""
    rng = np.random.default_rng(3)
    words = [f"{a}{b}{c}" for a in "pqrs" for b in "aeiou" for c in "bcdfgklmnt"]
    held = dict(zip(words, rng.normal(size=(200, 6)), strict=True))
    sets = {"a": words[100:103], "b": words[150:153]}
    wordlist = {"groups": {"a": words[:3], "b": words[50:53]}, "stereotypes": sets}
    with pytest.warns(bb.warnings.UnknownFrequency, match="nothing says") as told:
        bb.distance_tables({"held": held}, [{**wordlist, "name": name} for name in "ab"], matched=1)
    assert len(told) == 1
    counts = rng.permutation(200)
    frame = pd.DataFrame.from_dict(held, orient="index").assign(count=counts)
    with pytest.warns(bb.warnings.ColumnsNotRead):
        vectors = bb.load_vectors(frame)
    found = bb.matched_controls(vectors, wordlist, n=1, seed=1).controls["matched"]
    ranks = dict(zip(words, 200 - counts, strict=True))  # all counts differ
    pairs = zip(found, sets["a"] + sets["b"], strict=True)
    ratios = np.array([ranks[new] / ranks[old] for new, old in pairs])
    assert (abs(ratios - 1) <= 0.2).all()


def test_files_from_a_to_z_and_encoders_have_no_ranks(tmp_path: Path) -> None:
    """gensim counts down from the number of words, whatever their order."""
    words = sorted(f"{a}{b}" for a in "pqrs" for b in "aeiou")
    for name, order in (("a.vec", words), ("z.vec", words[::-1])):
        lines = [f"{word} {i}.5 1.5" for i, word in enumerate(order)]
        (tmp_path / name).write_text("\n".join(["20 2", *lines]))
    assert known_ranks(bb.load_vectors(tmp_path / "a.vec")) is None
    for asked in (words[5:], words[:4:-1]):  # in any order
        assert known_ranks(bb.load_vectors(tmp_path / "a.vec", asked)) is None
    ranks = known_ranks(bb.load_vectors(tmp_path / "z.vec", words[:3]))
    assert ranks.tolist() == [18, 19, 20]
    in_order, turned = (
        KeyedVectors.load_word2vec_format(tmp_path / name) for name in ("a.vec", "z.vec")
    )
    assert known_ranks(turned).tolist() == list(range(1, 21))
    for read in (in_order, bb.load_vectors(in_order, words[5:])):
        assert known_ranks(read) is None
    in_order.set_vecattr(words[0], "count", 5)  # counts of one's own
    assert known_ranks(in_order) is not None
    assert known_ranks(bb.load_vectors(Model(), ["he", "she"])) is None
    assert known_ranks(bb.load_vectors(ROWS)) is None
    bb.save_vectors(ROWS, tmp_path / "s.npz")
    assert known_ranks(bb.load_vectors(tmp_path / "s.npz")) is None


def test_words_in_another_form_are_looked_up_again_in_vectors_in_memory() -> None:
    held = keyed({"amy": [1.0, 0.0, 0.0], "bob": [0.0, 1.0, 0.0]})
    assert vectors_in_memory(held, ["Amy", "bob"]).others == {"Amy": "amy"}
    assert vectors_in_memory(held, ["bob"]) is held
