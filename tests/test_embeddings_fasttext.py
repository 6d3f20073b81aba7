"""Binary fastText models, which gensim reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bayesbias.embeddings.load import iter_vectors, load_vectors


@pytest.fixture(scope="module")
def fasttext_model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, object]:
    """A small model in the format of fastText's own program, as gensim writes it."""
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    sentences = [["king", "queen", "man"], ["queen", "woman", "king"]] * 5
    model = FastText(
        sentences, vector_size=8, min_count=1, workers=1, seed=1, bucket=50, min_n=2, max_n=3
    )
    path = tmp_path_factory.mktemp("fasttext") / "model.bin"
    save_facebook_model(model, str(path))
    return path, model.wv


def test_a_fasttext_model_is_read_through_gensim(fasttext_model: tuple[Path, object]) -> None:
    path, theirs = fasttext_model
    ours = load_vectors(path, ["king", "woman", "absent"])
    assert set(ours.index_to_key) == {"king", "woman"}
    # float32 sums of the same n-grams, once by the trained model and once by the one read back.
    np.testing.assert_allclose(ours["king"], theirs["king"], rtol=1e-5, atol=1e-8)
    assert sum(len(words) for words, _ in iter_vectors(path)) == 4
