"""Reports: HTML pages that explain what was measured and what the results mean."""
