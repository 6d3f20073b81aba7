"""Background distributions: what the whole vocabulary does, which every bias is to be read against.

``distribution(source, Z, Z2)`` gives ψ of every word; ``experiments()`` and
``distributions(source, experiments)`` do so for many lists in one walk of the file; `standalone`,
`relative`, `fits`, `strata` and `words` make tidy frames of them. ``random_lists`` asks where SAME,
WEAT and MAC of a list lie among random lists of the same size.
"""

from .experiment import CALISKAN, Experiment, experiments
from .frames import densities, fits, reading, relative, standalone, strata, words
from .list_percentiles import random_lists, with_percentiles
from .normal_fit import NormalFit
from .psi_distribution import Distribution, distribution, distributions
from .relative_bias import RelativeBias, random_sums

__all__ = [
    "CALISKAN",
    "Distribution",
    "Experiment",
    "NormalFit",
    "RelativeBias",
    "densities",
    "distribution",
    "distributions",
    "experiments",
    "fits",
    "random_lists",
    "random_sums",
    "reading",
    "relative",
    "standalone",
    "strata",
    "with_percentiles",
    "words",
]
