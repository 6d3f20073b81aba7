"""Time sentence scores under language models of base size with random weights.

PLL is compared with its floor, one pass over all masked sentences with the output layer only at the
masked tokens. The floor and PLL run alternately in one process, with one thread, on CrowS-Pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import batched
from typing import Any

import pandas as pd

from bayesbias.maskedlm import LanguageModel, read_pairs, score_pairs
from bayesbias.maskedlm.alignment import align_pairs
from bayesbias.maskedlm.pll import DEFAULT_BATCH

from ._timing import in_turns
from .literature.sources import data_folder

N_MASKED, N_CAUSAL, STEP = 6, 137, 11
"""Numbers of pairs, taken at every `STEP`-th row of CrowS-Pairs."""


def rows(repeats: int) -> Iterator[dict[str, object]]:
    """Yield the seconds of each task, and its ratio to the first task of its kind."""
    import torch

    torch.set_num_threads(1)
    path = data_folder() / "crows_pairs" / "crows_pairs_anonymized.csv"
    pairs = read_pairs(path, "crows-pairs").iloc[::STEP].reset_index(drop=True)
    for title, size, tasks in (
        ("PLL", N_MASKED, _masked),
        ("log-likelihood", N_CAUSAL, _causal),
    ):
        for row, _ in in_turns(tasks(pairs.iloc[:size]), repeats):
            yield {"task": f"{title}, {size} pairs", **row}


def _random(kind: str, config: str, loader: str, dtype: str = "float32") -> LanguageModel:
    """Return a model of base size with random weights and BERT's tokenizer."""
    import os

    import torch
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(
        f"{os.environ['BAYESBIAS_MODELS']}/all-MiniLM-L6-v2"
    )
    settings = getattr(transformers, config)(vocab_size=len(tokenizer))
    torch.manual_seed(1)
    network = getattr(transformers, loader).from_config(settings, dtype=getattr(torch, dtype))
    return LanguageModel(kind, network.eval(), tokenizer, kind, 512)


def _masked(pairs: pd.DataFrame) -> dict[str, Callable[[], object]]:
    model = _random("masked", "BertConfig", "AutoModelForMaskedLM")
    eager = _random("masked", "BertConfig", "AutoModelForMaskedLM")
    eager.network.set_attn_implementation("eager")
    half = _random("masked", "BertConfig", "AutoModelForMaskedLM", "bfloat16")
    sequences = sorted(_masked_sequences(model, pairs), key=lambda both: len(both[0]))
    named = {"float32": model, "eager attention": eager, "bfloat16": half}
    tasks: dict[str, Callable[[], object]] = {"floor": lambda: _floor(model.network, sequences)}
    for name, one in named.items():
        tasks[name] = lambda one=one: score_pairs(pairs, one, "pll", progressbar=False)
    return tasks


def _masked_sequences(model: LanguageModel, pairs: pd.DataFrame) -> Iterator[tuple[list[int], int]]:
    for both in align_pairs(pairs, model):
        for tokens in both:
            for place in tokens.scored:
                ids = list(tokens.ids)
                ids[place] = model.tokenizer.mask_token_id
                yield ids, place


def _floor(network: Any, sequences: list[tuple[list[int], int]]) -> None:  # noqa: ANN401
    """Run the layers on all masked sequences, and the output layer on the masked tokens."""
    import torch

    with torch.inference_mode():
        for batch in batched(sequences, DEFAULT_BATCH):
            width = max(len(ids) for ids, _ in batch)
            given = torch.tensor([ids + [0] * (width - len(ids)) for ids, _ in batch])
            hidden = network.bert(input_ids=given, attention_mask=(given != 0).long())[0]
            places = torch.tensor([place for _, place in batch])
            network.cls(hidden[torch.arange(len(batch)), places]).log_softmax(-1)


def _causal(pairs: pd.DataFrame) -> dict[str, Callable[[], object]]:
    model = _random("causal", "GPT2Config", "AutoModelForCausalLM")
    whole = replace(model)
    whole.__dict__["packs"] = False
    return {
        "whole sentences": lambda: score_pairs(pairs, whole, progressbar=False),
        "common beginnings once": lambda: score_pairs(pairs, model, progressbar=False),
    }
