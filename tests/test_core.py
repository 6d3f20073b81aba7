"""Arrays, bundled folders, texts, and text tables with unusual characters."""

import gzip
import re
import string
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from builders import refused
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from rich.cells import cell_len

from bayesbias._core import resources as bundled
from bayesbias._core.arrays import unit_rows
from bayesbias._core.display import Sheet, abridged, digits_for, shortened, visible, wrapped
from bayesbias._core.reading import read_text
from bayesbias._core.resources import bundled_folder, bundled_names
from bayesbias._core.transformer_files import NO_LIMIT, longest_input

rows = arrays(np.float64, (4, 3), elements=st.floats(-100, 100).map(lambda x: round(x, 3))).filter(
    lambda matrix: bool(matrix.any(axis=1).all())
)


@given(rows, st.floats(1e-300, 1e300))
def test_rows_have_length_one_whatever_their_scale(matrix: np.ndarray, scale: float) -> None:
    """This holds even if squares would overflow or underflow."""
    assert_allclose(unit_rows([[3 * scale, 4 * scale]]), [[0.6, 0.8]], atol=1e-12)
    found = unit_rows(matrix)
    assert_allclose(found, matrix / np.linalg.norm(matrix, axis=1, keepdims=True), atol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([[1, 0], [0, 0]], r"rows \[1\] .all zeros or not finite"),
        ([[np.nan, 1], [1, 0], [np.inf, 0]], r"rows \[0, 2\] .all zeros or not finite"),
        ([[], []], r"rows \[0, 1\] .all zeros"),
        ([1.0, 2.0], r"must be the rows of a matrix; got shape \(2,\)"),
    ],
)
def test_rows_without_direction_are_named(wrong: object, message: str) -> None:
    refused(message, unit_rows, np.asarray(wrong))


def test_folders_inside_the_package_go_first(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(bundled, "_PACKAGE", tmp_path / "bayesbias")
    (tmp_path / "vectors").mkdir()
    for name in ("b.npz", "a.npz", "README.md"):
        (tmp_path / "vectors" / name).touch()
    assert bundled_names("vectors", ".npz") == ["a", "b"]
    inside = tmp_path / "bayesbias" / "_data" / "vectors"
    inside.mkdir(parents=True)
    assert bundled_folder("vectors") == inside
    refused(r"has no folder 'nothing'", bundled_folder, "nothing", error=FileNotFoundError)


SCRIPT = "<script>alert('1')</script>"


def test_text_is_aligned_and_numbers_stand_on_the_right() -> None:
    rows = (("日本", "5", "x y"), ("abcde", "−1,226", ""))
    assert Sheet("Words", rows, ("set", "size", "which"), "note").text().splitlines() == [
        "Words",
        "  set      size  which",
        "  日本        5  x y",  # wide characters take two columns
        "  abcde  −1,226",
        "  note",
    ]
    assert Sheet("t", ()).text() == "t"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\u202eb", "a\\u202eb"),
        ("\ud800", "\\ud800"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # joins letters in Persian, no direction
        ("שלום", "שלום"),
    ],
)
def test_what_would_move_the_cursor_is_an_escape(text: str, expected: str) -> None:
    assert visible(text) == expected
    assert expected in Sheet(text, ()).text()


