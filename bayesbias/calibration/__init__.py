"""What methods claim in scenarios where it is known what is true: false alarms, power, coverage.

Examples
--------
>>> import bayesbias as bb
>>> frame = bb.calibration.calibrate(["independent", "words-differ"], "weat-p", n=100, seed=1)
>>> frame["scenario"].tolist()
['independent', 'words-differ']
"""

from __future__ import annotations

from .methods import CALIBRATED_METHODS, Method, method, posterior_methods
from .planning import list_length
from .rates import calibrate, wilson

__all__ = [
    "CALIBRATED_METHODS",
    "Method",
    "calibrate",
    "list_length",
    "method",
    "posterior_methods",
    "wilson",
]
