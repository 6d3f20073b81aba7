"""Damaged files are refused in one line that names them."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from embedding_toys import BAD, ZIP, File, as_text

from bayesbias.embeddings.load import load_vectors


@pytest.mark.parametrize("case", BAD)
def test_bad_files(file: File, case: str) -> None:
    name, content, what = BAD[case]
    with pytest.raises(ValueError, match=what) as caught:
        load_vectors(file(name, content))
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("case", [c for c in BAD if c.startswith(("cut", "promises", "gzip c"))])
def test_damage_counts_though_the_words_asked_for_came_before_it(file: File, case: str) -> None:
    name, content, what = BAD[case]
    with pytest.raises(ValueError, match=what):
        load_vectors(file(name, content), ["one", "king"])


def test_a_zip_with_a_password(file: File) -> None:
    content = bytearray(ZIP)
    content[6] |= 1  # the flag of encryption, in the member's header and in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(ValueError, match=r"a\.zip is cut off, damaged, .*unpack it first"):
        load_vectors(file("a.zip", bytes(content)))


def test_a_line_without_end_is_not_kept_in_memory(
    file: File, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bayesbias.embeddings.formats.text.LONGEST_LINE", 50)
    with pytest.raises(ValueError, match=r"line 2 does not end; this is not a text file"):
        load_vectors(file("a.txt", b"a 1 2\nb " + b"1 " * 60))


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_a_corrupted_gzip_stream(file: File, cut: float) -> None:
    rng = np.random.default_rng(3)
    rows = {f"w{i}": tuple(rng.standard_normal(20)) for i in range(500)}
    packed = bytearray(gzip.compress(as_text(rows)))
    for place in range(int(cut * len(packed)), int(cut * len(packed)) + 9):
        packed[place] ^= 0x5A
    with pytest.raises(ValueError, match=r"bad\.txt\.gz(: line| is cut off, damaged)"):
        load_vectors(file("bad.txt.gz", bytes(packed)))
