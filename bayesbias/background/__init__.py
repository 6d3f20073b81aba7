"""Reference distributions: the associations of all words in an embedding, to compare lists with.

``distributions(source, {"name": (Z, Z2)})`` computes ψ of every word. It reads the file once for
any number of lists, such as those of ``experiments()``. `standalone`, `relative`, `fits`, and
`words` turn the distributions into tidy frames.
"""

from .frames import densities as densities
from .frames import fits as fits
from .frames import relative as relative
from .frames import standalone as standalone
from .frames import words as words
from .psi_distribution import Distribution as Distribution
from .psi_distribution import RelativeBias as RelativeBias
from .topics import topic_prior as topic_prior
from .topics import topic_tables as topic_tables
from .vocabulary import CALISKAN as CALISKAN
from .vocabulary import Experiment as Experiment
from .vocabulary import distributions as distributions
from .vocabulary import experiments as experiments
