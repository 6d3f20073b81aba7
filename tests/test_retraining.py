"""Several trainings on the same text."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import keyed, refused
from gensim.models.callbacks import CallbackAny2Vec
from gensim.utils import RULE_DISCARD
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


@pytest.mark.seconds
def test_trainings_of_one_text_are_a_model_of_their_own(documents: list[list[str]]) -> None:
    table = bb.retrain(
        documents, WORDLIST, 4, method="fasttext", seed=3, settings={**SETTINGS, "bucket": 1000}
    )
    post = bb.fit_many(table, draws=100, seed=1)
    assert list(bb.comparison.variance_shares(post)["part"]) == ["training"]
    refused("differences need two or more", bb.comparison.embedding_differences, post)


@pytest.mark.parametrize(
    "mark", ["\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_only_newlines_end_documents(tmp_path, monkeypatch, mark: str, encoding: str) -> None:
    """Keep the documents instead of training an embedding."""
    seen: list[list[list[str]]] = []

    def train(texts: list[list[str]], **_: object) -> SimpleNamespace:
        seen.append(texts)
        rows = np.random.default_rng(1).standard_normal((len(WORDLIST.words), 5))
        return SimpleNamespace(wv=keyed(WORDLIST.words, rows))

    monkeypatch.setattr("gensim.models.Word2Vec", train)
    monkeypatch.setenv("HOME", str(tmp_path))
    text = f"x0{mark}a b\r\n\n c\td \ne\rf"
    (tmp_path / "text.txt").write_bytes(text.encode(encoding))
    for path in (tmp_path / "text.txt", "~/text.txt"):
        bb.retrain(path, WORDLIST, 2, seed=1)
        assert seen[-1] == [["x0", "a", "b"], ["c", "d"], ["e"], ["f"]]


DOCUMENTS: list[tuple[object, str]] = [
    (None, "documents must be"),
    (3, "documents must be"),
    (b"a b", "documents must be"),
    (["he came", "she went"], r"documents\[0\] must be a list of words.*text.split"),
    ([["he", "came"], "she went"], r"documents\[1\] must be a list of words"),
    ([["he", 3]], r"the words of documents\[0\] must be text"),
    ({"text": ["he"]}, r"documents\[0\] must be a list of words"),
    ([1, 2], r"documents\[0\] must be a list of words"),
    ([[], ()], "no documents"),
]


@pytest.mark.parametrize(("given", "told"), DOCUMENTS)
def test_documents_that_are_refused(given: object, told: str) -> None:
    refused(told, bb.retrain, given, WORDLIST, 2, error=(TypeError, ValueError))


def test_a_file_that_is_not_utf8_is_named(tmp_path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("café x0\n".encode("latin-1"))
    refused(r"latin\.txt.*UTF-8", bb.retrain, path, WORDLIST, 2)
    refused("none.txt", bb.retrain, tmp_path / "none.txt", WORDLIST, 2, error=FileNotFoundError)


BAD_SETTINGS: list[tuple[object, str]] = [
    ({"seed": 3}, "'seed'.*bb.retrain"),
    ({"workers": 3}, "'workers'.*one thread"),
    ({"sentences": [["a"]]}, "'sentences'"),
    ({"corpus_file": "a.txt"}, "'corpus_file'"),
    ({"zz": 3}, "unknown setting of fasttext 'zz'"),
    ({"vector_sizes": 3}, "did you mean 'vector_size'"),
    ({"comment": "mine"}, "unknown setting of fasttext 'comment'"),  # only of word2vec
    ({"word_ngrams": 2}, "'word_ngrams' must be a number up to 1"),
    ({"min_count": 5000, "bucket": 9}, "often enough.*min_count"),
    ({"max_final_vocab": 0, "bucket": 9}, "often enough"),
    ({"min_count": "1"}, "'min_count' must be a number"),
    ({"max_vocab_size": "5"}, "'max_vocab_size' must be a"),
    ({"alpha": None}, "'alpha' must be a number"),
    ({"window": 0}, "'window' must be a number, 1 or more"),  # gensim would never end
    ({"epochs": 0}, "'epochs' must be a whole number, 1 or more"),
    ({"epochs": 2.5}, "'epochs' must be a whole number"),
    ({"vector_size": "100"}, "'vector_size' must be a whole number, 2 or more"),
    ({"alpha": float("nan")}, "'alpha' must be a number"),
    ({"bucket": -1}, "'bucket' must be a whole number"),
    ([("sg", 1)], "settings must be a dict"),
]


@pytest.mark.parametrize(("settings", "told"), BAD_SETTINGS)
def test_settings_that_are_refused(documents, settings: object, told: str) -> None:
    refused(told, bb.retrain, documents, WORDLIST, 2, method="fasttext", settings=settings)


def test_settings_of_every_type_are_used(documents) -> None:
    """Any setting at gensim's own default changes nothing."""
    how: dict[str, Any] = {"n": 2, "seed": 1, "settings": SETTINGS}
    more = {"hs": False, "alpha": 0.025, "max_final_vocab": 60.0, "shrink_windows": True}
    more |= {"negative": np.int64(5), "ns_exponent": 0.75, "sample": 1e-3}
    table = bb.retrain(documents, WORDLIST, **how)
    more |= {"trim_rule": None, "callbacks": [], "hashfxn": hash, "comment": "mine"}
    more |= {"max_vocab_size": 1e6, "sg": True, "window": 3.0, "epochs": 3.0}
    how["settings"] = SETTINGS | more
    pd.testing.assert_frame_equal(table, bb.retrain(documents, WORDLIST, **how))  # type: ignore[arg-type]
    how |= {"method": "fasttext", "settings": SETTINGS | {"bucket": 100}}
    table = bb.retrain(documents, WORDLIST, **how)
    how["settings"] = SETTINGS | {"bucket": 100, "word_ngrams": 1, "negative": 5.0, "min_n": 3.0}
    pd.testing.assert_frame_equal(table, bb.retrain(documents, WORDLIST, **how))  # type: ignore[arg-type]


def test_an_error_in_a_function_of_the_caller_is_raised(documents) -> None:
    class Stops(CallbackAny2Vec):
        def on_epoch_end(self, model: object) -> None:
            fail(model)

    def fail(*_: object) -> None:
        raise RuntimeError("my own")

    for own in ({"trim_rule": fail}, {"callbacks": [Stops()]}):
        refused("my own", retrained, documents, own, error=RuntimeError)
    refused("often enough", retrained, documents, {"trim_rule": lambda *_: RULE_DISCARD})


def retrained(documents: list[list[str]], settings: dict[str, Any]) -> None:
    bb.retrain(documents, WORDLIST, 2, settings=SETTINGS | settings)


def test_wrong_input_is_refused() -> None:
    for n in (1, 1000, True, 2.5, "5"):
        refused("n must be from 2 to 100", bb.retrain, [["x0"]], WORDLIST, n)
    refused("unknown training method 'glove'", bb.retrain, [["x0"]], WORDLIST, method="glove")
    refused("no documents", bb.retrain, [], WORDLIST)
    refused("bootstrap must be True or False", bb.retrain, [["x0"]], WORDLIST, bootstrap="no")
