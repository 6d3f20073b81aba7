"""What methods claim in scenarios where it is known what is true: false alarms, power, coverage.

Examples
--------
>>> import bayesbias as bb
>>> frame = bb.calibration.calibrate(["independent", "words-differ"], "weat-p", n=100, seed=1)
>>> frame["scenario"].tolist()
['independent', 'words-differ']
"""

from __future__ import annotations

from .hypotheses import hypothesis_rates
from .methods import CALIBRATED_METHODS, Method, method, posterior_methods
from .placebo import placebo
from .planning import list_length
from .rates import calibrate, wilson

__all__ = [
    "CALIBRATED_METHODS",
    "Method",
    "calibrate",
    "hypothesis_rates",
    "list_length",
    "method",
    "placebo",
    "posterior_methods",
    "wilson",
]
