"""Files that several threads look at piece by piece: the same words and products as in one walk.

The oracle is `read_entries`, which reads word by word and has tests of its own. Pieces are made
small here, so that most of them begin where somebody had to guess that an entry does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from test_embedding_files_blocks import UNREADABLE, by_entries
from test_vectors import BAD, FORMATS, as_binary, tables

from bayesbias.embeddings.formats import binary_blocks, pieces, whole
from bayesbias.embeddings.formats.blocks import Memory
from bayesbias.embeddings.formats.native import is_native, native_entries, write_native
from bayesbias.embeddings.formats.pieces import Look, Piece, in_order
from bayesbias.embeddings.formats.whole import file_blocks, file_pieces
from bayesbias.embeddings.vocabulary import hashes_of, table_of

Words = dict[str, tuple[float, ...]]


def entries_of(path: Path) -> list[tuple[bytes, list[float]]]:
    if is_native(path):
        return [(name, vector.tolist()) for name, vector in native_entries(path, None)]
    return by_entries(path)


def look_for(path: Path, wanted: list[bytes]) -> Look:
    n_dims = len(entries_of(path)[0][1])
    directions = np.random.default_rng(n_dims).standard_normal((2, n_dims))
    return Look.of(table_of(wanted), directions)


def check(path: Path, wanted: list[bytes], rows: int | None = None) -> list[Piece]:
    """Compare all that pieces tell with what reading word by word gives."""
    entries, look = entries_of(path), look_for(path, wanted)
    found = list(file_pieces(path, Memory(), lambda _: look, rows=rows, progressbar=False))
    words = [word for word, _ in entries]
    names = b"".join(piece.names.tobytes() for piece in found)
    assert names.split(b"\n")[:-1] == words
    hashes = np.concatenate([piece.hashes for piece in found])
    assert_array_equal(hashes, hashes_of(names, len(words)))
    matrix = np.array([vector for _, vector in entries])
    with np.errstate(invalid="ignore"):
        unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    directions = look.directions[:2, : matrix.shape[1]]
    products = np.concatenate([piece.products for piece in found], axis=1)
    # float32 rounds by 6e-8; directions have a length of 10 at most.
    assert_allclose(products, directions.astype(np.float64) @ unit.T, atol=2e-6)
    here = [(word, vector.tolist()) for piece in found for word, vector in piece.found]
    assert here == [(word, vector) for word, vector in entries if word in wanted]
    return found


def random_words(n: int, n_dims: int = 20) -> Words:
    rng = np.random.default_rng(5)
    return {f"w{i}{'x' * (i % 7)}": tuple(rng.standard_normal(n_dims)) for i in range(n)}


@pytest.fixture
def careful(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Entries that were not read by several threads, one number a walk that was needed."""
    seen: list[int] = []
    real = binary_blocks.binary_blocks

    def counted(*arguments: Any) -> Iterator[Any]:
        for block in real(*arguments):
            seen.append(len(block))
            yield block

    monkeypatch.setattr(whole, "binary_blocks", counted)
    return seen


@pytest.mark.parametrize("rows", [None, 1, 2, 5])
@pytest.mark.parametrize("name", ["native", *FORMATS])
def test_every_format(tmp_path: Path, name: str, rows: int | None) -> None:
    file = tmp_path / ("made.bin" if name == "native" else name)
    file.write_bytes(FORMATS["plain.bin" if name == "native" else name])
    path = file
    if name == "native":
        path = tmp_path / "native"
        write_native(file_blocks(file), path)
    check(path, [b"king", b"queen", b"absent"], rows)


