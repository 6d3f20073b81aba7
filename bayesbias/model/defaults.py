"""The models that are fitted where none is asked for, by what is modeled."""

from __future__ import annotations

DEFAULT_MODELS = {
    "distance": ("by-group",),
    "change": ("change-by-group",),
}
"""Models that are fitted where none is asked for; of several the recommended one is last."""

RECOMMENDED = {outcome: models[-1] for outcome, models in DEFAULT_MODELS.items()}
"""The model of an outcome that keeps its rates of false alarms (`bayesbias docs calibration`)."""

EXTRA_GROUPS = ("log_likelihood", "log_prior", "posterior_predictive", "prior_predictive")
"""Groups that may be added to a posterior for ArviZ; the last brings ``prior`` with it."""
