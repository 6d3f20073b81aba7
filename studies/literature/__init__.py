"""Single claims of published papers, computed again.

A function of `CLAIMS` returns a frame with the columns ``claim``, ``printed``, ``recomputed``,
``agrees`` and ``cause``, the row of most weight first. Published tables are read from the folder
that is passed or that BAYESBIAS_DATA names; docs/literature.md has all of them on one page.
``python -m studies.literature NAME`` prints one.
"""

from .claims import CLAIM_COLUMNS as CLAIM_COLUMNS
from .claims import Claim as Claim
from .copied_vectors import copies as copies
from .copied_vectors import copies_and_intervals as copies_and_intervals
from .copied_vectors import equidistant as equidistant
from .copied_vectors import mac_without_copies as mac_without_copies
from .distances import band_shares as band_shares
from .distances import control_lists as control_lists
from .distances import mac_change as mac_change
from .distances import nearest_to_priest as nearest_to_priest
from .distances import neutral_sd as neutral_sd
from .distances import religion_sample as religion_sample
from .distances import repeated_rows as repeated_rows
from .figures import draws_made as draws_made
from .figures import interval_kind as interval_kind
from .figures import predictive_check as predictive_check
from .figures import refit as refit
from .figures import residual_sds as residual_sds
from .findings import asia as asia
from .findings import gender_levels as gender_levels
from .findings import hers as hers
from .findings import human_furthest as human_furthest
from .findings import overlap as overlap
from .findings import religion_orders as religion_orders
from .language_models import crows_pairs as crows_pairs
from .language_models import direction_of_jss as direction_of_jss
from .language_models import js_of_the_code as js_of_the_code
from .language_models import kls_of_equal_sds as kls_of_equal_sds
from .language_models import unit_of_jss as unit_of_jss
from .null_example import PaperExample as PaperExample
from .null_example import null_share as null_share
from .null_example import paper_example as paper_example
from .registry import CLAIMS as CLAIMS
from .registry import ENTRIES as ENTRIES
from .registry import Entry as Entry
from .scores import association_limit as association_limit
from .scores import background_shifts as background_shifts
from .scores import direct_bias_misses as direct_bias_misses
from .scores import direct_bias_of_professions as direct_bias_of_professions
from .scores import effect_size_extremes as effect_size_extremes
from .scores import extremes_of_psi as extremes_of_psi
from .scores import google_news as google_news
from .scores import gweat_of_two as gweat_of_two
from .scores import order_of_groups as order_of_groups
from .scores import ranking_intervals as ranking_intervals
from .scores import sides_of_sets as sides_of_sets
from .scores import young_names as young_names
from .sources import TABLES as TABLES
from .sources import data_folder as data_folder
from .sources import plotted_posteriors as plotted_posteriors
from .sources import published_table as published_table
from .worked_examples import effect_size_range as effect_size_range
from .worked_examples import list_sizes as list_sizes
from .worked_examples import null_statistics as null_statistics
from .worked_examples import prior_range as prior_range
from .worked_examples import weat_example as weat_example
