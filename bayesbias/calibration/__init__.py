"""Measure false alarms, power, and coverage of methods in scenarios with a known truth.

Examples
--------
>>> import bayesbias as bb
>>> frame = bb.calibration.calibrate(["independent", "words-differ"], "weat-p", n=100, seed=1)
>>> frame["scenario"].tolist()
['independent', 'words-differ']
"""

from .methods import LEVELS as LEVELS
from .methods import READINGS as READINGS
from .methods import SCORE_METHODS as SCORE_METHODS
from .methods import Method as Method
from .methods import method as method
from .methods import normal_models as normal_models
from .methods import posterior_method as posterior_method
from .rates import calibrate as calibrate
