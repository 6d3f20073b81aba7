"""Whole files in blocks: the same words, numbers and complaints as reading word by word.

The oracle is `read_entries`, which has tests of its own against gensim and against files written
by hand, and shares no parsing with the compiled loops.
"""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from test_vectors import BAD, FORMATS, WORDS, as_binary, as_text, keyed, tables

from bayesbias.embeddings import vocabulary
from bayesbias.embeddings.formats import blocks, read_entries
from bayesbias.embeddings.formats.whole import file_blocks
from bayesbias.embeddings.load import load_vectors, save_vectors, vector_blocks
from bayesbias.embeddings.vocabulary import Vocabulary, rows_in, table_of

Entries = list[tuple[bytes, list[float]]]


def by_blocks(path: Path, rows: int | None = None) -> Entries:
    """All entries of a file by way of blocks; what a block says is kept before the next one."""
    found: Entries = []
    for block in file_blocks(path, rows=rows, progressbar=False):
        assert rows is None or 0 < len(block) <= rows
        names = block.names.split(b"\n")
        assert names.pop() == b""
        assert len(names) == len(block.hashes) == len(block)
        found += zip(names, block.vectors.tolist(), strict=True)
    return found


def by_entries(path: Path) -> Entries:
    return [(name, vector.tolist()) for name, vector in read_entries(path, progressbar=False)]


@pytest.mark.parametrize("rows", [None, 1, 2, 5])
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_in_blocks_of_any_size(tmp_path: Path, name: str, rows: int | None) -> None:
    path = tmp_path / name
    path.write_bytes(FORMATS[name])
    assert by_blocks(path, rows) == by_entries(path)


