"""What fuzzing found, kept as ordinary tests: damage that once gave another error, or none."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bayesbias as bb
from bayesbias.contextual.sentences import load_templates
from bayesbias.debias.defining_sets import load_defining_sets
from bayesbias.maskedlm.datasets import read_pairs
from bayesbias.workflows.sweep_spec import load_sweep


def load(path: Path) -> object:
    return bb.load_vectors(path, progressbar=False)


DEEP = "a = " + "[" * 5000
PUBLISHED = "protected_word,word_to_compare,word_class,cosine_distance,connection\n"


def refused(path: Path, content: bytes | str, read: Callable[[Path], object]) -> str:
    """Give what the reader says of a content that it refuses, which has to name the file."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(ValueError, match=path.name) as told:
        read(path)
    return str(told.value)


@pytest.mark.parametrize("read", [bb.load_model, load_sweep, load_templates, load_defining_sets])
def test_toml_that_nests_without_end(read: Callable[[Path], object], tmp_path: Path) -> None:
    assert "too deeply" in refused(tmp_path / "deep.toml", DEEP, read)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"data": ' * 100_000, "too deeply"),
        ('{"data": {"intrasentence": 3}}', "is no list"),
        ('{"data": {"intrasentence": ["he"]}}', "where a cluster should"),
        ("9" * 5000, "not a JSON file"),
    ],
)
def test_json_that_is_no_stereoset(content: str, told: str, tmp_path: Path) -> None:
    said = refused(tmp_path / "dev.json", content, lambda path: read_pairs(path, "stereoset"))
    assert told in said


def test_rows_with_more_fields_than_the_head(tmp_path: Path) -> None:
    heads = "sent_more,sent_less,stereo_antistereo,bias_type\n"
    for row in ("a,b, and c,stereo,pets\n", "x,y,a,b,stereo,pets\n"):
        refused(tmp_path / "c.csv", heads + row, lambda path: read_pairs(path, "crows-pairs"))
    row = "he,man,soldier,man_stereotype,associated,0.7,spare\n"
    said = refused(tmp_path / "t.csv", ",".join(bb.COLUMNS) + "\n" + row, bb.read_table)
    assert "more fields than the head" in said


def test_a_published_table_with_a_column_twice_or_a_word_left_out(tmp_path: Path) -> None:
    head = "protected_word," + PUBLISHED
    refused(tmp_path / "t.csv", head + "he,soldier,man_stereotype,0.7,associated\n", bb.read_table)


def test_numbers_that_are_spaces(tmp_path: Path) -> None:
    """Three numbers with a gap among them were taken for the four that there should be."""
    content = "the 1 2 3 4\ncat -1.0 -  .89 -.78 -.68\n"
    for read in (load, lambda path: list(bb.iter_vectors(path, progressbar=False))):
        assert "line 2 has 3 numbers, not 4" in refused(tmp_path / "v.txt", content, read)


def fasttext(words: bytes = b"cat\0" + bytes(9), n_words: int = 1, rows: int = 1) -> bytes:
    """Make a fastText model of one word in two dimensions, without buckets."""
    head = struct.pack("<2i12id", 793712314, 12, 2, 5, 1, 1, 5, 1, 2, 1, 0, 3, 6, 100, 1e-4)
    counts = struct.pack("<3i2q", n_words, n_words, 0, 1, 0)
    matrix = struct.pack("<?2q", False, rows, 2) + np.ones(2, dtype="<f4").tobytes()
    return head + counts + words + matrix


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (fasttext()[:100], "damaged|cannot be read"),
        (fasttext(words=b"cat"), "does not end|buffer|promises"),
        (fasttext(n_words=2**31 - 1), "promises 2,147,483,647 words"),
        (fasttext(rows=2**40), "promises 1,099,511,627,776 vectors"),
        (fasttext(words=b"cat\0" + bytes(9))[:-4], "promises 2 numbers"),
    ],
)
def test_a_fasttext_model_that_promises_more_than_it_holds(
    content: bytes, told: str, tmp_path: Path
) -> None:
    """gensim waits for ever for the end of a word, and asks for memory for whatever is promised."""
    said = refused(tmp_path / "m.bin", content, load)
    assert re.search(told, said)


def test_an_archive_that_points_outside_itself(tmp_path: Path) -> None:
    path = tmp_path / "v.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("v.txt", "the 1 2 3 4\n")
    whole = path.read_bytes()
    start = whole.rindex(b"PK\x05\x06") + 16  # where the directory begins
    wrong = whole[:start] + struct.pack("<I", 2**31) + whole[start + 4 :]
    refused(path, wrong, load)
    refused(tmp_path / "v.npz", wrong, load)


def test_an_array_whose_header_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npy"
    np.save(path, np.ones((1, 2), dtype=np.float32))
    (tmp_path / "vocab.txt").write_text("cat\n")
    odd = path.read_bytes().replace(b"'descr'", b"'\0escr'")
    assert "damaged" in refused(path, odd, lambda path: bb.load_vectors(path.parent))


def test_a_parquet_file_with_damage_inside(tmp_path: Path, toy_table: pd.DataFrame) -> None:
    path = tmp_path / "t.parquet"
    bb.write_table(toy_table, path)
    whole = bytearray(path.read_bytes())
    whole[4:20] = b"\xff" * 16
    assert "Parquet" in refused(path, bytes(whole), bb.read_table)


def test_a_parquet_file_whose_notes_for_pandas_are_damaged(
    tmp_path: Path, toy_table: pd.DataFrame
) -> None:
    whole = pa.Table.from_pandas(toy_table)
    notes = whole.schema.metadata[b"pandas"].replace(b'"numpy_type"', b'"mumpy_type"')
    pq.write_table(whole.replace_schema_metadata({b"pandas": notes}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet.*no table of pandas"):
        bb.read_table(tmp_path / "t.parquet")


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"PK\x05\x06" + bytes(18)])
def test_vectors_that_look_like_an_archive(start: bytes, tmp_path: Path) -> None:
    """numpy would take them for its .npz form."""
    (tmp_path / "vocab.txt").write_text("a\n", encoding="utf-8")
    said = refused(tmp_path / "vectors.npy", start, lambda path: bb.load_vectors(path.parent))
    assert "vectors.npy is damaged or no .npy file" in said


def test_vectors_of_signalling_not_a_numbers(tmp_path: Path) -> None:
    odd = struct.pack("<2I", 0x7F800001, 0)  # a NaN that warns when it is used
    assert "not finite" in refused(tmp_path / "v.bin", b"1 2\ncat " + odd, load)
