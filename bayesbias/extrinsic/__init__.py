"""What a score of an embedding is compared with: the bias of a classifier built on it.

A score says something of use if models that it calls more biased treat people more unequally.
Here are the measures of unequal treatment, and of the agreement of scores with them, of
Schröder, Schulz and Hammer (2024), The SAME score, section 2.3 and table 3. How sure you can be
of the agreement comes with it.
"""

from .areas import subgroup_areas as subgroup_areas
from .correlation import Correlation as Correlation
from .correlation import correlate as correlate
from .correlation import correlations as correlations
from .datasets import read_bios as read_bios
from .datasets import read_jigsaw as read_jigsaw
from .ranking import RankingAccuracy as RankingAccuracy
from .ranking import ranking_accuracy as ranking_accuracy
from .rates import TprGaps as TprGaps
from .rates import tpr_gaps as tpr_gaps