@given(words=tables(), size=st.integers(1, 200), newline=st.booleans(), rows=st.integers(1, 9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_binary_blocks_do_not_depend_on_where_reads_end(
    tmp_path: Path, words: dict[str, tuple[float, ...]], size: int, newline: bool, rows: int
) -> None:
    path = tmp_path / "made.bin"
    path.write_bytes(as_binary(words, newline))
    expected = by_entries(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "READ_SIZE", size)
        patch.setattr("bayesbias.embeddings.formats.binary_blocks.LONGEST_WORD", 60)
        assert by_blocks(path, rows) == expected


@given(words=tables(), size=st.integers(1, 200), header=st.booleans(), rows=st.integers(1, 9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_text_blocks_do_not_depend_on_where_reads_end(
    tmp_path: Path, words: dict[str, tuple[float, ...]], size: int, header: bool, rows: int
) -> None:
    path = tmp_path / "made.txt"
    dims = len(next(iter(words.values())))
    path.write_bytes(as_text(words, f"{len(words)} {dims}" if header else None))
    expected = by_entries(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "READ_SIZE", size)
        assert by_blocks(path, rows) == expected


@given(
    numbers=st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.floats(-10, 10).map(lambda x: f"{x:.5f}"),
            st.floats(-1e30, 1e30).map(lambda x: f"{x:.3e}"),
            st.from_regex(r"[+-]?[0-9]{1,20}\.?[0-9]{0,20}([eE][+-]?[0-9]{1,3})?", fullmatch=True),
        ),
        min_size=2,
        max_size=6,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_numbers_are_rounded_as_python_does(tmp_path: Path, numbers: list[str]) -> None:
    """Bit for bit, whether the quick way or the careful one reads them."""
    path = tmp_path / "numbers.txt"
    path.write_text(f"word {' '.join(numbers)}\n", encoding="utf-8")
    with np.errstate(over="ignore"):
        expected = np.array([float(number) for number in numbers], dtype=np.float32)
    ((_, found),) = by_blocks(path)
    assert_array_equal(np.float32(found), expected)


ODD_LINES = [
    b"the 1 2\n. . . 3 4\nat name@domain.com 5 6\n, 7 8\n",
    "1 1 2\n2 3 4\n\xa0 5 6\n\u2028 7 8\nwide  9 10\n".encode(),
    b"a 1 2\n\n \nb  +1.5 -.5\nc 1e-3 1E2 \r\n",
    b"a\xff 1 2\nb 3 4",
    b"a 0.12345678901234567890 2\nb nan inf\n",
]


@pytest.mark.parametrize("content", ODD_LINES)
@pytest.mark.parametrize("rows", [None, 1])
def test_odd_lines_are_read_as_carefully_as_before(
    tmp_path: Path, content: bytes, rows: int | None
) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes(content)
    assert str(by_blocks(path, rows)) == str(by_entries(path))  # as text, since nan is not nan


OF_VECTORS = ("not finite", "too large", "all zeros", "binary ", "fastText")
"""Faults of single vectors, which a block gives as they are, and what gensim reads."""

UNREADABLE = [case for case in BAD if not case.startswith(OF_VECTORS)]


@pytest.mark.parametrize("case", UNREADABLE)
def test_damage_is_refused_in_the_same_words(tmp_path: Path, case: str) -> None:
    name, content, what = BAD[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=what) as caught:
        by_blocks(path)
    with pytest.raises(ValueError, match=what) as before:
        by_entries(path)
    assert str(caught.value) == str(before.value)


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_a_corrupted_gzip_stream(tmp_path: Path, cut: float) -> None:
    rng = np.random.default_rng(3)
    rows = {f"w{i}": tuple(rng.standard_normal(20)) for i in range(500)}
    packed = bytearray(gzip.compress(as_text(rows)))
    for at in range(int(cut * len(packed)), int(cut * len(packed)) + 9):
        packed[at] ^= 0x5A
    path = tmp_path / "bad.txt.gz"
    path.write_bytes(bytes(packed))
    with pytest.raises(ValueError, match=r"bad\.txt\.gz(: line| is cut off, damaged)"):
        by_blocks(path)


def test_words_with_a_line_break_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(as_binary({"a\nb": (1.0, 2.0), "c": (3.0, 4.0)}))
    with pytest.raises(ValueError, match=r"a\.bin holds a word with a line break"):
        by_blocks(path)


def test_a_block_stays_as_it_is_while_others_are_read(tmp_path: Path) -> None:
    """Memory is used again only when nobody holds a block, or a part of one, any more."""
    path = tmp_path / "a.bin"
    rows = {f"w{i}": (float(i), 1.0, 2.0) for i in range(4_000)}
    path.write_bytes(as_binary(rows))
    kept, parts = [], []
    for at, block in enumerate(file_blocks(path, rows=10, progressbar=False)):
        if at % 3 == 0:
            kept.append(block)
        elif at % 3 == 1:
            parts.append((at, block.vectors[2:4, :1]))
        del block
    assert [block.vectors[0, 0] for block in kept] == [30.0 * at for at in range(len(kept))]
    assert all(part[:, 0].tolist() == [10.0 * at + 2, 10.0 * at + 3] for at, part in parts)


def test_sources_that_are_loaded_whole_come_in_blocks_too(tmp_path: Path) -> None:
    save_vectors(keyed(WORDS), tmp_path / "a.npz")
    for source in (keyed(WORDS), tmp_path / "a.npz"):
        found = list(vector_blocks(source, rows=4))
        assert [len(block) for block in found] == [4, 2]
        assert (
            b"".join(block.names for block in found)
            == "".join(f"{word}\n" for word in WORDS).encode()
        )
        assert_array_equal(
            np.vstack([block.vectors for block in found]), np.float32(list(WORDS.values()))
        )
    assert sum(len(block) for block in vector_blocks("glove-demo")) > 5_000


def test_bad_rows(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(as_binary(WORDS))
    with pytest.raises(ValueError, match="rows must be a whole number from 1 on; got 0"):
        list(vector_blocks(tmp_path / "a.bin", rows=0))


# -- vocabularies -----------------------------------------------------------------------------

words_of_text = st.text(
    st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=8
)


@given(words=st.lists(words_of_text, min_size=1, max_size=30), asked=st.lists(words_of_text))
def test_a_vocabulary_is_the_list_of_its_words(words: list[str], asked: list[str]) -> None:
    vocabulary = Vocabulary.of(words)
    assert len(vocabulary) == len(words)
    assert list(vocabulary) == words == [vocabulary[row] for row in range(len(words))]
    wanted = [*asked, *words[::2]]
    assert vocabulary.rows(wanted) == {w: words.index(w) for w in wanted if w in words}
    again = [row for row, word in enumerate(words) if word in words[:row]]
    assert vocabulary.duplicates().tolist() == again
    kept = np.arange(len(words)) % 3 > 0
    assert list(vocabulary.subset(kept)) == [w for w, k in zip(words, kept, strict=True) if k]


def test_what_a_vocabulary_refuses() -> None:
    with pytest.raises(ValueError, match=r"'a\\nb' holds a line break"):
        Vocabulary.of(["c", "a\nb"])
    with pytest.raises(IndexError, match="row 2 of a vocabulary of 2"):
        Vocabulary.of(["a", "b"])[2]
    assert Vocabulary.of(["a"]).rows(["a\nb", "a"]) == {"a": 0}


# -- fastText ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fasttext_model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, object]:
    """A small model in the format of fastText's own program, as gensim writes it."""
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    sentences = [["king", "queen", "man"], ["queen", "woman", "king"]] * 5
    model = FastText(
        sentences, vector_size=8, min_count=1, workers=1, seed=1, bucket=50, min_n=2, max_n=3
    )
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path, model.wv


def test_a_fasttext_model_is_read_through_gensim(fasttext_model: tuple[Path, object]) -> None:
    path, theirs = fasttext_model
    ours = load_vectors(path, ["king", "woman", "absent"])
    assert set(ours.index_to_key) == {"king", "woman"}
    # float32 sums of the same n-grams, once by the trained model and once by the one read back.
    np.testing.assert_allclose(ours["king"], theirs["king"], rtol=1e-5, atol=1e-8)
    assert sum(len(block) for block in vector_blocks(path)) == 4


@pytest.mark.parametrize("keep", [9, 60, 300])
def test_a_damaged_fasttext_model(
    fasttext_model: tuple[Path, object], tmp_path: Path, keep: int
) -> None:
    path = tmp_path / "cut.bin"
    path.write_bytes(fasttext_model[0].read_bytes()[:keep])
    with pytest.raises(
        ValueError, match=r"cut\.bin is a binary fastText model that cannot be read"
    ):
        load_vectors(path, ["king"])


def test_the_first_bytes_tell_a_fasttext_model(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(struct.pack("<ii", 793712314, 12))
    with pytest.raises(ValueError, match=r"binary fastText model.*\.vec"):
        list(vector_blocks(path))


@given(wanted=st.sets(st.binary(max_size=3)), words=st.lists(st.binary(max_size=3)))
def test_rows_of_wanted_words_are_found(wanted: set[bytes], words: list[bytes]) -> None:
    wanted = {word for word in wanted if b"\n" not in word}
    words = [word for word in words if b"\n" not in word]
    hashes = vocabulary.hashes_of(b"".join(word + b"\n" for word in words), len(words))
    expected = [row for row, word in enumerate(words) if word in wanted]
    assert rows_in(hashes, table_of(wanted)) == expected


def test_hashes_that_share_a_place_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them in one place of the table, its last one, so that a search goes round."""
    size = table_of([b"a", b"b", b"c"]).size
    made = np.arange(1, 5, dtype=np.uint64) * np.uint64(size) - np.uint64(1)
    monkeypatch.setattr(vocabulary, "hashes_of", lambda *_: made[:3])
    assert rows_in(made, table_of([b"a", b"b", b"c"])) == [0, 1, 2]
