"""`analyze_change` has the numbers of `fit_change`, on published tables and debiased vectors."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest
from numpy.testing import assert_allclose

import bayesbias as bb
from bayesbias._core.random import as_seed_sequence
from bayesbias.comparison import changes, fit_change

pytestmark = pytest.mark.slow
FIT = {"draws": 200, "progressbar": False}


def hold(change: bb.workflows.change.ChangeAnalysis) -> None:
    """Compare with `fit_change` of the same tables, model and seed, in the same frames."""
    name = change.lead.spec.name
    (seed,) = as_seed_sequence(1).spawn(1)
    expected = changes(fit_change(change.before, change.after, name, seed=seed, **FIT))
    numbers = expected.select_dtypes("number").columns
    assert_allclose(change.changes[numbers], expected[numbers], rtol=1e-9)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("method", ["hard", "soft", "half_sibling", "double_hard"])
def test_debiased_vectors(method: str) -> None:
    hold(bb.analyze_change("glove-demo", method, "gender", seed=1, **FIT))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_published_tables(published: Callable[[str], pd.DataFrame]) -> None:
    tables = published("gender_group_reddit_dataset"), published("debiased_gender_reddit")
    hold(bb.analyze_change(*tables, seed=1, **FIT))
