"""Debiasing: methods that reduce bias in an embedding, and checks for the bias that remains.

Each method is a function that takes vectors and returns new ones, such as ``hard(vectors,
"gender")``. The result keeps a record of the change, which `debiasing` returns. `debias_file`
debiases a file of any size. No method makes an embedding unbiased: `remaining_bias` measures how
much bias can be recovered.
"""

from .defining_sets import DefiningSets as DefiningSets
from .defining_sets import defining_sets as defining_sets
from .defining_sets import load_defining_sets as load_defining_sets
from .method import DEBIASING_METHODS as DEBIASING_METHODS
from .method import Debiaser as Debiaser
from .method import Debiasing as Debiasing
from .method import Material as Material
from .method import debias_file as debias_file
from .method import debiasing as debiasing
from .method import debiasing_method as debiasing_method
from .method import fit_debiaser as fit_debiaser
from .method import method_options as method_options
from .methods.double_hard import double_hard as double_hard
from .methods.half_sibling import half_sibling as half_sibling
from .methods.hard import hard as hard
from .methods.hard import multiclass_hard as multiclass_hard
from .methods.soft import soft as soft
from .recovery import cluster_accuracy as cluster_accuracy
from .recovery import remaining_bias as remaining_bias
