"""Define models: their TOML files, priors, designs, PyMC form, and the layout of posteriors."""
