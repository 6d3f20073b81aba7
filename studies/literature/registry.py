"""The claims in the order of docs/literature.md: paper, place, function, arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd

from . import copied_vectors, distances, figures, findings, language_models, scores, worked_examples

BAYESIAN = "Dobrzeniecka and Urbaniak (2024)"
SEMANTIC = "Schröder et al. (2024), Semantic properties"
SAME_SCORE = "Schröder, Schulz and Hammer (2024), SAME"
BACKGROUND = "Smarda (2021)"
ROBUST = "Liu (2024)"

QUOTED = "(second hand)"
"""Marks a place whose printed value was quoted to us: the paper itself could not be opened."""


@dataclass(frozen=True)
class Entry:
    """A claim on the page.

    Parameters
    ----------
    paper, where : str
        The paper, and the section, table or figure.
    function : callable
        Returns a frame of claims.
    arguments : tuple of str
        Its positional arguments.
    """

    paper: str
    where: str
    function: Callable[..., pd.DataFrame]
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the function in `studies.literature`."""
        return self.function.__name__

    @property
    def needs_data(self) -> bool:
        """Whether published files are read."""
        return "folder" in inspect.signature(self.function).parameters

    @property
    def command(self) -> str:
        """Command that prints the frame."""
        return " ".join(["python -m studies.literature", self.name, *self.arguments])

    def frame(self, **options: str | None) -> pd.DataFrame:
        """Compute the claim."""
        return self.function(*self.arguments, **options)


ENTRIES = (
    Entry(BAYESIAN, "section 1, footnote on list sizes", worked_examples.list_sizes),
    Entry(BAYESIAN, "section 2, example of WEAT", worked_examples.weat_example),
    Entry(BAYESIAN, "table 1", distances.religion_sample),
    Entry(BAYESIAN, "table 2", distances.mac_change),
    Entry(BAYESIAN, "table 2, with every vector once", copied_vectors.mac_without_copies),
    Entry(BAYESIAN, "figures 3, 15 and section 5.2", distances.band_shares, ("religion",)),
    Entry(BAYESIAN, "figures 4, 16 and section 5.2", distances.band_shares, ("gender",)),
    Entry(BAYESIAN, "figures 5, 17 and section 5.2", distances.band_shares, ("race",)),
    Entry(BAYESIAN, "the lists behind these shares", distances.control_lists),
    Entry(BAYESIAN, "section 3.2, figure of *priest*", distances.nearest_to_priest),
    Entry(
        BAYESIAN, "section 3.2, effect sizes of Caliskan et al.", worked_examples.effect_size_range
    ),
    Entry(BAYESIAN, "section 3.2, null example: 38%, ps, t-tests", worked_examples.null_statistics),
    Entry(BAYESIAN, "section 3.2, sd of the null model", distances.neutral_sd),
    Entry(BAYESIAN, "section 4.1, range of the prior", worked_examples.prior_range),
    Entry(BAYESIAN, "figure 12, its caption", figures.predictive_check, ("religion_reddit",)),
    Entry(BAYESIAN, "appendix, predictive check", figures.predictive_check, ("religion_google",)),
    Entry(BAYESIAN, "race tables", distances.repeated_rows),
    Entry(
        BAYESIAN, "result figures: the model behind them", figures.residual_sds, ("religion_glove",)
    ),
    Entry(BAYESIAN, "result figures: the intervals", figures.interval_kind, ("religion_glove",)),
    Entry(BAYESIAN, "result figures: the draws", figures.draws_made, ("gender_google",)),
    Entry(BAYESIAN, "result figures: the draws", figures.draws_made, ("religion_reddit",)),
    Entry(BAYESIAN, "figure 13, gender on Reddit", figures.refit, ("gender_reddit",)),
    Entry(BAYESIAN, "figure 14, debiased gender", figures.refit, ("debiased_gender_reddit",)),
    Entry(BAYESIAN, "appendix, debiased race", figures.refit, ("debiased_race_reddit",)),
    Entry(BAYESIAN, "section 5.1, WEAT 1", findings.human_furthest),
    Entry(BAYESIAN, "section 5.1, religion", findings.overlap, ("religion_glove",)),
    Entry(BAYESIAN, "section 5.1, gender", findings.overlap, ("gender_glove",)),
    Entry(BAYESIAN, "section 5.1, gender", findings.overlap, ("gender_google",)),
    Entry(BAYESIAN, "section 5.1, gender on Reddit", findings.gender_levels),
    Entry(BAYESIAN, "section 5.2, the debiased tables", copied_vectors.copies),
    Entry(
        BAYESIAN, "section 5.2, alignment of associated and different", copied_vectors.equidistant
    ),
    Entry(BAYESIAN, "section 5.2, intervals after debiasing", copied_vectors.copies_and_intervals),
    Entry(BAYESIAN, "section 5.2, *hers*", findings.hers),
    Entry(BAYESIAN, "section 5.2, *asia* and *asian*", findings.asia),
    Entry(BAYESIAN, "section 5.2, *christian* and *jew*", findings.religion_orders),
    Entry("Caliskan et al. (2017)", f"supplement, table 2 {QUOTED}", scores.google_news),
    Entry("Bolukbasi et al. (2016)", f"section 5.2 {QUOTED}", scores.direct_bias_of_professions),
    Entry(SEMANTIC, "theorem 1", scores.extremes_of_psi),
    Entry(SEMANTIC, f"table 2 {QUOTED}", scores.association_limit),
    Entry(SEMANTIC, "theorems 3 and 4", scores.effect_size_extremes),
    Entry(SEMANTIC, "theorem 6", scores.direct_bias_misses),
    Entry(SAME_SCORE, "equation 3", scores.gweat_of_two),
    Entry(SAME_SCORE, "equations 13-16, and the code", scores.order_of_groups),
    Entry(SAME_SCORE, f"table 3, CrowS-Pairs {QUOTED}", scores.ranking_intervals),
    Entry(BACKGROUND, f"table 2, Φ of X {QUOTED}", scores.sides_of_sets),
    Entry(BACKGROUND, f"table 2, shifts of tests 6 to 8 {QUOTED}", scores.background_shifts),
    Entry(BACKGROUND, f"table 2, test 10 {QUOTED}", scores.young_names),
    Entry(ROBUST, "KLS", language_models.kls_of_equal_sds),
    Entry(ROBUST, "JSS, and the code", language_models.js_of_the_code),
    Entry(ROBUST, "JSS, its unit", language_models.unit_of_jss),
    Entry(ROBUST, "JSS, its direction", language_models.direction_of_jss),
    Entry("Nangia et al. (2020)", "abstract", language_models.crows_pairs),
)
"""The rows of the page."""

CLAIMS = {entry.name: entry.function for entry in ENTRIES}
"""Functions that return a frame of claims, by name."""
