"""Cosine scores of bias, each a function on word lists and one on arrays (``NAME_of``).

Four lists of words: ``weat(vectors, X, Y, A, B)``; words and two poles: ``weam(vectors, words, A,
B)``; targets and groups: ``same(vectors, targets, groups)``; a word list: ``mac(vectors,
wordlist)``. All that apply to a word list at once: ``score_table(vectors, wordlist)``.

Everywhere ``vectors`` is an embedding, gensim's KeyedVectors or a mapping of words to arrays, and
sets given as arrays are matrices (n_words, n_dims). Words that the embedding lacks are left out,
and named in the result's ``missing``.

To add a score, write its file, which ends with its `ListScore`, and add its entry here.
"""

from .bootstrap import BootstrapResult as BootstrapResult
from .bootstrap import bootstrap as bootstrap
from .bootstrap import bootstrap_of as bootstrap_of
from .direct_bias import SCORE as _DIRECT_BIAS
from .direct_bias import DirectBiasResult as DirectBiasResult
from .direct_bias import direct_bias as direct_bias
from .direct_bias import direct_bias_of as direct_bias_of
from .direct_bias import direction_correlations as direction_correlations
from .ect import SCORE as _ECT
from .ect import EctResult as EctResult
from .ect import ect as ect
from .ect import ect_of as ect_of
from .gweat import SCORE as _GWEAT
from .gweat import GweatResult as GweatResult
from .gweat import gweat as gweat
from .gweat import gweat_groups as gweat_groups
from .gweat import gweat_of as gweat_of
from .mac import SCORE as _MAC
from .mac import MacChange as MacChange
from .mac import MacResult as MacResult
from .mac import mac as mac
from .mac import mac_change as mac_change
from .mac import mac_of as mac_of
from .mac import mac_of_table as mac_of_table
from .nas import SCORE as _NAS
from .nas import NasResult as NasResult
from .nas import ScWeatResult as ScWeatResult
from .nas import nas as nas
from .nas import nas_of as nas_of
from .nas import sc_weat as sc_weat
from .nas import sc_weat_of as sc_weat_of
from .permutation import PermutationTest as PermutationTest
from .permutation import permutation_test as permutation_test
from .registry import SCORES as SCORES
from .registry import ListScore as ListScore
from .registry import properties as properties
from .ripa import SCORE as _RIPA
from .ripa import RipaResult as RipaResult
from .ripa import ripa as ripa
from .ripa import ripa_of as ripa_of
from .rnd import SCORE as _RND
from .rnd import RndResult as RndResult
from .rnd import rnd as rnd
from .rnd import rnd_of as rnd_of
from .rnsb import SCORE as _RNSB
from .rnsb import RnsbResult as RnsbResult
from .rnsb import rnsb as rnsb
from .rnsb import rnsb_of as rnsb_of
from .robustness import robustness as robustness
from .same import SCORE as _SAME
from .same import SKEW as _SAME_SKEW
from .same import STEREOTYPE as _SAME_STEREOTYPE
from .same import SameResult as SameResult
from .same import group_direction_correlations as group_direction_correlations
from .same import same as same
from .same import same_of as same_of
from .semaxis import SCORE as _SEMAXIS
from .semaxis import SemAxisResult as SemAxisResult
from .semaxis import semaxis as semaxis
from .semaxis import semaxis_of as semaxis_of
from .table import score_table as score_table
from .weam import SCORE as _WEAM
from .weam import WeamResult as WeamResult
from .weam import association_limit as association_limit
from .weam import association_limit_of as association_limit_of
from .weam import psi as psi
from .weam import psi_of as psi_of
from .weam import weam as weam
from .weam import weam_of as weam_of
from .weat import EFFECT_SIZE as _EFFECT_SIZE
from .weat import STATISTIC as _STATISTIC
from .weat import WeatResult as WeatResult
from .weat import associations as associations
from .weat import effect_sizes as effect_sizes
from .weat import weat as weat
from .weat import weat_of as weat_of
from .weat import weat_of_associations as weat_of_associations

SCORES |= {
    "weat": _EFFECT_SIZE,
    "weat_statistic": _STATISTIC,
    "weam": _WEAM,
    "nas": _NAS,
    "semaxis": _SEMAXIS,
    "rnd": _RND,
    "ect": _ECT,
    "ripa": _RIPA,
    "rnsb": _RNSB,
    "gweat": _GWEAT,
    "mac": _MAC,
    "same": _SAME,
    "same_skew": _SAME_SKEW,
    "same_stereotype": _SAME_STEREOTYPE,
    "direct_bias": _DIRECT_BIAS,
}
