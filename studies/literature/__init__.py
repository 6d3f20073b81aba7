"""Recompute the claims of published papers, with one function per row.

``python -m studies.literature NAME`` prints a row. With ``--page`` instead of a name, the command
writes docs/tables/literature.csv. Some rows read published data from the folder in BAYESBIAS_DATA.
"""

# ruff: noqa: F401
from . import background, bayesian, bayesian_figures, others, robust, same, semantic
from .claims import AGREES, COLUMNS, DIFFERS, NOT_COMPARABLE, Entry, entries
from .null_example import PaperExample, null_share, paper_example
from .sources import TABLES, data_folder, plotted_posteriors, published_table

ENTRIES = entries()
CLAIMS = {entry.name: entry for entry in ENTRIES}  # rows, keyed by the name of their function
