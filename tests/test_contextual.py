"""Words in contexts: first without an encoder, then with one if torch is installed."""

import json
import shutil
import unicodedata
from dataclasses import replace
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused
from model_toys import GEMMA3, SMALL, byte_level, made_model
from pandas.testing import assert_frame_equal
from scipy.spatial.distance import cosine
from scipy.stats import norm

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.contextual import (
    ContextualVectors,
    ceat,
    contextual_table,
    contextual_vectors,
    load_encoder,
    load_sentences,
    load_templates,
    seat,
)
from bayesbias.contextual.sentences import natural_sentence, sentence
from bayesbias.warnings import EmptyVectors, SameSpellings, WordsInTwoRoles
from bayesbias.workflows.settings import Settings
from bayesbias.workflows.wordlist import analyze_lists

CONTEXTS = ("This is {}.", "{} is here.", "They are {}.")


@pytest.fixture(scope="module")
def words() -> bb.WordList:
    return bb.WordList(
        name="toy",
        groups={"man": ("he", "son", "uncle"), "woman": ("she", "daughter", "aunt")},
        stereotypes={"man": ("soldier", "rancher", "pilot"), "woman": ("nurse", "maid")},
        controls={"neutral": ("clock", "park"), "human": ("walk", "speak")},
    )


@pytest.fixture(scope="module")
def made(words: bb.WordList) -> ContextualVectors:
    """Return random vectors with a separate direction for each context, and one missing word."""
    rng = np.random.default_rng(1)
    known = tuple(word for word in words.words if word != "uncle")
    own, shift = rng.normal(size=(len(known), 1, 8)), rng.normal(size=(1, len(CONTEXTS), 8))
    noise = 0.3 * rng.normal(size=(len(known), len(CONTEXTS), 8))
    vectors = (own + shift + noise).astype(np.float32)
    return ContextualVectors("made", known, CONTEXTS, vectors, ("uncle",), "word", 6)


def test_arrays_of_occurrences_give_the_table_of_vectors(made, words) -> None:
    arrays = dict(zip(made.words, made.vectors, strict=True))
    arrays["he"] = np.concatenate([arrays["he"], arrays["he"]])  # more occurrences
    one, other = contextual_table(arrays, words), contextual_table(made, words)
    np.testing.assert_array_equal(one["cosine_distance"], other["cosine_distance"])
    assert set(one["context"]) == {f"occurrence {i + 1}" for i in range(len(CONTEXTS))}
    refused(r"n_occurrences, n_dims\)", contextual_table, arrays | {"she": np.zeros(8)}, words)
    frames = {w: pd.DataFrame(a) for w, a in arrays.items()}
    frames["she"] = frames["she"].iloc[:, ::-1]
    refused("she have different labels", contextual_table, frames, words)


def test_templates_and_sentences_and_the_words_in_them(tmp_path: Path, monkeypatch) -> None:
    for name in ("bleached", "seat-names"):
        assert [text.count("{}") for text in load_templates(name)] == [1] * 8
    path = tmp_path / "mine.toml"
    path.write_text('title = "t"\ntemplates = ["See {}!", "{} it is."]\n', encoding="utf-8")
    assert load_templates(path) == load_templates(["See {}!", "{} it is."])
    assert sentence("{} is here.", "rabbi") == ("Rabbi is here.", 0, 5)
    for text, word in (
        ("{} is here.", "ßtraße"),
        ("ßo {} is here.", "he"),
        ("{}", "ŉ"),
        ("{}.", "éa"),
    ):
        found = sentence(text, word)
        assert found.text[found.start : found.stop].lower() == word
    assert sentence("This is {}.", "is") == ("This is is.", 8, 10)  # not the verb
    path = tmp_path / "sentences.csv"
    path.write_text('word,sentence\nnurse,"Nurses rest, a Nurse said."\nnurse,The nurse left.\n')
    sentences = load_sentences(path)
    assert sentences == {"nurse": ["Nurses rest, a Nurse said.", "The nurse left."]}
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_sentences("~/sentences.csv") == sentences
    found = natural_sentence(sentences["nurse"][0], "nurse")
    assert found.text[found.start : found.stop] == "Nurse"


