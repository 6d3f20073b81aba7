"""The collapsed density against the dense multivariate normal it stands for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from bayesbias.cards import ModelCard, load_card
from bayesbias.collapsed import log_density
from bayesbias.design import Design, make_design
from bayesbias.exact import draw_effects
from bayesbias.reduction import Collapsed, collapse

NORMAL_CARDS = ("paper", "paper-figures", "crossed", "grouped")


def dense_log_density(design: Design, posterior: Collapsed, log_sds: np.ndarray) -> float:
    """Write the covariance of all rows down term by term, as the cards state it."""
    card = posterior.card
    n, connection = len(design.y), design.connection
    covariance = np.zeros((n, n))
    sds = {block.name: np.exp(log_sds[block.where]) for block in posterior.blocks}
    prior = card.priors["connection_mean"].parameters
    for i in range(n):
        for j in range(n):
            alike = connection[i] == connection[j]
            if alike:
                covariance[i, j] += prior["sd"] ** 2
            if alike and design.word[i] == design.word[j]:
                covariance[i, j] += sds["connection_sd"][connection[i]] ** 2
            same_group = design.word_group[design.word[i]] == design.word_group[design.word[j]]
            if "group_sd" in sds and alike and same_group:
                covariance[i, j] += sds["group_sd"][connection[i]] ** 2
            if "attribute_sd" in sds and design.attribute[i] == design.attribute[j]:
                kind = design.attribute_kind[design.attribute[i]]
                sd = sds["attribute_sd"][kind if len(sds["attribute_sd"]) > 1 else 0]
                covariance[i, j] += sd**2
            if i == j:
                sigma = sds["sigma"]
                covariance[i, i] += sigma[connection[i] if len(sigma) > 1 else 0] ** 2
    mean = np.full(n, prior["mean"])
    log_prior = sum(
        float(card.priors[name].log_density(values).sum() + np.log(values).sum())
        for name, values in sds.items()
    )
    return float(multivariate_normal(mean, covariance).logpdf(design.y)) + log_prior


def by_kind(card: ModelCard) -> ModelCard:
    content = card.to_dict() | {"attribute_effects": "kind"}
    from bayesbias.cards import card_from_dict

    return card_from_dict(content)


@pytest.mark.parametrize("name", [*NORMAL_CARDS, "crossed by kind"])
def test_density_equals_the_dense_normal_up_to_one_constant(
    toy_table: pd.DataFrame, name: str
) -> None:
    card = by_kind(load_card("crossed")) if name.endswith("kind") else load_card(name)
    design = make_design(toy_table)
    posterior = collapse(design, card)
    points = np.random.default_rng(1).normal(-2, 1, (5, posterior.n_sds))
    ours = log_density(posterior, points)
    dense = [dense_log_density(design, posterior, point) for point in points]
    # A constant apart, to the rounding of a sum of 33 terms of order 100.
    assert np.ptp(ours - dense) < 1e-9


@pytest.mark.parametrize("name", NORMAL_CARDS)
def test_a_regular_table_and_its_irregular_form_agree(toy_table: pd.DataFrame, name: str) -> None:
    """Whichever classes are found, the density of the same rows in any order is the same."""
    card = load_card(name)
    shuffled = toy_table.sample(frac=1, random_state=3)
    points = np.random.default_rng(2).normal(
        -2, 1, (3, collapse(make_design(toy_table), card).n_sds)
    )
    straight, mixed = (
        log_density(collapse(make_design(table), card), points) for table in (toy_table, shuffled)
    )
    np.testing.assert_allclose(straight, mixed, atol=1e-9)  # rounding only


@pytest.mark.parametrize("name", NORMAL_CARDS)
def test_density_is_finite_and_smooth_as_an_sd_goes_to_zero(
    toy_table: pd.DataFrame, name: str
) -> None:
    posterior = collapse(make_design(toy_table), load_card(name))
    where = posterior.blocks[0].where
    points = np.full((2, posterior.n_sds), -2.0)
    points[0, where], points[1, where] = -40.0, -30.0
    low, high = log_density(posterior, points)
    # Below the data's resolution only the Jacobian is left: log sd itself, 10 a connection.
    assert high - low == pytest.approx(10 * len(posterior.design.connections), abs=1e-6)


@pytest.mark.parametrize("name", ["paper", "paper-figures"])
def test_cards_without_shared_effects_need_no_factor(toy_table: pd.DataFrame, name: str) -> None:
    """Their means are not coupled: the short way and the general one give the same draws."""
    short, general = (collapse(make_design(toy_table), load_card(name)) for _ in range(2))
    assert short.mean_of is not None
    vars(general)["mean_of"] = None
    points = np.random.default_rng(4).normal(-2, 1, (50, short.n_sds))
    # Rounding of a sum of 33 terms of order 100, and of effects of order one.
    np.testing.assert_allclose(log_density(short, points), log_density(general, points), atol=1e-9)
    one, other = (draw_effects(each, points, np.random.default_rng(5)) for each in (short, general))
    for variable, values in one.items():
        np.testing.assert_allclose(values, other[variable], atol=1e-9)


@pytest.mark.parametrize("name", ["crossed", "grouped"])
def test_cards_with_shared_effects_need_one(toy_table: pd.DataFrame, name: str) -> None:
    assert collapse(make_design(toy_table), load_card(name)).mean_of is None


def test_blocks_of_proposals_do_not_change_the_density(
    toy_table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    posterior = collapse(make_design(toy_table), load_card("crossed"))
    points = np.random.default_rng(1).normal(-2, 1, (7, posterior.n_sds))
    whole = log_density(posterior, points)
    monkeypatch.setattr("bayesbias.reduction.MOST_NUMBERS", 1)
    np.testing.assert_allclose(log_density(posterior, points), whole, atol=1e-10)  # rounding


def test_robust_card_is_refused() -> None:
    table = pd.DataFrame()
    with pytest.raises(ValueError, match=r"student_t likelihood.*method='nuts'"):
        collapse(table, load_card("robust"))  # type: ignore[arg-type]


def test_constant_distances_are_refused(toy_table: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="distances are equal; there is nothing to estimate"):
        collapse(make_design(toy_table.assign(cosine_distance=0.5)), load_card("paper"))


def test_work_does_not_grow_with_rows_words_or_attributes_of_a_regular_design() -> None:
    sizes = set()
    for n_words, n_attributes in ((4, 6), (40, 60)):
        rows = [
            (
                f"w{w}",
                "xy"[w % 2],
                f"a{a}",
                "ab"[a % 2],
                ["associated", "different"][(w + a) % 2],
                0.9,
            )
            for w in range(n_words)
            for a in range(n_attributes)
        ]
        columns = ["protected_word", "protected_group", "attribute", "attribute_set", "connection"]
        table = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
        table["cosine_distance"] += np.random.default_rng(0).normal(0, 0.05, len(table))
        sizes.add(collapse(make_design(table), load_card("crossed")).cross.shape)
    assert sizes == {(2, 4, 4)}  # two groups by two connections; two sets and two means
