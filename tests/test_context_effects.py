"""What models without and with effects of contexts make of a table.

test_collapsed.py holds the exact density and its draws against dense normals.
"""

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb

CONTEXTS = ("This is {}.", "Here is {}.", "{} was there.")
SHIFTS = dict(zip(CONTEXTS, (-0.05, 0.0, 0.08), strict=True))


@pytest.fixture(scope="module")
def dealt(toy_table: pd.DataFrame) -> pd.DataFrame:
    """Every row in one of three contexts, unevenly; irregular in words and attributes too."""
    context = np.random.default_rng(2).choice(CONTEXTS, len(toy_table), p=[0.5, 0.3, 0.2])
    return shifted(toy_table.assign(context=context))


def shifted(table: pd.DataFrame) -> pd.DataFrame:
    noise = 0.02 * np.random.default_rng(3).standard_normal(len(table))
    moved = table["cosine_distance"] + table["context"].map(SHIFTS) + noise
    return bb.validate_table(table.assign(cosine_distance=moved))


def test_no_contexts_or_one_is_told(toy_table: pd.DataFrame, dealt: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match="'contextual' has an effect of every context, and there"):
        bb.fit(toy_table, "contextual")
    with pytest.raises(ValueError, match="there is one only; measure in two or more contexts"):
        bb.build_model(dealt[dealt["context"] == CONTEXTS[0]], "contextual")
    with pytest.raises(ValueError, match="row 3 has an empty context"):
        bb.fit(dealt.assign(context=["a", "b", "c", None] + ["a"] * (len(dealt) - 4)), "crossed")


def test_models_without_context_effects_do_not_see_contexts(
    toy_table: pd.DataFrame, dealt: pd.DataFrame
) -> None:
    bare = dealt.drop(columns="context")
    first, second = (bb.fit(each, "crossed", draws=200, seed=1) for each in (dealt, bare))
    assert first["posterior"].to_dataset().identical(second["posterior"].to_dataset())