@pytest.mark.parametrize(("word", "start"), [("Will", 18), ("will", 4), ("WILL", 4)])
def test_an_exact_spelling_comes_first(word: str, start: int) -> None:
    assert natural_sentence("She will say that Will is here.", word)[1:] == (start, start + 4)


def test_a_word_does_not_end_before_its_accent_or_vowel_sign() -> None:
    assert natural_sentence("यह कमी है और कम है", "कम")[1:] == (13, 15)
    text = unicodedata.normalize("NFD", "The café near the cafe.")
    assert natural_sentence(text, "cafe")[1:] == (19, 23)
    assert natural_sentence(text, "café")[1:] == (4, 9)
    refused("is not in its sentence", natural_sentence, "वह हिन्दी बोलता है", "हिन्द")


@pytest.mark.parametrize(
    ("before", "word", "after"),
    [
        ("I ", "❤", "\ufe0f it"),
        ("Cats \u2764\ufe0f", "cat", "."),
        ("هذا ", "كتاب", "\u064c جديد"),  # an optional case vowel
        ("a ", "rabbi", "\u200d"),
        ("", "می", "\u200c است"),
    ],
)
def test_marks_and_joiners_may_stand_next_to_a_word(before, word, after) -> None:
    text = before + word + after
    assert natural_sentence(text, word)[1:] == (len(before), len(before + word))


def test_what_is_refused(tmp_path, toy_table, monkeypatch) -> None:
    unlike, other = tmp_path / "unlike.csv", tmp_path / "other.csv"
    unlike.write_text("word,sentence\nnurse,Nurses left.\n")
    other.write_text("word,text\nnurse,The nurse left.\n")
    monkeypatch.setattr("bayesbias._core.checks.find_spec", lambda name: None)
    alone, few = toy_table.assign(context="here"), toy_table.assign(context="a")
    few.loc[3, "context"] = None
    for match, call, *arguments in (
        ("exactly one place", load_templates, ["This is it."]),
        ("templates are the same", load_templates, ["A {}.", "A {}."]),
        ("'nurse' is not in its sentence 'Nurses left.'", load_sentences, unlike),
        (r"is missing columns: sentence", load_sentences, other),
        (r"pip install 'bayesbias\[mlm\]'", contextual_vectors, "anything", ["he"]),
        ("words must be text; got 1", contextual_vectors, "anything", ["he", 1]),
        ("'contextual' has context effects", bb.fit, toy_table, "contextual"),
        ("measure distances in two or more contexts", bb.build_model, alone, "contextual"),
        ("row 3 has an empty context", bb.fit, few, "crossed"),
    ):
        refused(match, call, *arguments, error=(ValueError, OSError, ImportError, TypeError))


def test_models_without_context_effects_do_not_see_contexts(toy_table: pd.DataFrame) -> None:
    dealt = toy_table.assign(context=np.resize(CONTEXTS, len(toy_table)))
    first, second = (bb.fit(each, "crossed", draws=50, seed=1) for each in (dealt, toy_table))
    assert first["posterior"].to_dataset().identical(second["posterior"].to_dataset())


