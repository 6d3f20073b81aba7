"""How far noise in the vectors pushes distances up, by texts of several lengths.

    python scripts/check_noise.py        # 30 s

A vector that is estimated from a text is the one that an endless text would give, plus noise. The
noise of two words has no direction in common: it makes both longer and their cosine smaller, so
that distances below 1 come out too large. Eight trainings, each on documents drawn with replacement
and rotated onto the first, tell how much: the inner product of a word in one training and a word in
another has no such error, nor has that of a word with itself. Printed are distances as measured,
and made of these products; first of vectors that are known, with noise as long as they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes

from bayesbias.embeddings.replicates import _resampled, _trainer
from scripts.check_trainings import GROUPS, SETTINGS, TRAITS, text

SENTENCES, TRAININGS, N_KNOWN = (1_000, 3_000, 10_000), 8, 336


def main() -> None:
    """Print a line of vectors that are known, and a line a text."""
    rng = np.random.default_rng(1)
    true = rng.normal(size=(N_KNOWN, 50)) + 0.5
    noisy = np.stack([true + rng.normal(size=true.shape) * true.std() for _ in range(TRAININGS)])
    told = [1 - cosines(true), 1 - np.mean([cosines(each) for each in noisy], axis=0)]
    told.append(1 - crossed(noisy))
    pairs = np.triu_indices(len(true), 1)
    print("known vectors: true {:.3f}, measured {:.3f}, crossed {:.3f}".format(
        *(each[pairs].mean() for each in told)
    ))  # fmt: skip
    print("| sentences | connection | measured | without noise | too far by |")
    print("|---|---|---|---|---|")
    for n_sentences in SENTENCES:
        documents = text(np.random.default_rng(n_sentences), n_sentences, 0.6)
        train = _trainer("word2vec", SETTINGS)
        found = []
        for seed in range(TRAININGS):
            own = _resampled(documents, np.random.default_rng([n_sentences, seed]))
            found.append(train(own, seed + 1))
        shared = sorted(set.intersection(*(set(each.index_to_key) for each in found)))
        stacked = np.stack([each[shared] for each in found]).astype(float)
        place = {word: at for at, word in enumerate(shared)}
        measured = 1 - np.mean([cosines(each) for each in stacked], axis=0)
        without = 1 - crossed(stacked)
        for name, same in (("associated", True), ("different", False)):
            rows = [
                (place[word], place[trait])
                for group, words in GROUPS.items()
                for other, traits in TRAITS.items()
                if (group == other) == same
                for word in words
                for trait in traits
                if word in place and trait in place
            ]
            at = tuple(np.transpose(rows))
            first, second = measured[at].mean(), without[at].mean()
            print(
                f"| {n_sentences:,} | {name} | {first:.3f} | {second:.3f} | {first - second:+.3f} |"
            )


def cosines(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines of all rows with all rows."""
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return unit @ unit.T


def crossed(stacked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cosines without the noise of single trainings, (n_words, n_words).

    Of (n_trainings, n_words, n_dims) the products of different trainings, rotated onto the first.
    """
    first = stacked[0]
    turned = np.stack(
        [first, *(each @ orthogonal_procrustes(each, first)[0] for each in stacked[1:])]
    )
    whole = turned.sum(axis=0)
    products = whole @ whole.T - np.einsum("rid,rjd->ij", turned, turned)
    length = np.sqrt(np.diag(products))
    return np.asarray(products / np.outer(length, length))


if __name__ == "__main__":
    main()
