"""CEAT: the meta-analysis in closed form, and its samples against WEAT of every choice."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from scipy.stats import norm

import bayesbias as bb
from bayesbias.contextual import ContextualVectors, ceat, load_sentences
from bayesbias.contextual.sentences import natural_sentence

LISTS = {"X": ["x1", "x2"], "Y": ["y1", "y2"], "A": ["a"], "B": ["b"]}
WORDS = tuple(word for words in LISTS.values() for word in words)


def vectors_of(n_contexts: int) -> ContextualVectors:
    drawn = np.random.default_rng(1).standard_normal((len(WORDS), n_contexts, 4))
    contexts = tuple(f"sentence {at + 1}" for at in range(n_contexts))
    return ContextualVectors("toy", WORDS, contexts, drawn.astype("f4"), (), "word", 0)


def test_one_sentence_a_word_is_weat() -> None:
    vectors = vectors_of(1)
    expected = bb.scores.weat(vectors.in_context("sentence 1"), **LISTS).effect_size
    found = ceat(vectors, **LISTS, n_samples=7, seed=1)
    # Vectors of single precision.
    np.testing.assert_allclose(found.effects, expected, rtol=1e-5)
    assert found.effect_size == pytest.approx(expected, rel=1e-5)
    assert found.between_sd == 0


def test_samples_are_weat_of_one_sentence_a_word_and_combined_as_published() -> None:
    """All 64 choices of one of two sentences, each by `scores.weat`; samples meet them all.

    The samples are combined by DerSimonian and Laird's formulas (1986), written out.
    """
    vectors = vectors_of(2)
    every = [
        bb.scores.weat(
            {word: vectors.vectors[at, pick[at]] for at, word in enumerate(WORDS)}, **LISTS
        )
        for pick in product(range(2), repeat=len(WORDS))
    ]
    effects = np.array([each.effect_size for each in every])
    found = ceat(vectors, **LISTS, n_samples=2000, seed=1)
    distance = np.abs(found.effects[:, None] - effects)
    assert distance.min(axis=1).max() < 1e-5  # single precision
    chosen = distance.argmin(axis=1)
    assert set(chosen) == set(range(64))
    # Every choice as often as any other: four standard errors of a mean of 2,000.
    assert found.effects.mean() == pytest.approx(effects.mean(), abs=4 * effects.std() / 2000**0.5)
    variance = np.array([each.association.var(ddof=1) for each in every])[chosen]
    w, d = 1 / variance, effects[chosen]
    q = sum(w * (d - sum(w * d) / sum(w)) ** 2)
    between = max(0.0, (q - 1999) / (sum(w) - sum(w**2) / sum(w)))
    v = 1 / (variance + between)
    assert found.between_sd == pytest.approx(np.sqrt(between), rel=1e-4)
    assert found.effect_size == pytest.approx(sum(v * d) / sum(v), rel=1e-4)
    assert found.standard_error == pytest.approx(sum(v) ** -0.5, rel=1e-4)
    p_value = 2 * norm.sf(abs(found.effect_size) / found.standard_error)
    assert found.p_value == pytest.approx(p_value)
    refused("no word of X has vectors: z", ceat, vectors, ["z"], *list(LISTS.values())[1:])


def test_sentences_of_words_are_read_and_words_found_in_them(tmp_path: Path) -> None:
    path = tmp_path / "sentences.csv"
    path.write_text('word,sentence\nnurse,"Nurses rest, a Nurse said."\nnurse,The nurse left.\n')
    sentences = load_sentences(path)
    assert sentences == {"nurse": ["Nurses rest, a Nurse said.", "The nurse left."]}
    found = natural_sentence(sentences["nurse"][0], "nurse")
    assert found.text[found.start : found.stop] == "Nurse"
    path.write_text("word,sentence\nnurse,Nurses left.\n")
    refused("'nurse' does not stand in its sentence 'Nurses left.'", load_sentences, path)
    path.write_text("word,text\nnurse,The nurse left.\n")
    refused(r"lacks the column\(s\) sentence", load_sentences, path)
