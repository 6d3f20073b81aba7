"""CEAT: the meta-analysis in closed form, and its samples against WEAT of every choice."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from builders import refused
from scipy.stats import norm

import bayesbias as bb
from bayesbias.contextual import ContextualVectors, ceat, combine_effects, load_sentences
from bayesbias.contextual.sentences import natural_sentence

LISTS = {"X": ["x1", "x2"], "Y": ["y1", "y2"], "A": ["a"], "B": ["b"]}
WORDS = tuple(word for words in LISTS.values() for word in words)


def vectors_of(n_contexts: int) -> ContextualVectors:
    drawn = np.random.default_rng(1).standard_normal((len(WORDS), n_contexts, 4))
    contexts = tuple(f"sentence {at + 1}" for at in range(n_contexts))
    return ContextualVectors("toy", WORDS, contexts, drawn.astype("f4"), (), "word", 0)


def test_two_samples_of_one_variance_in_closed_form() -> None:
    """By hand: Q = (d1 - d2)²/2V, so that tau² = (d1 - d2)²/2 - V, or zero if that is negative."""
    far = combine_effects([0.2, 1.4], [0.09, 0.09])
    assert far.between_sd**2 == pytest.approx(1.2**2 / 2 - 0.09)
    assert far.effect_size == pytest.approx(0.8)
    assert far.standard_error == pytest.approx(np.sqrt((0.09 + far.between_sd**2) / 2))
    assert far.p_value == pytest.approx(2 * (1 - norm.cdf(0.8 / far.standard_error)))
    near = combine_effects([0.8, 0.9], [0.04, 0.16])  # no more apart than by chance
    assert near.between_sd == 0
    assert near.effect_size == pytest.approx((0.8 * 25 + 0.9 * 6.25) / 31.25)
    refused("as many variances as effects", combine_effects, [1.0, 2.0], [1.0])
    refused("variances positive", combine_effects, [1.0, 2.0], [1.0, 0.0])


def test_one_sentence_a_word_is_weat() -> None:
    vectors = vectors_of(1)
    expected = bb.scores.weat(vectors.in_context("sentence 1"), **LISTS).effect_size
    found = ceat(vectors, **LISTS, n_samples=7, seed=1)
    # Vectors of single precision.
    np.testing.assert_allclose(found.effects, expected, rtol=1e-5)
    assert found.effect_size == pytest.approx(expected, rel=1e-5)
    assert found.between_sd == 0


def test_samples_are_weat_of_one_sentence_a_word() -> None:
    """All 64 choices of one of two sentences, each by `scores.weat`; samples meet them all."""
    vectors = vectors_of(2)
    every = [
        bb.scores.weat(
            {word: vectors.vectors[at, pick[at]] for at, word in enumerate(WORDS)}, **LISTS
        ).effect_size
        for pick in product(range(2), repeat=len(WORDS))
    ]
    found = ceat(vectors, **LISTS, n_samples=2000, seed=1)
    apart = np.abs(found.effects[:, None] - np.array(every))
    assert apart.min(axis=1).max() < 1e-5  # single precision
    assert set(apart.argmin(axis=1)) == set(range(64))
    # Every choice as often as any other: four standard errors of a mean of 2,000.
    assert found.effects.mean() == pytest.approx(np.mean(every), abs=4 * np.std(every) / 2000**0.5)
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