@given(words=tables(), newline=st.booleans(), chunk=st.integers(1, 200), rows=st.integers(1, 9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_numbers_do_not_depend_on_where_pieces_begin(
    tmp_path: Path, words: Words, newline: bool, chunk: int, rows: int
) -> None:
    path = tmp_path / "made.bin"
    usable = {word: row if any(row) else (1.0, *row[1:]) for word, row in words.items()}
    path.write_bytes(as_binary(usable, newline))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "CHUNK", chunk)
        patch.setattr(binary_blocks, "LONGEST_WORD", 60)
        check(path, [word.encode() for word in list(words)[::3]], rows)


@pytest.mark.parametrize("newline", [False, True])
@pytest.mark.parametrize("rows", [3, 50, 999])
def test_who_begins_anywhere_comes_to_step_from_word_to_word(
    tmp_path: Path, careful: list[int], newline: bool, rows: int
) -> None:
    path = tmp_path / "made.bin"
    path.write_bytes(as_binary(random_words(1_000), newline))
    found = check(path, [b"w5xxxxx", b"w999xxxxx"], rows)
    assert careful == []
    assert len(found) > 700 / rows


def test_a_file_in_which_one_steps_from_space_to_space(tmp_path: Path, careful: list[int]) -> None:
    """A space at the same place in all vectors: whoever begins in one never meets a word."""
    rng = np.random.default_rng(4)
    numbers = rng.choice([1.0, -3.0, 0.5], (500, 12))
    numbers[:, 6] = 10.0
    words = {f"word{i:03}": tuple(row) for i, row in enumerate(numbers.tolist())}
    assert b" " in np.float32(10).tobytes()
    path = tmp_path / "made.bin"
    path.write_bytes(as_binary(words))
    check(path, [b"word007", b"word199"], 40)
    assert sum(careful) > 0


@pytest.mark.parametrize("length", [1, 60, 200])
def test_long_words(tmp_path: Path, careful: list[int], length: int) -> None:
    rng = np.random.default_rng(1)
    words = {f"{'é' * (length // 2)}{i:02}": tuple(rng.standard_normal(100)) for i in range(99)}
    path = tmp_path / "made.bin"
    path.write_bytes(as_binary(words))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "CHUNK", 5_000)
        check(path, [next(iter(words)).encode()])
    assert sum(careful) == (99 if length == 200 else 0), "there is room for 64 bytes a word"


def test_a_wanted_word_that_stands_in_a_file_very_often(tmp_path: Path, careful: list[int]) -> None:
    path = tmp_path / "made.bin"
    entry = b"same " + np.float32([1, 2, 3]).tobytes()
    path.write_bytes(b"99 3\n" + 99 * entry)
    check(path, [b"same"])
    assert sum(careful) == 99
    check(path, [b"other"])
    assert sum(careful) == 99


@pytest.mark.parametrize("rows", [None, 1, 3])
@pytest.mark.parametrize("case", UNREADABLE)
def test_damage_is_refused_in_the_same_words(tmp_path: Path, case: str, rows: int | None) -> None:
    name, content, what = BAD[case]
    path = tmp_path / name
    path.write_bytes(content)
    look = Look.of(table_of([b"king"]), np.ones((1, 3)))
    with pytest.raises(ValueError, match=what) as caught:
        list(file_pieces(path, Memory(), lambda _: look, rows=rows, progressbar=False))
    with pytest.raises(ValueError, match=what) as before:
        by_entries(path)
    assert str(caught.value) == str(before.value)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda data: data[:-1], r"ends within entry 1,000 of .* \(after the word 'w998xxxx'\)"),
        (lambda data: data[:40_000], r"ends within entry \d+ of the 1,000"),
        (lambda data: data + b"x", r"goes on after the 1,000 .* \(after the word 'w999xxxxx'\)"),
        (lambda data: data.replace(b"w900xxxx ", b"w900\nxxx "), "a word with a line break"),
        (
            lambda data: data.replace(b"1000 20\n", b"900 20\n"),
            r"goes on after the 900 .*'w899xxx'",
        ),
        (lambda data: data.replace(b"1000 20\n", b"1001 20\n"), "ends after entry 1,000 of"),
        (lambda data: data.replace(b"w500xxx ", b"x" * 5_000), "no word where entry 501 of 1,000"),
    ],
)
def test_damage_far_into_a_file(tmp_path: Path, change: Any, what: str) -> None:
    path = tmp_path / "made.bin"
    path.write_bytes(change(as_binary(random_words(1_000))))
    look = Look.of(table_of([b"king"]), np.ones((1, 20)))
    for rows in (None, 50):
        with pytest.raises(ValueError, match=what):
            list(file_pieces(path, Memory(), lambda _: look, rows=rows, progressbar=False))


