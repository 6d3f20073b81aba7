"""Effects drawn given their sds against the covariance of all rows, written out densely."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from builders import model_named
from dense_oracle import covariance, in_rows

from bayesbias.model.design import make_design
from bayesbias.model.effects import draw_effects, draw_parameters, word_means
from bayesbias.model.likelihood import locations
from bayesbias.model.tree import assemble

N = 20_000


@pytest.mark.parametrize(
    "name", ["paper", "crossed by kind", "crossed around groups", "contextual", "maximal"]
)
def test_rows_have_the_covariance_of_the_model(toy_table: pd.DataFrame, name: str) -> None:
    table = toy_table.assign(context=["first", "second", "third", "first"] * 8)
    design = make_design(table)
    spec = model_named(name).fitting(design)
    rng = np.random.default_rng(1)
    one = draw_parameters(design, spec, 1, rng)
    values = {key: np.repeat(each, N, axis=0) for key, each in one.items()}
    values["connection_mean"] = spec.priors["connection_mean"].draw((N, 4), rng)
    values |= draw_effects(design, spec.terms, values, rng)
    tree = assemble(design, spec, values)
    drawn = locations(tree, np.arange(len(design.y)))
    rows = in_rows(design, spec)
    expected = rows @ covariance(design, spec, {key: each[0] for key, each in one.items()}) @ rows.T
    sd = np.sqrt(np.diag(expected))
    error = np.sqrt((np.outer(sd, sd) ** 2 + expected**2) / N)
    assert (abs(np.cov(drawn.T) - expected) < 5 * error).all()  # of some 500 entries
    assert (abs(drawn.mean(axis=0) - spec.centre) < 5 * sd / np.sqrt(N)).all()


def test_means_of_words_are_averages_over_the_rows_of_their_group(toy_table: pd.DataFrame) -> None:
    """Attributes have no effects; a word with a gap is averaged as the others of its group."""
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
