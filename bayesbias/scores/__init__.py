"""Cosine scores of bias, each a function on word lists and one on arrays (``NAME_of``).

Four lists of words: ``weat(vectors, X, Y, A, B)``; words and two poles: ``weam(vectors, words, A,
B)``; targets and groups: ``same(vectors, targets, groups)``; a word list: ``mac(vectors,
wordlist)``. All that apply to a word list at once: ``score_table(vectors, wordlist)``.
"""

from .bootstrap import BootstrapResult, bootstrap, bootstrap_of
from .direct_bias import DirectBiasResult, direct_bias, direct_bias_of, direction_correlations
from .ect import EctResult, ect, ect_of
from .gweat import GweatResult, gweat, gweat_groups, gweat_of
from .mac import MacChange, MacResult, mac, mac_change, mac_of, mac_of_table
from .nas import NasResult, nas, nas_of
from .permutation import PermutationResult, PValues, permutation_p_values, permutation_test
from .properties import properties
from .registry import SCORES, ListScore
from .ripa import RipaResult, ripa, ripa_of
from .rnd import RndResult, rnd, rnd_of
from .rnsb import RnsbResult, rnsb, rnsb_of
from .robustness import robustness
from .same import SameResult, same, same_of
from .sc_weat import ScWeatResult, sc_weat, sc_weat_of
from .semaxis import SemAxisResult, semaxis, semaxis_of
from .table import score_table
from .weam import WeamResult, association_limit, association_limit_of, psi, psi_of, weam, weam_of
from .weat import WeatResult, effect_sizes, weat, weat_of, weat_of_associations

__all__ = [
    "SCORES",
    "BootstrapResult",
    "DirectBiasResult",
    "EctResult",
    "GweatResult",
    "ListScore",
    "MacChange",
    "MacResult",
    "NasResult",
    "PValues",
    "PermutationResult",
    "RipaResult",
    "RndResult",
    "RnsbResult",
    "SameResult",
    "ScWeatResult",
    "SemAxisResult",
    "WeamResult",
    "WeatResult",
    "association_limit",
    "association_limit_of",
    "bootstrap",
    "bootstrap_of",
    "direct_bias",
    "direct_bias_of",
    "direction_correlations",
    "ect",
    "ect_of",
    "effect_sizes",
    "gweat",
    "gweat_groups",
    "gweat_of",
    "mac",
    "mac_change",
    "mac_of",
    "mac_of_table",
    "nas",
    "nas_of",
    "permutation_p_values",
    "permutation_test",
    "properties",
    "psi",
    "psi_of",
    "ripa",
    "ripa_of",
    "rnd",
    "rnd_of",
    "rnsb",
    "rnsb_of",
    "robustness",
    "same",
    "same_of",
    "sc_weat",
    "sc_weat_of",
    "score_table",
    "semaxis",
    "semaxis_of",
    "weam",
    "weam_of",
    "weat",
    "weat_of",
    "weat_of_associations",
]
