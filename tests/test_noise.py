"""Draws of vectors that are known up to noise, and how far noise pushes distances up."""

from __future__ import annotations

import numpy as np
import pytest
from test_glove_v import N_DIMS, WORDLIST, WORDS

import bayesbias as bb
from bayesbias._core.arrays import FloatArray
from bayesbias.embeddings.formats.keyed import keyed_vectors


def test_draws_scatter_as_their_covariances_say() -> None:
    """The delta method: var cos(u, v) = Σ over both of ∂'C∂, where noise is small."""
    rng = np.random.default_rng(2)
    vectors = keyed_vectors(WORDS, rng.normal(size=(len(WORDS), N_DIMS)), WORDS)
    roots = {word: rng.normal(size=(N_DIMS, N_DIMS)) * 0.01 for word in WORDS}
    noise = {word: root @ root.T for word, root in roots.items()}
    noise["y0"] = np.full(N_DIMS, 0.01**2)
    table = bb.sample_vectors(vectors, noise, WORDLIST, 100, seed=1)
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
    assert ratio.mean() == pytest.approx(1, abs=0.02)  # 384 sds of 100 draws, each to 7%
    assert ratio.std() < 0.1


def test_lengths_without_noise_give_the_distances_of_the_true_vectors() -> None:
    """Known vectors and noise as long as they are: 50 estimates average to the truth."""
    rng = np.random.default_rng(3)
    true = rng.normal(size=(len(WORDS), 200)) + 0.5
    noise = {word: np.full(200, 1.25) for word in WORDS}
    real = bb.distance_table(keyed_vectors(WORDS, true, WORDS), WORDLIST)
    expected = real.groupby("connection", sort=False)["cosine_distance"].mean()
    frames = []
    for _ in range(50):
        estimated = true + rng.normal(size=true.shape) * np.sqrt(1.25)
        frames.append(bb.vector_noise(keyed_vectors(WORDS, estimated, WORDS), noise, WORDLIST))
    means = [np.mean([frame[name] for frame in frames], axis=0) for name in frames[0].columns[2:]]
    np.testing.assert_allclose(means[1], expected, atol=0.01)  # of second order in the noise
    assert (means[0] - expected > 0.08).all()
    np.testing.assert_allclose(means[2], means[0] - means[1])


def test_what_is_no_covariance_is_told() -> None:
    rng = np.random.default_rng(4)
    vectors = keyed_vectors(WORDS, rng.normal(size=(len(WORDS), N_DIMS)), WORDS)
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
