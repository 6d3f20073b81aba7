"""Define models: their TOML files, priors, designs, PyMC versions, and posterior layout."""
