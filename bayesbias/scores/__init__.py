"""Cosine scores of bias, one function per score.

``weat(vectors, X, Y, A, B)`` takes four lists of words, ``weam(vectors, words, A, B)`` takes words
and two poles, and ``same(vectors, targets, groups)`` takes targets and groups.
``score_table(vectors, wordlist)`` computes all scores of a word list.

``vectors`` is an embedding: gensim's KeyedVectors or a mapping from words to arrays. If ``vectors``
is ``None``, pass each set as an (n_words, n_dims) matrix of vectors instead of words. Words that
are not in the embedding are left out and listed in the result's ``missing``.

To add a score, write its function and add its `ListScore` to ``registry.SCORES``.
"""

from .directions import direct_bias as direct_bias
from .directions import direction_agreement as direction_agreement
from .directions import ripa as ripa
from .directions import same as same
from .groups import ect as ect
from .groups import gweat as gweat
from .groups import mac as mac
from .groups import mac_change as mac_change
from .groups import mac_of_table as mac_of_table
from .groups import rnd as rnd
from .groups import rnsb as rnsb
from .permutation import PermutationTest as PermutationTest
from .permutation import permutation_test as permutation_test
from .poles import effect_sizes as effect_sizes
from .poles import nas as nas
from .poles import psi as psi
from .poles import semaxis as semaxis
from .poles import weam as weam
from .poles import weat as weat
from .registry import SCORES as SCORES
from .registry import ListScore as ListScore
from .registry import properties as properties
from .result import ScoreResult as ScoreResult
from .table import score_table as score_table
