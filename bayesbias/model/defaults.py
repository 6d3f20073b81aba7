"""The models that are fitted where none is asked for, by what is modelled."""

from __future__ import annotations

DEFAULT_MODELS = {
    "distance": ("crossed", "maximal"),
    "change": ("change-crossed", "change-maximal"),
}
"""Models that stand side by side, the recommended one last; a single fit takes that.

The one before it lacks the terms by which words and attributes lean, and so shows what they do.
"""

RECOMMENDED = {outcome: models[-1] for outcome, models in DEFAULT_MODELS.items()}
"""The model of an outcome that keeps its rates of false alarms (`bayesbias docs calibration`)."""

EXTRA_GROUPS = ("log_likelihood", "log_prior", "posterior_predictive", "prior_predictive")
"""Groups that may be added to a posterior for ArviZ; the last brings ``prior`` with it."""
