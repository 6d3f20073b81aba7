"""Damage found by fuzzing that once raised the wrong error or none."""

import bz2
import gzip
import io
import json
import lzma
import os
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_toy import write_scored
from limits import within_limits

import bayesbias as bb
from bayesbias.contextual.sentences import load_templates
from bayesbias.debias.defining_sets import load_defining_sets
from bayesbias.maskedlm.pair_files import read_pairs
from bayesbias.maskedlm.score_files import read_scored
from bayesbias.model.spec import model_text
from bayesbias.workflows.sweep_spec import load_sweep


def load(path: Path) -> object:
    return bb.load_vectors(path, progressbar=False)


def refused(path: Path, content: bytes | str, read: Callable[[Path], object]) -> str:
    """Return the reader's error message for bad content, and check that it names the file."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with within_limits(), pytest.raises(ValueError, match=path.name) as told:
        read(path)
    return str(told.value)


def stereoset(path: Path) -> object:
    return read_pairs(path, "stereoset")


def crows(path: Path) -> object:
    return read_pairs(path, "crows-pairs")


def fasttext(words: bytes = b"cat\0" + bytes(9), n_words: int = 1, rows: int = 1) -> bytes:
    """Make a fastText model of one word in two dimensions, without buckets."""
    head = struct.pack("<2i12id", 793712314, 12, 2, 5, 1, 1, 5, 1, 2, 1, 0, 3, 6, 100, 1e-4)
    counts = struct.pack("<3i2q", n_words, n_words, 0, 1, 0)
    matrix = struct.pack("<?2q", False, rows, 2) + np.ones(2, dtype="<f4").tobytes()
    return head + counts + words + matrix


def zipped(content: bytes, name: str, method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def operators(sign: str) -> bytes:
    """Make an array whose header is all operators, which raises MemoryError in CPython's parser."""
    header = (sign * (9_000 // len(sign)) + "1\n").encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(8)


WHOLE = zipped(b"the 1 2 3 4\n", "v.txt")
DIRECTORY = WHOLE.rindex(b"PK\x05\x06") + 16
OUTSIDE = WHOLE[:DIRECTORY] + struct.pack("<I", 2**31) + WHOLE[DIRECTORY + 4 :]
DEEP = "a = " + "[" * 5000
HEADS = "sent_more,sent_less,stereo_antistereo,bias_type\n"
LARGE = re.sub(r"= \d+(\.\d+)?", "= 1" + "0" * 400, model_text("paper"), count=1)

DAMAGED: list[tuple[str, bytes | str, Callable[[Path], object], str]] = [
    *(
        ("deep.toml", DEEP, read, "too deeply")
        for read in (bb.load_model, load_sweep, load_templates, load_defining_sets)
    ),
    ("m.toml", LARGE, bb.load_model, "too large"),
    ("dev.json", '{"data": ' * 100_000, stereoset, "too deeply"),
    ("dev.json", '{"data": {"intrasentence": 3}}', stereoset, "no data.intrasentence"),
    ("dev.json", '{"data": {"intrasentence": ["he"]}}', stereoset, "is not a StereoSet cluster"),
    ("dev.json", "9" * 5000, stereoset, "Exceeds the limit"),
    ("c.csv", f"{HEADS}a,b, and c,stereo,pets\n", crows, ""),
    ("c.csv", f"{HEADS}x,y,a,b,stereo,pets\n", crows, ""),
    ("m.bin", fasttext()[:100], load, "cannot be read"),
    # gensim would wait forever for the end of a word, or allocate all the memory in the header.
    ("m.bin", fasttext(words=b"cat"), load, "cannot be read"),
    ("m.bin", fasttext(n_words=2**31 - 1), load, "cannot be read"),
    ("m.bin", fasttext(rows=2**40), load, "cannot be read"),
    ("m.bin", fasttext()[:-4], load, "cannot be read"),
    ("v.zip", OUTSIDE, load, "cut off, damaged"),
    ("v.npz", OUTSIDE, load, "damaged"),
    *(("v.npz", zipped(operators(s), "words.npy"), load, "damaged") for s in ("-", "~", "not ")),
    *(("vectors.npy", operators(s), load, "damaged") for s in ("-", "~", "not ")),
]


@pytest.mark.parametrize(
    ("name", "content", "read", "told"),
    DAMAGED,
    ids=[f"{i}-{row[0]}" for i, row in enumerate(DAMAGED)],
)
def test_damage_is_told_in_a_line(name, content, read, told, tmp_path) -> None:
    (tmp_path / "vectors.txt").write_text("a\n")
    assert told in refused(tmp_path / name, content, read)


ODD = {
    "protected_word": [pa.array([b"a\xf3"]).view("string"), pa.array([[1, 2]])],
    "cosine_distance": [pa.array([{"a": 1}])],
    "context": [pa.array([[1]])],
}
"""Cells that are not text or numbers, keyed by column."""


@pytest.mark.parametrize(("name", "cell"), [(name, cell) for name in ODD for cell in ODD[name]])
def test_odd_parquet_files(name, cell, tmp_path, toy_table) -> None:
    columns = {head: pa.array(toy_table[head].astype(str).tolist()) for head in toy_table}
    cells = pa.concat_arrays([cell] * len(toy_table))
    pq.write_table(pa.table(columns | {name: cells}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"t\.parquet.*(damaged|UTF8)"):
        bb.read_table(tmp_path / "t.parquet")


def test_a_small_parquet_file_of_very_many_rows(tmp_path: Path) -> None:
    """Run-length encoding puts 12 million rows into a few kB. They are refused before reading."""
    path, n_rows = tmp_path / "t.parquet", 4_000_000
    cells = {name: 0.5 if name == "cosine_distance" else "x" for name in bb.COLUMNS}
    codes = np.zeros(n_rows, dtype=np.int32)
    some = pa.table({n: pa.DictionaryArray.from_arrays(codes, [v]) for n, v in cells.items()})
    with pq.ParquetWriter(path, some.schema) as writer:
        for _ in range(3):
            writer.write_table(some)
    assert path.stat().st_size < 1_000_000
    with within_limits(), pytest.raises(ValueError, match=r"t\.parquet.*damaged"):
        bb.read_table(path)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda content: zipped(content, "t.csv", zipfile.ZIP_DEFLATED),
}


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("damage", ["cut", "odd"])
def test_packed_tables_that_are_damaged(ending, damage, tmp_path, toy_table) -> None:
    table = toy_table.drop_duplicates()
    content = table.to_csv(index=False).encode()
    whole = PACKERS[ending](content)
    path = tmp_path / f"t.csv{ending}"
    path.write_bytes(whole)
    assert len(bb.read_table(path)) == len(table)
    cut, odd = whole[: len(whole) // 2], whole[:45] + b"\xff" * 30 + whole[75:]
    told = refused(path, cut if damage == "cut" else odd, bb.read_table)
    assert f"is cut off, damaged, or not a {ending} file" in told


def test_a_line_without_end(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.touch()
    os.truncate(path, 3 << 30)  # null bytes, which use no disk space
    with (
        within_limits(),
        pytest.raises(ValueError, match=r"t\.csv has zero bytes or a line of 1,048,576 bytes"),
    ):
        bb.read_table(path)


@pytest.mark.parametrize(
    ("name", "read"),
    [("t.csv", bb.read_table), ("m.toml", bb.load_model), ("l.toml", bb.load_wordlist)],
)
def test_a_device_is_no_file(name: str, read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / name).symlink_to("/dev/zero")
    with within_limits(), pytest.raises(FileNotFoundError, match=name):
        read(tmp_path / name)


def test_records_and_scores_that_are_none(tmp_path: Path) -> None:
    def read(path: Path) -> object:
        return read_scored(path.parent)

    folder = write_scored(tmp_path / "scored")
    read_scored(folder)
    record, text = (folder / name for name in ("run.json", "scores.csv"))
    whole, scores = json.loads(record.read_text()), text.read_text()
    lacking = {"model": None, "dataset": ["crows-pairs"], "data_hash": {}, "unscored": [3]}
    for part, value in lacking.items():
        assert part in refused(record, json.dumps(whole | {part: value}), read)
    for content in ("[" * 100_000, "[]", "9" * 5000, "1" + "0" * 400, "{", '{"made_by": 3}'):
        refused(record, content, read)
    record.write_text(json.dumps(whole))
    for old, new in (("stereotypical", "first"), ("8,6,-", "8,x,-"), ("toy", "b")):
        refused(text, scores.replace(old, new, 3), read)
