"""Sample the posterior of a model with the exact sampler or with PyMC's NUTS."""
