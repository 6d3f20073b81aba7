"""Default models for each outcome."""

from __future__ import annotations

DEFAULT_MODELS = {
    "distance": ("by-group",),
    "change": ("change-by-group",),
}
"""Models fitted by default; if there are several, the recommended one is last."""

RECOMMENDED = {outcome: models[-1] for outcome, models in DEFAULT_MODELS.items()}
"""For each outcome, the model with the right false alarm rates (`bayesbias docs calibration`)."""

EXTRA_GROUPS = ("log_likelihood", "log_prior", "posterior_predictive", "prior_predictive")
"""Groups that you can add to a posterior for ArviZ; ``prior_predictive`` also adds ``prior``."""
