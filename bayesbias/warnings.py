"""The classes of all warnings, for filters and for reading their fields.

`SamplingWarning` is the base class of doubts about a posterior: the numbers are unreliable. All
classes derive from `BayesbiasWarning`, which is a `UserWarning`::

    warnings.filterwarnings("ignore", category=bb.warnings.RepeatedRows)
"""

from __future__ import annotations

from ._core.doubts import (
    ChainsDisagree,
    Divergences,
    DivergencesUnknown,
    FewEffectiveDraws,
    FewProposals,
    HighJointParetoK,
    HighParetoK,
    PriorConflict,
    UnreliableLoo,
)
from ._core.notices import (
    ColumnsNotRead,
    ContextIgnored,
    DamagedResults,
    EmptyVectors,
    EquidistantWords,
    ExactCopies,
    FewDirections,
    FrequencyNotRemoved,
    LeftOut,
    ListInOneEmbedding,
    LittleRemoved,
    MissingSet,
    MissingWords,
    NoLikeness,
    NothingDrawn,
    PairsNotShared,
    RepeatedRows,
    RunWasStopped,
    SameSpellings,
    SameVectors,
    SeveralEmbeddings,
    ThinSet,
    UnfinishedLog,
    UnknownTokens,
    VectorsFromSubwords,
    WordsInTwoRoles,
    ZeroVectors,
)
from ._core.warnings import (
    BayesbiasWarning,
    OtherWarning,
    SamplingWarning,
)

__all__ = [
    "BayesbiasWarning",
    "ChainsDisagree",
    "ColumnsNotRead",
    "ContextIgnored",
    "DamagedResults",
    "Divergences",
    "DivergencesUnknown",
    "EmptyVectors",
    "EquidistantWords",
    "ExactCopies",
    "FewDirections",
    "FewEffectiveDraws",
    "FewProposals",
    "FrequencyNotRemoved",
    "HighJointParetoK",
    "HighParetoK",
    "LeftOut",
    "ListInOneEmbedding",
    "LittleRemoved",
    "MissingSet",
    "MissingWords",
    "NoLikeness",
    "NothingDrawn",
    "OtherWarning",
    "PairsNotShared",
    "PriorConflict",
    "RepeatedRows",
    "RunWasStopped",
    "SameSpellings",
    "SameVectors",
    "SamplingWarning",
    "SeveralEmbeddings",
    "ThinSet",
    "UnfinishedLog",
    "UnknownTokens",
    "UnreliableLoo",
    "VectorsFromSubwords",
    "WordsInTwoRoles",
    "ZeroVectors",
]
