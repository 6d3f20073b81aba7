"""What a posterior says: summaries, contrasts, predictive checks, leave-one-out, sensitivity."""