def test_every_pair_stands_in_one_context_and_contexts_are_even(made, words) -> None:
    keys = ["protected_word", "attribute", "context"]
    by = {context: made.in_context(context) for context in CONTEXTS}
    turns = [contextual_table(made, words, turn=turn) for turn in range(3)]
    for table in turns:
        assert not table.duplicated(keys[:2]).any()
        assert len(table) == 5 * 9
        assert "uncle" not in set(table["protected_word"])
        for of in keys[:2]:  # 9 attributes per word: 3 per context; 5 words per attribute: 1 or 2
            counts = pd.crosstab(table[of], table["context"])
            assert (counts.max(axis=1) - counts.min(axis=1)).max() <= 1
    assert_frame_equal(contextual_table(made, words, turn=3 * 10**30 + 1), turns[1])
    for turn in (1.5, "a", None):
        refused("turn must be a whole number", contextual_table, made, words, turn=turn)
    together = pd.concat(turns)
    assert not together.duplicated(keys).any()
    expected = [
        cosine(by[row.context][row.protected_word], by[row.context][row.attribute])
        for row in together.itertuples()
    ]
    np.testing.assert_allclose(together["cosine_distance"], expected, atol=1e-6)  # single precision


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.EmptyVectors")
@pytest.mark.parametrize(
    ("word", "place", "partners"),
    [("he", 0, 9), ("son", 1, 9), ("aunt", 2, 9), ("soldier", 0, 5), ("maid", 1, 5)],
)
def test_a_word_without_a_vector_in_one_context_loses_only_pairs_there(
    made, words, word, place, partners
) -> None:
    vectors = made.vectors.copy()
    vectors[made.words.index(word), place] = 0
    table = contextual_table(replace(made, vectors=vectors), words)
    keys = ["protected_word", "attribute"]
    assert not table.duplicated(keys).any()
    whole = product(
        ("he", "son", "she", "daughter", "aunt"),
        chain(*words.stereotypes.values(), *words.controls.values()),
    )
    lost = {*whole} - {*table[keys].itertuples(index=False, name=None)}
    assert all(word in pair for pair in lost)
    assert len(lost) in {partners // 3, -(-partners // 3)}  # one of three contexts


@pytest.mark.seconds
def test_a_contextual_table_goes_all_the_way(made: ContextualVectors, words: bb.WordList) -> None:
    few = {"templates": "bleached", "draws": 100, "chains": 2, "seed": 1}
    settings = Settings(vectors="/models/made", models=("contextual",), **few)
    (found,) = analyze_lists(made, [words], settings)
    assert found.missing["word"].tolist() == ["uncle"]
    assert "context_sd" in set(found.lead["scales"]["parameter"])
    other = replace(made, vectors=made.vectors[:, ::-1])
    assert analyze_lists(other, [words], settings)[0].found.hashes != found.found.hashes


def test_seat_is_weat_of_sentences(made: ContextualVectors, words: bb.WordList) -> None:
    lists = [["he", "son"], ["she", "aunt"], ["soldier", "rancher"], ["nurse", "maid"]]
    found = seat(made, *lists)
    keys = [f"{word} {context}" for word in made.words for context in CONTEXTS]
    held = dict(zip(keys, made.vectors.reshape(-1, 8), strict=True))
    sentences = [[f"{word} {context}" for word in each for context in CONTEXTS] for each in lists]
    assert found.effect_size == pytest.approx(bb.scores.weat(held, *sentences).effect_size)
    for context, value in found.by_context.items():
        one = bb.scores.weat(made.in_context(context), *lists)
        assert value == pytest.approx(one.effect_size)
    assert seat(made, ["he", "uncle"], *lists[1:]).missing == ("uncle",)
    refused(r"no word in X is in the embedding \(uncle\)", seat, made, ["uncle"], *lists[1:])


@pytest.mark.parametrize("empty", [0, np.nan])
@pytest.mark.parametrize("place", range(len(CONTEXTS)))
def test_a_word_without_a_vector_in_any_context_is_left_out(made, place, empty) -> None:
    lists = [["he", "son"], ["she", "aunt"], ["soldier", "rancher"], ["nurse", "maid", "pilot"]]
    vectors = made.vectors.copy()
    vectors[made.words.index("maid"), place] = empty
    less = replace(made, vectors=vectors)
    without = [*lists[:3], ["nurse", "pilot"]]
    for score in (seat, partial(ceat, n_samples=30, seed=1)):
        with pytest.warns(EmptyVectors) as told:
            found = score(less, *lists)
        assert told[0].message.words == ("maid",)
        assert found.effect_size == score(made, *without).effect_size
        with pytest.warns(EmptyVectors):
            refused(r"no word in B .*\(maid\)", score, less, *lists[:3], ["maid"])


def test_spellings_with_the_same_tokens_are_one_word(made, words: bb.WordList) -> None:
    """As for static vectors; `forms` decides."""
    added = {"He": "he", "Nurse": "nurse", "AUNT": "aunt"}
    rows = np.random.default_rng(2).normal(size=(3, *made.vectors.shape[1:])).astype(np.float32)
    forms = (*made.words, *added.values())
    vectors = np.concatenate([made.vectors, rows])
    wider = replace(made, words=(*made.words, *added), vectors=vectors, forms=forms)
    sets = dict(words.stereotypes) | {"woman": (*words.stereotypes["woman"], "Nurse", "AUNT")}
    spelled = replace(
        words, stereotypes=sets, controls={**words.controls, "neutral": ("He", "park")}
    )
    with pytest.warns(SameSpellings) as told, pytest.warns(WordsInTwoRoles):
        table = contextual_table(wider, spelled)
    assert dict(told[0].message.spellings) == added
    sets["woman"] = (*words.stereotypes["woman"], "aunt")
    plain = replace(
        spelled, stereotypes=sets, controls={**words.controls, "neutral": ("he", "park")}
    )
    with pytest.warns(WordsInTwoRoles):
        assert_frame_equal(table, contextual_table(made, plain))
    lists = [["he", "son"], ["she", "aunt"], ["soldier", "rancher"], ["nurse", "maid"]]
    for score in (seat, partial(ceat, n_samples=30, seed=1)):
        refused(r"X and Y share AUNT \(as aunt\)", score, wider, ["he", "AUNT"], *lists[1:])
        with pytest.warns(SameSpellings):
            twice = score(wider, *lists[:3], ["nurse", "maid", "Nurse"])
        assert twice.effect_size == score(wider, *lists).effect_size


def test_scores_take_the_mappings_that_tables_take(made: ContextualVectors) -> None:
    lists = [["he", "son"], ["she", "aunt"], ["soldier", "rancher"], ["nurse", "maid"]]
    arrays = dict(zip(made.words, made.vectors, strict=True))
    found, same = seat(arrays, *lists), seat(made, *lists)
    assert found.effect_size == same.effect_size
    assert [*found.by_context.values()] == [*same.by_context.values()]
    of_both = [ceat(each, *lists, n_samples=30, seed=1).effect_size for each in (arrays, made)]
    assert of_both[0] == of_both[1]
    for score in (seat, ceat):
        flat = {word: rows[0] for word, rows in arrays.items()}
        refused("array for every word", score, flat, *lists)
        refused("or a mapping of words", score, [1.0], *lists, error=TypeError)


LISTS = {"X": ["x1", "x2"], "Y": ["y1", "y2"], "A": ["a"], "B": ["b"]}
LISTED = tuple(word for words in LISTS.values() for word in words)


def test_samples_are_weat_of_one_sentence_a_word_and_combined_as_published() -> None:
    """Compare with `scores.weat` on all 64 choices of one of two sentences, which all occur."""
    drawn = np.random.default_rng(1).standard_normal((len(LISTED), 2, 4)).astype("f4")
    vectors = ContextualVectors("toy", LISTED, ("one", "two"), drawn, (), "word", 0)
    picks = product(range(2), repeat=len(LISTED))
    rows = [{w: drawn[at, pick[at]] for at, w in enumerate(LISTED)} for pick in picks]
    every = [bb.scores.weat(each, **LISTS) for each in rows]
    effects = np.array([each.effect_size for each in every])
    found = ceat(vectors, **LISTS, n_samples=2000, seed=1)
    distance = np.abs(found.effects[:, None] - effects)
    assert distance.min(axis=1).max() < 1e-5  # single precision
    chosen = distance.argmin(axis=1)
    assert set(chosen) == set(range(64))
    # Every choice is equally frequent, within four standard errors of a mean of 2,000.
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
    x, *others = LISTS.values()
    refused(r"no word in X is in the embedding \(z\)", ceat, vectors, ["z"], *others)
    for score in (ceat, seat):
        refused("X contains x1 more than once", score, vectors, [*x, "x1"], *others)
        refused("X and Y share x1", score, vectors, x, x, *others[1:])
        refused("must be a list of words", score, vectors, "x1", *others, error=TypeError)


WORDS = ["he", "daughter", "hairdresser", "uneducated", "supercalifragilistic"]


@pytest.fixture(scope="module")
def mini(models: Path) -> object:
    return load_encoder(models / "all-MiniLM-L6-v2")


@pytest.mark.mlm
def test_vectors_are_those_of_one_sentence_at_a_time(mini) -> None:
    import torch

    template, word = "{} is here.", "uneducated"
    ids = mini.tokenizer("Uneducated is here.", return_tensors="pt")
    pieces = mini.tokenizer.convert_ids_to_tokens(ids["input_ids"][0])
    assert pieces == ["[CLS]", "une", "##du", "##cated", "is", "here", ".", "[SEP]"]
    with torch.inference_mode():
        states = mini.network(**ids, output_hidden_states=True).hidden_states
    for layer in (0, 3, -1):
        by_hand = states[layer][0, 1:4].mean(dim=0).numpy()
        found = contextual_vectors(mini, [word, *WORDS], [template], layer=layer)
        np.testing.assert_allclose(found.vectors[0, 0], by_hand, atol=1e-5)
    for pooling, at in (("cls", 0), ("last", -1)):
        found = contextual_vectors(mini, [word, *WORDS], [template], pooling=pooling)
        np.testing.assert_allclose(found.vectors[0, 0], states[-1][0, at].numpy(), atol=1e-5)
    by_hand = states[-1][0].mean(dim=0).numpy()  # as in 1_Pooling/config.json
    found = contextual_vectors(mini, [word, *WORDS], [template], pooling="sentence")
    np.testing.assert_allclose(found.vectors[0, 0], by_hand, atol=1e-5)
    # Batches, padding, and order do not matter.
    for pooling in ("word", "sentence", "cls", "last"):
        whole = contextual_vectors(mini, WORDS, pooling=pooling).vectors
        turned = contextual_vectors(mini, WORDS[::-1], pooling=pooling, batch_size=1).vectors
        # Single-precision rounding depends on shapes: about 1e-6 for values up to 3.
        np.testing.assert_allclose(whole, turned[::-1], atol=1e-5)


@pytest.mark.mlm
def test_a_tokenizer_without_case_and_accents_has_one_form_of_a_word(mini) -> None:
    words = ["Polish", "polish", "café", "cafe", "José Maria", "jose maria", "shoe"]
    found = contextual_vectors(mini, words, ["This is {}.", "{} is here."])
    assert found.forms == ("Polish", "Polish", "café", "café", "José Maria", "José Maria", "shoe")


@pytest.mark.mlm
def test_words_are_one_word_where_their_vectors_are_the_same(mini, tmp_path) -> None:
    sentences = {
        "Polish": ["The Polish left.", "A Polish cafe."],
        "polish": ["The polish left.", "A shoe polish."],
        "POLISH": ["the POLISH left.", "a polish cafe."],
        "cafe": ["A cafe, a café.", "A cafe."],
        "café": ["A cafe, a café.", "A café."],
    }
    found = contextual_vectors(mini, sentences, sentences)
    assert found.forms == ("Polish", "polish", "Polish", "cafe", "café")
    first = contextual_vectors(mini, sentences, {w: each[:1] for w, each in sentences.items()})
    assert first.forms == ("Polish", "Polish", "Polish", "cafe", "café")
    same = [np.allclose(first.vectors[0], rows, atol=1e-5) for rows in first.vectors]
    assert same == [True, True, True, False, False]
    assert not np.allclose(first.vectors[3], first.vectors[4], atol=1e-2)  # other places
    size = {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 64}
    cased = load_encoder(made_model(tmp_path, byte_level(), "GPT2", "Model", **size))
    both = contextual_vectors(cased, ["John", "john"], {"John": ["So John"], "john": ["So John"]})
    assert both.forms == ("John", "John")  # a sentence's word is found in any case
    both = contextual_vectors(cased, ["John", "john"], ["So {}"])
    assert both.forms == ("John", "john")


MIXING = {
    "ConvBert": {**SMALL, "embedding_size": 32, "conv_kernel_size": 5},
    "FNet": SMALL,
    "Funnel": {"block_sizes": [1, 1], "d_model": 32, "n_head": 2, "d_head": 16},
    "MobileBert": {**SMALL, "embedding_size": 16, "intra_bottleneck_size": 32},
    "Nystromformer": {**SMALL, "num_landmarks": 4, "segment_means_seq_len": 4},
    "Yoso": SMALL,
    "GPT2": {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 40},
    "Gemma3": GEMMA3,
}
"""Encoders that mix tokens by other means than attention, have positions, or read images."""


@pytest.mark.mlm
@pytest.mark.filterwarnings("ignore::bayesbias.warnings.ContextIgnored")
@pytest.mark.parametrize("name", MIXING)
def test_vectors_do_not_depend_on_the_other_sentences_of_a_batch(name, tmp_path) -> None:
    """Compare with one sentence at a time, without padding, even if a tokenizer pads on the left.

    Funnel merges tokens in its second block.
    """
    import torch

    encoder = load_encoder(made_model(tmp_path, byte_level(), name, "Model", **MIXING[name]))
    encoder.tokenizer.padding_side = "left"
    words, templates, layer = ["John", "kind and tall", "old"], ["very {}", "John is {}"], 1
    found = {
        pooling: contextual_vectors(encoder, words, templates, layer=layer, pooling=pooling).vectors
        for pooling in ("word", "sentence", "cls", "last")
    }
    for (i, word), (j, template) in product(enumerate(words), enumerate(templates)):
        text = sentence(template, word).text
        ids = torch.tensor([encoder.tokenizer(text)["input_ids"]])
        with torch.inference_mode():
            states = encoder.network(ids, output_hidden_states=True).hidden_states[layer][0].numpy()
        # The last piece ends the sentence.
        n_before = len(encoder.tokenizer(text[: text.rindex(word)].strip())["input_ids"]) - 1
        expected = {"word": states[n_before:-1].mean(axis=0), "sentence": states.mean(axis=0)}
        expected |= {"cls": states[0], "last": states[-1]}
        for pooling, vector in expected.items():
            # Single precision, and values up to about 10.
            np.testing.assert_allclose(found[pooling][i, j], vector, rtol=1e-4, atol=1e-4)
    if name == "Funnel":
        refused("merges tokens before layer 2", contextual_vectors, encoder, words, templates)


@pytest.mark.mlm
def test_a_causal_encoder_that_has_read_nothing_yet(tmp_path: Path) -> None:
    size = {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 64}
    made_model(tmp_path, byte_level(), "GPT2", "Model", **size)
    templates = ["{} is here.", "{} is there.", "This is {}."]
    with pytest.warns(bb.warnings.ContextIgnored) as told:
        vectors = contextual_vectors(tmp_path, ["John"], templates).vectors[0]
    assert told[0].message.templates == tuple(templates[:2])
    np.testing.assert_array_equal(vectors[0], vectors[1])
    last = contextual_vectors(tmp_path, ["John"], templates, pooling="last").vectors[0]
    assert not np.allclose(last[0], last[1])
    with pytest.warns(bb.warnings.ContextIgnored):
        contextual_vectors(tmp_path, ["John"], ["This is {}."], pooling="cls")


@pytest.mark.mlm
def test_padding_may_be_any_token(tmp_path: Path) -> None:
    tokenizer, found = byte_level(), []
    for name in ("usual", "none"):
        place = made_model(tmp_path / name, tokenizer, "Bert", "Model", **SMALL)
        found.append(contextual_vectors(place, ["John", "kind and tall"], ["{} is", "is {}"]))
        tokenizer.pad_token = tokenizer.eos_token = None
    # Single precision, and values up to about 10.
    np.testing.assert_allclose(found[1].vectors, found[0].vectors, rtol=1e-4, atol=1e-4)


OLD = "pooling_mode_cls_token"
"""A setting of sentence-transformers before version 5.4."""


@pytest.mark.mlm
def test_models_of_the_hub_are_pooled_as_in_folders(tmp_path: Path, monkeypatch) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    hub, revision = tmp_path / "models--me--mine", "a" * 40
    folder = made_model(hub / "snapshots" / revision, byte_level(), "Bert", "Model", **SMALL)
    (hub / "refs").mkdir()
    (hub / "refs" / "main").write_text(revision)
    places, modules = ("me/mine", folder), folder / "modules.json"
    assert {load_encoder(place).sentence_pooling for place in places} == {"mean"}
    (folder / "1_Pooling").mkdir()
    modules.write_text(json.dumps([{"path": ""}, {"path": "1_Pooling"}, {"path": "2_Normalize"}]))
    for place in places:
        refused("has no 1_Pooling/config.json", load_encoder, place)
    pooling = folder / "1_Pooling" / "config.json"
    for settings, wanted in (
        ({OLD: True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode": "mean", "include_prompt": True}, "mean"),
        ({"pooling_mode": ["cls"]}, "cls"),
    ):
        pooling.write_text(json.dumps({"embedding_dimension": 32} | settings))
        assert {load_encoder(place).sentence_pooling for place in places} == {wanted}
    for settings, odd in (
        ({"pooling_mode": "max"}, "max"),
        ({"pooling_mode": ["mean", "cls"]}, "mean, cls"),
        ({"pooling_mode": 3}, "3"),
        ({OLD: False}, "none"),
    ):
        pooling.write_text(json.dumps(settings))
        for place in places:
            refused(f"it sets {odd}", load_encoder, place)
    modules.write_text(json.dumps([{"path": "2_Dense"}]))
    refused("layer 'Dense'", load_encoder, "me/mine")
    modules.write_text("[3]")
    refused("does not list the layers", load_encoder, "me/mine")


@pytest.mark.mlm
def test_folders_of_sentence_transformers_are_obeyed(models: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    shutil.copytree(models / "all-MiniLM-L6-v2", folder)
    pooling = folder / "1_Pooling" / "config.json"
    pooling.write_text('{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}')
    encoder = load_encoder(folder)
    found = contextual_vectors(encoder, ["he"], ["This is {}."], pooling="sentence")
    ids = encoder.tokenizer("This is he.", return_tensors="pt")
    first = encoder.network(**ids).last_hidden_state[0, 0].detach().numpy()
    np.testing.assert_allclose(found.vectors[0, 0], first, atol=1e-5)
    for content in ("[3]", "{}", "{"):
        pooling.write_text(content)
        refused("1_Pooling|encoder", load_encoder, folder)
    pooling.write_text('{"pooling_mode_weightedmean_tokens": true}')
    refused("it sets pooling_mode_weightedmean_tokens", load_encoder, folder)
    (folder / "2_Dense").mkdir()
    refused("layer 'Dense'", load_encoder, folder)


@pytest.mark.mlm
def test_words_in_sentences_of_their_own(mini: Any) -> None:
    """Use as many sentences as the word with the fewest has. Each equals a template's result."""
    own = {"nurse": ["The nurse left.", "A nurse slept."], "boss": ["My boss left."], "none": []}
    found = contextual_vectors(mini, ["nurse", "boss", "none"], own)
    assert (found.words, found.missing) == (("nurse", "boss"), ("none",))
    assert found.contexts == ("sentence 1",)
    for at, (word, template) in enumerate((("nurse", "The {} left."), ("boss", "My {} left."))):
        expected = contextual_vectors(mini, [word], [template]).vectors[0, 0]
        np.testing.assert_allclose(found.vectors[at, 0], expected, atol=1e-5)  # single precision


@pytest.mark.mlm
def test_words_that_cannot_be_written_are_missing_and_what_is_refused(mini: object) -> None:
    found = contextual_vectors(mini, ["he", "\U0001faa4\U000130b8"], ["This is {}."])
    assert (found.words, found.missing) == (("he",), ("\U0001faa4\U000130b8",))
    long = r"has 60\d tokens, but all-MiniLM-L6-v2 accepts at most 512"
    refused("cannot use any of the words", contextual_vectors, mini, ["\U000130b8"], ["{}."])
    for layer in (7, "1", 1.5, None):
        refused("layer must be from -7 to 6", contextual_vectors, mini, ["he"], layer=layer)
    refused("unknown pooling 'words'", contextual_vectors, mini, ["he"], pooling="words")
    refused(long, contextual_vectors, mini, ["he"], ["word " * 600 + "{}."])


@pytest.mark.mlm
def test_run_with_an_encoder_on_a_real_list(models: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    asked = ["run", "religion", "--encoder", str(models / "all-MiniLM-L6-v2"), "--out", str(out)]
    few = ["--model", "contextual", "--draws", "300", "--chains", "2", "--quiet"]
    assert main([*asked, *few]) in (0, 3)
    assert "--encoder" in json.loads((out / "run.json").read_text(encoding="utf-8"))["command"]
    assert pd.read_csv(out / "table.csv")["context"].nunique() == 8
    found = pd.read_csv(out / "summary.csv").query("level == 'overall'").set_index("connection")
    gap = found.loc["different", "mean"] - found.loc["associated", "mean"]
    # docs/contextual.md has .044, .045, and .029; one sd is about .02.
    assert 0 < gap < 0.1
