"""Read posteriors: summaries, contrasts, predictive checks, leave-one-out, and sensitivity."""
