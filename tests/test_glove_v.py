"""Vectors with covariances, in GloVe-V's layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import bayesbias as bb
from bayesbias._core.arrays import FloatArray

WORDLIST = bb.WordList(
    name="toy",
    groups={g: [f"{g}{i}" for i in range(8)] for g in "xy"},
    stereotypes={g: [f"{g}_{i}" for i in range(12)] for g in "xy"},
)
WORDS = list(WORDLIST.words)
N_DIMS = 6


def made(folder: Path, *, complete: bool = False) -> tuple[FloatArray, list[FloatArray]]:
    """Write a folder as glove_v.data does; words of its vocabulary stand in another order."""
    rng = np.random.default_rng(1)
    names = [*reversed(WORDS), "further"]
    vectors = rng.normal(size=(len(names), N_DIMS)).astype(np.float32)
    roots = rng.normal(size=(len(names), N_DIMS, 2)) * 0.1
    full = [root @ root.T for root in roots]
    tensors = {}
    for row in range(len(names)):
        if row % 3 == 0:
            full[row] = np.diag(np.diag(full[row]))
            tensors[f"diag_{row}"] = np.diag(full[row]).astype(np.float32)
        elif row % 3 == 1:
            left, values, right = np.linalg.svd(full[row])
            parts = {"U": left[:, :2], "s": values[:2], "Vt": right[:2]}
            tensors |= {
                f"{part}_{row}": np.ascontiguousarray(value, dtype=np.float32)
                for part, value in parts.items()
            }
        else:
            tensors[f"complete_{row}"] = full[row].astype(np.float32)
    folder.mkdir(exist_ok=True)
    lines = [f"{name} {100 - row}" for row, name in enumerate(names)]
    (folder / "vocab.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    save_file({"center_vectors": vectors}, folder / "vectors.safetensors")
    if complete:
        whole = {"variances": np.stack(full).astype(np.float32)}
        save_file(whole, folder / "CompleteVariances.safetensors")
    else:
        save_file(tensors, folder / "ApproximationVariances.safetensors")
    return vectors[-2::-1], full[-2::-1]


@pytest.mark.parametrize("complete", [False, True])
def test_every_form_of_covariance_is_read(tmp_path: Path, *, complete: bool) -> None:
    expected, full = made(tmp_path, complete=complete)
    vectors, noise = bb.read_glove_v(tmp_path, WORDLIST)
    np.testing.assert_array_equal(vectors[WORDS], expected)
    assert {each.ndim for each in noise.values()} == ({2} if complete else {1, 2})
    for word, covariance in zip(WORDS, full, strict=True):
        found = noise[word] if noise[word].ndim == 2 else np.diag(noise[word])
        np.testing.assert_allclose(found, covariance, atol=1e-8, rtol=1e-4)  # single precision


def test_folders_that_lack_something_are_told(tmp_path: Path) -> None:
    made(tmp_path)
    vectors, noise = bb.read_glove_v(tmp_path, ["x0", "nowhere"])
    assert vectors.index_to_key == ["x0"]
    assert list(noise) == ["x0"]
    with pytest.raises(ValueError, match="holds none of the 1 words, such as 'nowhere'"):
        bb.read_glove_v(tmp_path, ["nowhere"])
    for short in (np.ones(N_DIMS), np.ones((3, N_DIMS))):
        save_file({"center_vectors": short}, tmp_path / "vectors.safetensors")
        with pytest.raises(ValueError, match=r"has no matrix|is damaged, or no folder of GloVe-V"):
            bb.read_glove_v(tmp_path, WORDLIST)
    (tmp_path / "vectors.safetensors").write_bytes(b"\x08\x00\x00\x00\x00\x00\x00\x00nonsense")
    with pytest.raises(ValueError, match="damaged, or no folder of GloVe-V"):
        bb.read_glove_v(tmp_path, WORDLIST)
    (tmp_path / "ApproximationVariances.safetensors").unlink()
    with pytest.raises(FileNotFoundError):
        bb.read_glove_v(tmp_path / "elsewhere", WORDLIST)
