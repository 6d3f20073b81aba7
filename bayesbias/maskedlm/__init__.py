"""Language models: scores of sentence pairs, published measures, and the Bayesian view of them.

Reading pairs, measures of two sets of scores and the models of their differences need nothing but
the package; scoring sentences needs the extra ``mlm``.
"""

from .alignment import ROLES, token_spans
from .bayes import fit_pairs, pair_design
from .datasets import PAIR_COLUMNS, read_pairs, validate_pairs
from .language_models import LanguageModel, load_language_model
from .measures import (
    Normals,
    PercentageScore,
    js_divergence,
    js_to_a_normal,
    jss,
    jss_of,
    kls,
    kls_of,
    measure_table,
    percentage_score,
)
from .pair_checks import pair_check, preference_check
from .pair_summaries import model_contrasts, pair_scales, pair_summary
from .pll import SCORE_COLUMNS, paired_scores, score_pairs
from .questions import MEASURES
from .score_sets import sampling_robustness, score_analysis

__all__ = [
    "MEASURES",
    "PAIR_COLUMNS",
    "ROLES",
    "SCORE_COLUMNS",
    "LanguageModel",
    "Normals",
    "PercentageScore",
    "fit_pairs",
    "js_divergence",
    "js_to_a_normal",
    "jss",
    "jss_of",
    "kls",
    "kls_of",
    "load_language_model",
    "measure_table",
    "model_contrasts",
    "pair_check",
    "pair_design",
    "pair_scales",
    "pair_summary",
    "paired_scores",
    "percentage_score",
    "preference_check",
    "read_pairs",
    "sampling_robustness",
    "score_analysis",
    "score_pairs",
    "token_spans",
    "validate_pairs",
]
