"""The reports: HTML pages that say in plain words what was measured, and what follows."""