@settings(max_examples=50)
@given(st.text("ab 日本\u0301", max_size=60), st.integers(2, 12))
def test_lines_hold_their_width_and_every_letter(text: str, width: int) -> None:
    """A wide letter takes two cells and stays whole; text of plain letters wraps as in textwrap."""
    lines = wrapped(text, width)
    assert all(line and cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    if text.isascii():
        assert lines == textwrap.wrap(text, width)


def test_a_wide_letter_at_the_end_of_a_line_starts_the_next() -> None:
    assert [*map(cell_len, wrapped("x" + "日" * 48, 96))] == [95, 2]


SHORT = st.text(max_size=4)  # so no cell is wrapped, even if escaped


@settings(max_examples=15)
@given(st.lists(st.tuples(SHORT, SHORT, SHORT), min_size=1))
def test_any_texts_give_one_line_a_row(rows: list[tuple[str, str, str]]) -> None:
    sheet = Sheet("t", tuple(rows), ("a", "b", "c"))
    assert len(f"{sheet.text()}|".splitlines()) == 2 + len(rows)  # a blank last line counts
    assert not re.search(r"<(?!/?(table|caption|thead|tbody|tr|th|td)\b)", sheet.html())
    assert sheet.html().encode().count(b"<td ") == 2 * len(rows)
    assert (
        Sheet(SCRIPT, ((SCRIPT, '"&'),), (SCRIPT, "b"), SCRIPT).html().count("&lt;script&gt;") == 4
    )


@pytest.mark.parametrize("n", [0, 1, 8, 9, 30])
def test_an_abridged_list_counts_what_it_leaves_out(n: int) -> None:
    text = abridged(["word"] * n)
    more = sum(map(int, re.findall(r"\d+", text)))
    assert text.count("word") + more == n
    assert text.count("word") <= 8


@pytest.mark.parametrize(
    ("of_tokenizer", "positions", "padding", "longest"),
    [
        (128, 512, None, 128),
        (10**30, 512, None, 512),
        (512, 514, 1, 512),  # RoBERTa's first position follows the padding's
        (10**30, 514, 0, 513),
        (10**30, None, None, NO_LIMIT),
    ],
)
def test_the_longest_input_is_the_smallest_limit(of_tokenizer, positions, padding, longest) -> None:
    module = SimpleNamespace(padding_idx=padding)
    own = SimpleNamespace(max_position_embeddings=positions)
    network = SimpleNamespace(
        config=SimpleNamespace(get_text_config=lambda: own),
        named_modules=lambda: [("embeddings", None), ("position_embeddings", module)],
    )
    tokenizer = SimpleNamespace(model_max_length=of_tokenizer)
    assert longest_input(network, tokenizer) == longest


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_texts_have_a_largest_size(packed: Callable[[bytes], bytes], tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(packed(b"abcdef"))
    assert read_text(tmp_path / "t", 6) == "abcdef"
    refused("exceeds 5 bytes", read_text, tmp_path / "t", 5)


@given(st.lists(st.floats(1e-7, 3), min_size=1), st.lists(st.just(np.nan), max_size=1))
def test_the_largest_value_has_two_digits(values: list[float], none: list[float]) -> None:
    """Values from .05 have two decimals."""
    largest, digits = max(values), digits_for(*values, *none)
    assert digits >= 2
    assert digits == 2 or 10 <= largest * 10**digits < 100


@given(st.text("ab-", min_size=25), st.text("ab-", min_size=25), st.sampled_from([11, 16, 26]))
def test_names_that_differ_once_still_differ_when_they_are_short(start, end, most: int) -> None:
    names = [f"{start}{year}{end}" for year in (1900, 1910)]
    shown = [shortened(name, most, names) for name in names]
    assert shown[0] != shown[1]
    assert {*map(len, shown)} == {most}
    for short, name in zip(shown, names, strict=True):  # the marks stand for what is left out
        first, *rest = short.split("…")
        assert name.startswith(first)
        assert all(part in name for part in rest)


def test_a_cut_does_not_part_a_letter_from_its_accent() -> None:
    assert all(part[0] == "e" for part in shortened("e\u0301" * 20, 11).split("…"))


@given(st.text(string.ascii_letters, max_size=40), st.integers(3, 30))
def test_short_names_keep_both_ends(name: str, most: int) -> None:
    shown = shortened(name, most)
    assert len(shown) == min(len(name), most)
    first, last = shown, ""
    if shown != name:
        first, last = (shown[: most // 2], shown[most // 2 + 1 :])
        assert shown == f"{first}…{last}"
    assert name.startswith(first)
    assert name.endswith(last)
