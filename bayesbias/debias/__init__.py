"""Debiasing: methods that take bias out of an embedding, and checks of what they left.

Every method takes KeyedVectors and gives new KeyedVectors: ``hard(vectors, "gender")``. What was
done is kept with the result and told by `debiasing`. `debias_file` does the same to files of any
size. None of them makes an embedding unbiased: `remaining_bias` shows how much can be recovered.
"""

from .clusters import cluster_accuracy
from .defining_sets import DefiningSets, defining_sets, load_defining_sets
from .double_hard import double_hard
from .files import Written, debias_file
from .half_sibling import half_sibling
from .hard import hard
from .methods import METHODS
from .multiclass_hard import multiclass_hard
from .record import Debiasing, debiasing
from .remaining import remaining_bias
from .soft import soft

__all__ = [
    "METHODS",
    "Debiasing",
    "DefiningSets",
    "Written",
    "cluster_accuracy",
    "debias_file",
    "debiasing",
    "defining_sets",
    "double_hard",
    "half_sibling",
    "hard",
    "load_defining_sets",
    "multiclass_hard",
    "remaining_bias",
    "soft",
]
