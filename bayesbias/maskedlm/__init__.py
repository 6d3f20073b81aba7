"""Language models: scores of sentence pairs, published measures, and Bayesian models.

Scoring sentences needs the extra ``mlm``. Reading pairs and scores, computing measures from scores,
and fitting models need only the package itself.
"""

from .datasets import PAIR_COLUMNS as PAIR_COLUMNS
from .datasets import ROLES as ROLES
from .datasets import validate_pairs as validate_pairs
from .datasets import word_contrast as word_contrast
from .fitting import fit_pairs as fit_pairs
from .language_models import LanguageModel as LanguageModel
from .language_models import load_language_model as load_language_model
from .language_models import null_models as null_models
from .measures import MEASURES as MEASURES
from .pair_files import read_pairs as read_pairs
from .pair_statistics import Normals as Normals
from .pair_statistics import measure_table as measure_table
from .pair_statistics import preference_gaps as preference_gaps
from .pair_summaries import model_contrasts as model_contrasts
from .pair_summaries import model_ranks as model_ranks
from .pair_summaries import pair_scales as pair_scales
from .pair_summaries import pair_summary as pair_summary
from .pll import SCORE_COLUMNS as SCORE_COLUMNS
from .pll import paired_scores as paired_scores
from .pll import score_pairs as score_pairs
from .preferences import Preferences as Preferences
from .preferences import preferences as preferences
from .score_files import bbq_scores as bbq_scores
from .score_files import read_scores as read_scores
from .shares import observed_shares as observed_shares
from .stereoset import icat as icat
from .stereoset import stereoset_scores as stereoset_scores
