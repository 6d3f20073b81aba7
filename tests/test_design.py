"""Designs, similarities of their units, and the effects that models give them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from builders import groups_by_sets, model_named, refused
from dense_oracle import covariance, in_rows, with_random_likeness
from numpy.random import default_rng
from test_collapsed import of_three_groups

import bayesbias as bb
from bayesbias.model import likeness as of_vectors
from bayesbias.model.effects import draw_effects, draw_parameters, word_means
from bayesbias.model.indexing import make_design
from bayesbias.model.layout import assemble
from bayesbias.model.likelihood import Rows
from bayesbias.model.likeness import directions, effective_number, likeness
from bayesbias.model.spec import load_model


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"covariates": ("length",), "x": np.zeros((3, 1))}, r"x must be a finite array of shape"),
        ({"word": np.r_[4, np.zeros(31, int)]}, "word needs an index from 0 to 3"),
        ({"connection": np.full(32, -1)}, "connection needs an index from 0 to 3"),
        ({"connection": np.r_[-1, np.zeros(31, int)]}, "connection needs an index from 0 to 3"),
        ({"y": np.r_[0.1, np.nan, np.ones(30)]}, "cosine_distance must be finite; got nan in row"),
    ],
)
def test_parts_that_do_not_fit_are_refused(toy_table, changed, message) -> None:
    refused(message, replace, make_design(toy_table), **changed)


@pytest.mark.parametrize(
    ("column", "value", "unit"),
    [
        ("protected_group", "x", "protected word"),
        ("connection", "human", "attribute"),
        ("connection", "different", "attribute"),
        ("attribute_set", "x", "attribute"),
        ("attribute_rank", 7.0, "attribute"),
        ("attribute_rank", np.nan, "attribute"),
        ("protected_word_rank", 7.0, "protected word"),
    ],
)
def test_rows_that_contradict_others_are_refused(toy_table, column, value, unit) -> None:
    """Two embeddings may have different ranks of a word, and the rest is about all rows."""
    ranks = {"attribute_rank": 5.0, "protected_word_rank": 5.0}
    table = toy_table.assign(**ranks, connection=toy_table["connection"].astype(str))
    make_design(table)
    odd = table.copy()
    odd.loc[0, column] = value
    refused(rf"the {unit} .*has the {column} .*{value}", make_design, odd)
    if column in ranks:
        make_design(pd.concat([table.assign(embedding="a"), odd.assign(embedding="b")]))


def test_sets_that_are_not_clear_are_refused() -> None:
    mixed = one_biased("xy").assign(attribute_set="s")
    bb.fit(mixed, "crossed", draws=50, seed=1)
    refused(r"'s' has both .* rows for the group 'x'", bb.fit, mixed, "maximal", draws=50, seed=1)


def test_two_clusters_of_equal_words_count_as_two_words() -> None:
    unit = np.eye(4)[[0, 0, 0, 1, 1, 1, 2, 3]]  # six words in one group, two in the other
    block = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    np.testing.assert_allclose(effective_number(likeness(unit @ unit.T, block), block), [2.0, 2.0])


def test_mean_and_deviations_have_the_variances_that_a_covariance_gives_them() -> None:
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((6, 9))
    gram = rows @ rows.T
    block = gram / np.sqrt(np.outer(np.diag(gram), np.diag(gram)))
    split = directions(block.tobytes(), len(block))
    assert split.mean == pytest.approx(max(1, np.ones(6) @ block @ np.ones(6) / 6))
    centered = block - block.mean(0) - block.mean(1)[:, None] + block.mean()
    rebuilt = (split.basis * split.deviations) @ split.basis.T
    np.testing.assert_allclose(rebuilt, centered, atol=1e-12)


def test_random_words_count_as_nearly_all_of_them() -> None:
    """Cosines are near zero in 50 dimensions. Without negative ones, 32 words would count as 12."""
    rows = np.random.default_rng(4).standard_normal((64, 50))
    unit, block = rows / np.linalg.norm(rows, axis=1, keepdims=True), np.repeat([0, 1], 32)
    assert (effective_number(likeness(unit @ unit.T, block), block) > 25).all()


def test_likeness_is_above_the_mean_cosine_between_blocks() -> None:
    cosines = np.array([[1.0, 0.6, 0.2], [0.6, 1.0, 0.2], [0.2, 0.2, 1.0]])
    matrix = likeness(cosines, np.array([0, 0, 1]))
    np.testing.assert_allclose(matrix, [[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])


N = 20_000


@pytest.mark.parametrize(
    "name", ["paper", "crossed by kind", "crossed with groups", "contextual", "maximal", "by-group"]
)
def test_rows_have_the_covariance_of_the_model(toy_table: pd.DataFrame, name: str) -> None:
    """Controls of three groups have no effects of sets or of stereotypes."""
    rng, table = np.random.default_rng(1), toy_table
    if name == "by-group":
        table = of_three_groups()
        table = table.assign(cosine_distance=rng.normal(0.9, 0.1, len(table)))
    context = np.resize(["first", "second", "third", "first"], len(table))
    design = with_random_likeness(make_design(table.assign(context=context)), rng)
    spec = model_named(name).fitting(design)
    one = draw_parameters(design, spec, 1, rng)
    for term in spec.terms:
        if term.correlated:  # strongly, and by unequal degrees
            n = one[term.correlation].shape[-1]
            matrix = 0.8 ** abs(np.subtract.outer(np.arange(n), np.arange(n)))
            one |= {term.correlation: matrix[None], term.sd: np.full_like(one[term.sd], 0.2)}
            one[term.correlation_factor] = np.linalg.cholesky(matrix)[None]
    values = {key: np.repeat(each, N, axis=0) for key, each in one.items()}
    values["connection_mean"] = spec.priors["connection_mean"].draw((N, 4), rng)
    values |= draw_effects(design, spec.terms, values, rng)
    tree = assemble(design, spec, values)
    drawn = Rows(tree).expected(np.arange(len(design.y)))
    rows = in_rows(design, spec)
    expected = rows @ covariance(design, spec, {key: each[0] for key, each in one.items()}) @ rows.T
    sd = np.sqrt(np.diag(expected))
    error = np.sqrt((np.outer(sd, sd) ** 2 + expected**2) / N)
    assert (abs(np.cov(drawn.T) - expected) < 5 * error).all()  # of some 500 entries
    assert (abs(drawn.mean(axis=0) - spec.center) < 5 * sd / np.sqrt(N)).all()


def test_means_of_words_are_averages_over_the_rows_of_their_group(toy_table: pd.DataFrame) -> None:
    """Attributes have no effects. A word with a gap is averaged like others in its group."""
    table = toy_table[~((toy_table["protected_word"] == "hers") & (toy_table.index % 3 == 0))]
    design = make_design(table)
    spec = model_named("maximal").fitting(design)
    rng = np.random.default_rng(2)
    values = draw_parameters(design, spec, 3, rng)
    values |= draw_effects(design, spec.terms, values, rng)
    found = word_means(design, spec, values)
    for word, group in enumerate(design.word_group):
        own = design.codes("protected_group") == group
        for connection in range(4):
            rows = np.flatnonzero(own & (design.connection == connection))
            expected = values["connection_mean"][:, connection].copy()
            kinds, sets = design.codes("attribute_kind")[rows], design.codes("attribute_set")[rows]
            expected += values["level"][:, word, kinds].mean(axis=1)
            leans = np.where(sets >= 0, values["lean"][:, word, sets], 0.0)
            expected += leans.mean(axis=1)
            np.testing.assert_allclose(found[:, word, connection], expected, atol=1e-12)


def one_biased(groups: str, bias: float = 0.16) -> pd.DataFrame:
    """Return five words and eight attributes; only the first group is closer to its own set."""
    rng = np.random.default_rng(0)
    table = groups_by_sets(groups, 5, 8)
    own = (table["protected_group"] == groups[0]) & (table["attribute_set"] == groups[0])
    return table.assign(cosine_distance=0.9 - bias * own + 0.01 * rng.standard_normal(len(table)))


@pytest.mark.parametrize(
    ("groups", "with_sets", "words_lean", "attributes_lean"),
    [("xy", True, False, False), ("xyz", True, True, True), ("xy", False, True, False)],
)
def test_leanings_to_the_own_side_are_there_where_no_other_term_says_them(
    groups: str, with_sets: bool, words_lean: bool, attributes_lean: bool
) -> None:
    design = make_design(one_biased(groups))
    if not with_sets:
        design = replace(design, sets=(), set=design.set[:0], set_connection=np.zeros((0, 0)))
    names = {term.name for term in load_model("maximal").fitting(design).terms}
    assert ("own_lean" in names, "attribute_own_lean" in names) == (words_lean, attributes_lean)


def test_two_words_more_alike_than_equal_ones_have_no_deviation() -> None:
    """K has the eigenvalues 2.4 and -.4; the second counts as 0, and a block as two words at most.

    Cosines of a single block are relative to zero.
    """
    cosines, one_block = np.array([[1.0, 1.4], [1.4, 1.0]]), np.zeros(2, dtype=np.int64)
    matrix = likeness(cosines, one_block)
    np.testing.assert_allclose(matrix, cosines)
    share, average, apart = 0.3, np.full((2, 2), 0.5), np.array([[0.5, -0.5], [-0.5, 0.5]])
    expected = (1 - share + share * 2.4) * average + (1 - share) * apart
    np.testing.assert_allclose(of_vectors.covariance(matrix, one_block, share), expected)
    opposite = likeness(-cosines + 2 * np.eye(2), one_block)  # sums below those of unrelated words
    assert effective_number(opposite, one_block) == pytest.approx([2.0])


def test_an_attribute_of_two_kinds_is_a_stereotype_and_controls_alone_have_their_spread() -> None:
    table = groups_by_sets("xy", 2, 3, "human")
    table["cosine_distance"] = default_rng(1).uniform(0.5, 1.5, len(table))
    both = table.assign(attribute=table["attribute"].replace("human-0", "x-0"))
    as_human = (both["attribute_set"] == "human") == (both["protected_group"] == "y")
    design = make_design(both[as_human | (both["attribute"] != "x-0")])
    kinds = np.take(design.kinds, design.attribute_kind)
    named = dict(zip(design.attributes, kinds, strict=True))
    assert (named["x-0"], named["human-1"]) == ("stereotype", "human")
    controls = table[table["connection"] == "human"].reset_index(drop=True)
    spread = make_design(controls).spread
    assert spread == pytest.approx(controls["cosine_distance"].std(ddof=0))
    assert make_design(table).spread != pytest.approx(spread)


def test_a_set_that_a_group_has_no_rows_of_has_no_connection_with_it() -> None:
    table = groups_by_sets("xyz", 2, 3)
    gone = (table["protected_group"] == "z") & (table["attribute_set"] == "x")
    design = make_design(table[~gone].assign(cosine_distance=0.9).reset_index(drop=True))
    found = pd.DataFrame(design.set_connection, [*design.groups], [*design.sets])
    assert np.argwhere(found.to_numpy() < 0).tolist() == [[2, design.sets.index("x")]]
    for row in table[~gone].itertuples():
        place = found.loc[row.protected_group, row.attribute_set]
        assert design.connections[place] == row.connection


def test_a_cell_without_rows_has_no_effect_and_cells_of_a_connection_sum_to_zero() -> None:
    table = groups_by_sets("xyz", 2, 3, "human")
    gone = (table["protected_group"] == "z") & (table["attribute_set"] == "x")
    design = make_design(table[~gone].assign(cosine_distance=0.9).reset_index(drop=True))
    (term,) = (t for t in load_model("by-group").terms if t.constraint == "cells")
    basis, connection = term.basis(design), design.column_connection.ravel()
    np.testing.assert_allclose(basis[connection < 0], 0, atol=1e-12)
    for index in range(len(design.connections)):
        np.testing.assert_allclose(basis[connection == index].sum(axis=0), 0, atol=1e-12)
    # Eleven cells with rows, less one for each of three connections.
    assert basis.shape == (12, 8)