@pytest.mark.parametrize("kind", ["made.bin", "native"])
def test_without_reading_at_any_place_a_file_is_read_from_end_to_end(
    tmp_path: Path, kind: str, careful: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "made.bin"
    path.write_bytes(as_binary(random_words(300)))
    if kind == "native":
        write_native(file_blocks(path), tmp_path / kind)
        careful.clear()
    monkeypatch.setattr(whole, "CAN_READ_ANYWHERE", False)
    check(tmp_path / kind, [b"w5xxxxx"], 50)
    assert sum(careful) == (300 if kind == "made.bin" else 0)


@pytest.mark.parametrize("kind", ["made.bin", "native"])
def test_the_first_pieces_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "made.bin"
    path.write_bytes(as_binary(random_words(300)))
    if kind == "native":
        write_native(file_blocks(path), tmp_path / kind)
    every = check(tmp_path / kind, [b"w5xxxxx"], 30)
    look = every[0].look
    walk = file_pieces(tmp_path / kind, Memory(), lambda _: look, first=3, rows=30)
    for before in every[:3]:
        piece = next(walk)
        assert_array_equal(piece.names, before.names)
        assert_array_equal(piece.products, before.products)
    walk.close()


def test_a_vectors_file_that_is_cut_off_on_the_way(tmp_path: Path) -> None:
    path = tmp_path / "made.bin"
    path.write_bytes(as_binary(random_words(3_000)))
    write_native(file_blocks(path), tmp_path / "native")
    look = look_for(path, [])
    walk = file_pieces(tmp_path / "native", Memory(), lambda _: look, rows=10)
    next(walk)
    with (tmp_path / "native" / "vectors.npy").open("r+b") as file:
        file.truncate(4_000)
    with pytest.raises(
        ValueError, match=r"vectors\.npy was cut off, or cannot be read; make it again"
    ):
        list(walk)


@pytest.mark.parametrize("content", [b"2 3\na " + b"\0" * 12 + b"b", b"1 1\n" + b"x" * 9_000])
def test_an_error_leaves_no_file_open(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "made.bin"
    path.write_bytes(content)
    look = Look.of(table_of([]), np.ones((1, 3)))
    opened: list[Any] = []
    real = Path.open

    def noted(self: Path, *arguments: Any, **options: Any) -> Any:
        opened.append(real(self, *arguments, **options))
        return opened[-1]

    monkeypatch.setattr(Path, "open", noted)
    with pytest.raises(ValueError, match="made") as caught:  # which holds on to all that ran
        list(file_pieces(path, Memory(), lambda _: look, progressbar=False))
    assert caught
    assert opened
    assert all(file.closed for file in opened)


@pytest.mark.parametrize("n_bytes", [0, 1, 100, 5 << 20, 300 << 20])
@pytest.mark.parametrize("rows", [None, 1, 10_000])
def test_spans_are_cut_from_end_to_end(n_bytes: int, rows: int | None) -> None:
    if rows == 1:
        n_bytes = min(n_bytes, 100_000)
    places = pieces.cut_places(n_bytes, 50, rows)
    assert (places[0], places[-1]) == (0, n_bytes)
    sizes = np.diff(places)
    assert (sizes > 0).all()
    assert (sizes <= (pieces.LARGEST_SPAN if rows is None else 200 * rows)).all()


# -- threads ------------------------------------------------------------------------------------


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(pieces.os, "cpu_count", lambda: 2)
    return 2


def test_results_keep_their_order(threads: int) -> None:
    def slow(at: int) -> int:
        time.sleep(0.02 if at % 3 == 0 else 0)
        return at

    assert list(in_order(slow, range(20))) == list(range(20))


@pytest.mark.timeout(20)
def test_threads_work_side_by_side(threads: int) -> None:
    together = threading.Barrier(threads)
    list(in_order(lambda _: together.wait(timeout=10), range(6)))


@pytest.mark.timeout(20)
def test_an_error_ends_all_threads(threads: int) -> None:
    done: list[int] = []

    def work(at: int) -> int:
        if at == 5:
            raise ZeroDivisionError
        time.sleep(0.01)
        done.append(at)
        return at

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        list(in_order(work, range(100)))
    assert len(done) < 5 + threads * (pieces.AHEAD + 2)
    assert threading.active_count() == before


@pytest.mark.timeout(20)
def test_nothing_is_begun_after_the_end_or_far_ahead(threads: int) -> None:
    begun: list[int] = []
    walk = in_order(begun.append, range(100))
    next(walk)
    time.sleep(0.1)
    assert len(begun) <= 1 + threads * pieces.AHEAD
    walk.close()
    assert len(begun) <= 1 + threads * pieces.AHEAD
