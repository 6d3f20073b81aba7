"""From a table and a model to a posterior: the exact sampler, and PyMC's NUTS."""
