"""Words in contexts: vectors of a contextual encoder, their long-form table, and SEAT-like scores.

``contextual_vectors(encoder, words)``, then ``contextual_table(vectors, wordlist)``, then
``fit(table, "contextual")``: summaries, contrasts, checks and plots are the same as ever. Needs
the extra ``mlm``; nothing else here imports torch.
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
