"""Groups that lean to a set beyond what groups, sets and connections say; sets that are clear."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.model.design import make_design
from bayesbias.model.spec import load_model
from bayesbias.tables.schema import COLUMNS


def one_biased(groups: str, bias: float = 0.16) -> pd.DataFrame:
    """Words of the first group alone are nearer to their own set; five words, eight attributes."""
    rng = np.random.default_rng(0)
    rows = [
        (f"{g}{i}", g, f"{s}-{a}", s, "associated" if s == g else "different")
        for g in groups
        for i in range(5)
        for s in groups
        for a in range(8)
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS[:5]))
    own = (table["protected_group"] == groups[0]) & (table["attribute_set"] == groups[0])
    return table.assign(cosine_distance=0.9 - bias * own + 0.01 * rng.standard_normal(len(table)))


def contrasts_of(table: pd.DataFrame) -> dict[str, float]:
    found = bb.contrasts(bb.fit(table, "maximal", method="exact", seed=1))
    shown = found[found["level"] != "word"].set_index("protected_group")
    return {str(group): float(mean) for group, mean in shown["mean"].items()}


def test_of_three_groups_the_biased_one_is_found() -> None:
    """-.16 for the biased group and 0 for the others, or -.16 + .16/3 and -.16/6 less set means.

    How much of it is the set's own is not told by these data, and both have the same mean.
    Residuals of .01 over 5 words and 8 attributes leave .002; the rest is what priors draw to zero.
    """
    found = contrasts_of(one_biased("xyz"))
    assert found[""] == pytest.approx(-0.16 / 3, abs=0.01)
    assert -0.17 < found["x"] < -0.32 / 3 + 0.01
    assert all(-0.08 / 3 - 0.01 < found[group] < 0.01 for group in "yz")


def test_of_two_groups_nothing_tells_which_is_biased() -> None:
    table = one_biased("xy")
    names = {term.name for term in load_model("maximal").fitting(make_design(table)).terms}
    assert "group_lean" not in names
    found = contrasts_of(table)  # the pair's, however words' leanings share it out
    assert found[""] == pytest.approx(-0.08, abs=0.01)
    assert (found["x"] + found["y"]) / 2 == pytest.approx(-0.08, abs=0.01)


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


@pytest.mark.parametrize(("model", "refused"), [("maximal", True), ("crossed", False)])
def test_a_set_has_one_connection_with_a_group(model: str, refused: bool) -> None:
    mixed = one_biased("xy").assign(attribute_set="s")
    if not refused:
        bb.fit(mixed, model, draws=50, seed=1)
        return
    with pytest.raises(ValueError, match=r"set 's' are associated with the group 'x' in some rows"):
        bb.fit(mixed, model, draws=50, seed=1)


def test_sensitivity_names_the_pairs_that_correlate(toy_table: pd.DataFrame) -> None:
    frame = bb.prior_sensitivity(bb.fit(toy_table, "maximal", method="exact", seed=1))
    pairs = frame[frame["parameter"] == "level_correlation"]
    assert list(pairs["of"]) == ["stereotype, neutral", "stereotype, human", "neutral, human"]
    assert np.isfinite(frame[["prior", "likelihood"]]).all(axis=None)
