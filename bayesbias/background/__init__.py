"""Reference distributions: how the whole vocabulary leans, to read every bias against.

``distribution(source, Z, Z2)`` computes ψ of every word; ``experiments()`` and
``distributions(source, experiments)`` do so for many lists in one pass over the file; `standalone`,
`relative`, `fits`, `strata` and `words` make tidy frames of them. ``reference_lists`` finds where
SAME, WEAT and MAC of a list lie among lists of random words of the same size.
"""

from .distributions import distribution, distributions
from .experiment import CALISKAN, Experiment, experiments
from .frames import densities, fits, reading, relative, standalone, strata, words
from .list_percentiles import reference_lists, with_percentiles
from .normal_fit import NormalFit
from .psi_distribution import Distribution
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
    "random_sums",
    "reading",
    "reference_lists",
    "relative",
    "standalone",
    "strata",
    "with_percentiles",
    "words",
]
