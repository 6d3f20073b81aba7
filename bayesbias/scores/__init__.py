"""Cosine scores of bias, one function a score.

Four lists of words: ``weat(vectors, X, Y, A, B)``; words and two poles: ``weam(vectors, words, A,
B)``; targets and groups: ``same(vectors, targets, groups)``; a word list: ``mac(vectors,
wordlist)``. All that apply to a word list at once: ``score_table(vectors, wordlist)``.

``vectors`` is an embedding, gensim's KeyedVectors or a mapping of words to arrays; with ``None``
sets are matrices of vectors, (n_words, n_dims), instead of words. Words that the embedding lacks
are left out, and named in the result's ``missing``.

To add a score, write its file, which ends with its `ListScore`, and add its entry here.
"""

from .association import SEMAXIS, WEAM
from .association import association_limit as association_limit
from .association import psi as psi
from .association import semaxis as semaxis
from .association import weam as weam
from .bootstrap import bootstrap as bootstrap
from .coherence import ECT, GWEAT, RND
from .coherence import ect as ect
from .coherence import gweat as gweat
from .coherence import rnd as rnd
from .mac import MAC
from .mac import mac as mac
from .mac import mac_change as mac_change
from .mac import mac_of_table as mac_of_table
from .nas import NAS
from .nas import nas as nas
from .nas import sc_weat as sc_weat
from .pairs import DIRECT_BIAS, RIPA
from .pairs import direct_bias as direct_bias
from .pairs import direction_correlations as direction_correlations
from .pairs import ripa as ripa
from .permutation import PermutationTest as PermutationTest
from .permutation import permutation_test as permutation_test
from .registry import SCORES as SCORES
from .registry import ListScore as ListScore
from .registry import properties as properties
from .result import ScoreResult as ScoreResult
from .rnsb import RNSB
from .rnsb import rnsb as rnsb
from .robustness import robustness as robustness
from .same import SAME, SKEW, STEREOTYPE
from .same import same as same
from .table import score_table as score_table
from .weat import EFFECT_SIZE, STATISTIC
from .weat import associations as associations
from .weat import effect_sizes as effect_sizes
from .weat import weat as weat

SCORES |= {
    "weat": EFFECT_SIZE,
    "weat_statistic": STATISTIC,
    "weam": WEAM,
    "nas": NAS,
    "semaxis": SEMAXIS,
    "rnd": RND,
    "ect": ECT,
    "ripa": RIPA,
    "rnsb": RNSB,
    "gweat": GWEAT,
    "mac": MAC,
    "same": SAME,
    "same_skew": SKEW,
    "same_stereotype": STEREOTYPE,
    "direct_bias": DIRECT_BIAS,
}
