"""Outcomes that do not vary: no residual sd can be learnt from them, by no sampler."""

from __future__ import annotations

import numpy as np

from .._core.arrays import FloatArray
from ..model.design import Design
from ..model.spec import ModelSpec
from ..tables.schema import ROUNDING

_IN_WORDS = {"cosine_distance": "distances", "change": "changes"}


def constant_parts(design: Design, spec: ModelSpec) -> list[tuple[str, FloatArray]]:
    """Rows that share a residual sd and are all equal, by the name of what they are of.

    They are of one connection each, or of one protected word, or ``the`` rows where the model has
    one residual sd. A single row does not count: of it the prior decides. Values are equal that
    spread by no more than the rounding of distances.
    """
    parts = [("the", design.y)]
    if spec.sigma_dims:
        codes, names = design.codes(spec.sigma), design.coords[spec.sigma]
        parts = [(name, design.y[codes == index]) for index, name in enumerate(names)]
    return [(name, own) for name, own in parts if len(own) > 1 and own.std() <= ROUNDING]


def require_variation(design: Design, spec: ModelSpec) -> None:
    """Raise a ValueError where a residual sd would have to be learned from equal values.

    Its posterior would pile up at zero, where the exact sampler's weights fail and NUTS takes
    minutes.
    """
    for name, own in constant_parts(design, spec):
        spread = f", give or take {own.std():.0e}" if np.ptp(own) else ""
        common = spec.sigma == "common"
        raise ValueError(
            f"all {len(own):,} {_IN_WORDS.get(design.outcome, 'values')} "
            f"{'' if common else f'of {name} rows '}are {round(float(own.mean()), 4):g}{spread}, "
            "so that no residual sd can be learned from them; "
            + (
                "measure other words"
                if common
                else "leave these rows out, or take a model with sigma = 'common'"
            )
        )
