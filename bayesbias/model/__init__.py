"""Models: their TOML files, priors, design, PyMC form, and the posterior's layout."""
