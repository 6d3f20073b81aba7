"""Vectors with covariances in GloVe-V's layout, draws of them, and how far noise moves them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import bayesbias as bb
from bayesbias._core.arrays import FloatArray
from bayesbias.embeddings.formats.keyed import Vectors

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


def test_draws_scatter_as_their_covariances_say() -> None:
    """The delta method: var cos(u, v) = Σ over both of ∂'C∂, where noise is small."""
    rng = np.random.default_rng(2)
    vectors = Vectors(WORDS, rng.normal(size=(len(WORDS), N_DIMS))).keyed()
    roots = {word: rng.normal(size=(N_DIMS, N_DIMS)) * 0.01 for word in WORDS}
    noise = {word: root @ root.T for word, root in roots.items()}
    noise["y0"] = np.full(N_DIMS, 0.01**2)
    table = bb.sample_vectors(vectors, noise, WORDLIST, 50, seed=1)
    assert set(table["wordlist"]) == {"toy"}
    sds = table.groupby(["protected_word", "attribute"])["cosine_distance"].std()
    expected = []
    for pair in sds.index:
        total = 0.0
        for at, other in (pair, pair[::-1]):
            u, v = vectors[at], vectors[other]
            long, wide = np.linalg.norm(u), np.linalg.norm(v)
            slope = v / (long * wide) - (u @ v) * u / (long**3 * wide)
            total += slope @ (np.diag(noise[at]) if noise[at].ndim == 1 else noise[at]) @ slope
        expected.append(np.sqrt(total))
    ratio = sds / expected
    assert ratio.mean() == pytest.approx(1, abs=0.03)  # 384 sds of 50 draws, each to 10%
    assert ratio.std() < 0.13


def test_lengths_without_noise_give_the_distances_of_the_true_vectors() -> None:
    """Known vectors and noise as long as they are: 50 estimates average to the truth."""
    rng = np.random.default_rng(3)
    true = rng.normal(size=(len(WORDS), 200)) + 0.5
    noise = {word: np.full(200, 1.25) for word in WORDS}
    real = bb.distance_table(Vectors(WORDS, true).keyed(), WORDLIST)
    expected = real.groupby("connection", sort=False)["cosine_distance"].mean()
    frames = []
    for _ in range(50):
        estimated = true + rng.normal(size=true.shape) * np.sqrt(1.25)
        frames.append(bb.vector_noise(Vectors(WORDS, estimated).keyed(), noise, WORDLIST))
    means = [np.mean([frame[name] for frame in frames], axis=0) for name in frames[0].columns[2:]]
    np.testing.assert_allclose(means[1], expected, atol=0.01)  # of second order in the noise
    assert (means[0] - expected > 0.08).all()
    np.testing.assert_allclose(means[2], means[0] - means[1])


def test_what_is_no_covariance_is_told() -> None:
    rng = np.random.default_rng(4)
    vectors = Vectors(WORDS, rng.normal(size=(len(WORDS), N_DIMS))).keyed()
    noise: dict[str, FloatArray] = {word: np.full(N_DIMS, 0.01) for word in WORDS}
    with pytest.raises(ValueError, match="from 2 to 100; got 1"):
        bb.sample_vectors(vectors, noise, WORDLIST, 1)
    with pytest.raises(ValueError, match="'x1' has a negative or infinite variance"):
        bb.sample_vectors(vectors, noise | {"x1": -np.eye(N_DIMS)}, WORDLIST)
    with pytest.raises(ValueError, match=r"of 'x0' has the shape \(7,\); vectors of 6 dim"):
        bb.vector_noise(vectors, noise | {"x0": np.ones(N_DIMS + 1)}, WORDLIST)
    fewer = {word: noise[word] for word in WORDS[1:]}
    for function in (bb.sample_vectors, bb.vector_noise):
        with pytest.raises(ValueError, match="'x0' has a vector and no covariance"):
            function(vectors, fewer, WORDLIST)
    with pytest.warns(UserWarning, match="the noise of x2 is as long as the vector"):
        frame = bb.vector_noise(vectors, noise | {"x2": np.full(N_DIMS, 100.0)}, WORDLIST)
    assert frame["n_rows"].sum() == 15 * 24
