"""Words in contexts: vectors from a contextual encoder, their long-form table, and SEAT and CEAT.

Call ``contextual_vectors(encoder, words)``, then ``contextual_table(vectors, wordlist)``, then
``fit(table, "contextual")``. Summaries, contrasts, checks, and plots work as for other models.
Encoding needs the extra ``mlm``; the rest of this package does not import torch.
"""

from .encoders import Encoder as Encoder
from .encoders import load_encoder as load_encoder
from .encoding import POOLINGS as POOLINGS
from .encoding import ContextualVectors as ContextualVectors
from .encoding import contextual_vectors as contextual_vectors
from .sentence_scores import CombinedEffect as CombinedEffect
from .sentence_scores import SeatResult as SeatResult
from .sentence_scores import ceat as ceat
from .sentence_scores import seat as seat
from .sentences import load_sentences as load_sentences
from .sentences import load_templates as load_templates
from .tables import contextual_table as contextual_table
