"""Studies for the documentation: each file computes one of its tables."""
