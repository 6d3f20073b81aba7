"""Several trainings on the same text."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from builders import keyed, refused
from test_comparison_many import list_of

import bayesbias as bb

WORDLIST = list_of("toy", "xy", "")
SETTINGS = {"vector_size": 20, "epochs": 3, "min_count": 1, "window": 3, "sg": 1}


@pytest.fixture(scope="module")
def documents() -> list[list[str]]:
    """Return short documents in which a word is next to stereotypes of its group."""
    rng = np.random.default_rng(1)
    found = []
    for group in "xy" * 200:
        words = [f"{group}{rng.integers(3)}", *(f"{group}_{i}" for i in rng.integers(4, size=2))]
        found.append([*words, *(f"w{i}" for i in rng.integers(30, size=4))])
    return found


def test_equal_seeds_give_equal_tables_and_trainings_differ(documents, tmp_path) -> None:
    given = {"n": 3, "seed": 1, "settings": SETTINGS, "embedding": "news"}
    table = bb.retrain(documents, WORDLIST, **given)  # type: ignore[arg-type]
    path = tmp_path / "text.txt"
    path.write_text("\n".join(map(" ".join, documents)) + "\n\n", encoding="utf-8")
    again = bb.retrain(path, WORDLIST, **given)  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(table, again)
    keys = ["embedding", "protected_word", "attribute"]
    wide = table.pivot(index=keys, columns="replicate", values="cosine_distance")
    assert list(wide.columns) == ["1", "2", "3"]
    assert (wide.std(axis=1) > 0).all()


def test_every_training_gets_its_own_bootstrapped_documents(monkeypatch, documents) -> None:
    """Count the documents instead of training an embedding."""
    seen: list[int] = []

    def train(texts: list[list[str]], **_: object) -> SimpleNamespace:
        seen.append(len({id(words) for words in texts}))
        rows = np.random.default_rng(len(seen)).standard_normal((len(WORDLIST.words), 5))
        return SimpleNamespace(wv=keyed(WORDLIST.words, rows))

    monkeypatch.setattr("gensim.models.Word2Vec", train)
    bb.retrain(documents, WORDLIST, 5, seed=1)
    bb.retrain(documents, WORDLIST, 5, bootstrap=True, seed=1)
    assert seen[:5] == [400] * 5
    # Expect 1 - 1/e of 400 documents, which is 253, with an sd of 6 (occupied cells).
    assert all(abs(n - 253) < 30 for n in seen[5:])
    assert len(set(seen[5:])) > 1


def test_trainings_of_one_text_are_a_model_of_their_own(documents: list[list[str]]) -> None:
    table = bb.retrain(
        documents, WORDLIST, 4, method="fasttext", seed=3, settings={**SETTINGS, "bucket": 1000}
    )
    post = bb.fit_many(table, draws=100, seed=1)
    assert list(bb.comparison.variance_shares(post)["part"]) == ["training"]
    refused("differences need two or more", bb.comparison.embedding_differences, post)


def test_wrong_input_is_refused() -> None:
    for n in (1, 1000, True, 2.5, "5"):
        refused("n must be from 2 to 100", bb.retrain, [["x0"]], WORDLIST, n)
    refused("unknown training method 'glove'", bb.retrain, [["x0"]], WORDLIST, method="glove")
    refused("no documents", bb.retrain, [], WORDLIST)
