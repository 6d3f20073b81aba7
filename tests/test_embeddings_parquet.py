"""Arrays with words next to them, and Parquet files of vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from embedding_toys import WORDS, check

import bayesbias as bb

FRAME = pd.DataFrame(list(WORDS.values()), index=list(WORDS))


def test_an_array_with_its_words_in_a_text_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", FRAME.to_numpy(np.float64))
    with pytest.raises(FileNotFoundError, match=r"a\.txt"):
        bb.load_vectors(tmp_path / "a.npy")
    (tmp_path / "a.txt").write_text("\n".join([*WORDS, ""]), encoding="utf-8")
    check(bb.load_vectors(tmp_path / "a.npy"), WORDS)


def test_a_parquet_file_has_words_as_index_or_first_column(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    for frame in (FRAME, FRAME.reset_index()):
        frame.rename(columns=str).to_parquet(path)
        check(bb.load_vectors(path), WORDS)
        check(bb.load_vectors(path, ["king"]), {"king": WORDS["king"]})
    for content in (b"no table", path.read_bytes()[:-9]):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"a\.parquet is damaged, or no Parquet file of vec"):
            bb.load_vectors(path)
