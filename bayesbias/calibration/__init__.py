"""What methods claim in scenarios where it is known what is true: false alarms, power, coverage.

Examples
--------
>>> import bayesbias as bb
>>> frame = bb.calibration.calibrate(["independent", "words-differ"], "weat-p", n=100, seed=1)
>>> frame["scenario"].tolist()
['independent', 'words-differ']
"""

from __future__ import annotations

from .methods import LEVELS, MODELS, READINGS, SCORE_METHODS, Method, method, posterior_method
from .rates import calibrate, list_length

__all__ = [
    "LEVELS",
    "MODELS",
    "READINGS",
    "SCORE_METHODS",
    "Method",
    "calibrate",
    "list_length",
    "method",
    "posterior_method",
]
