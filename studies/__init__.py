"""Studies: each writes one table of the documentation; run `python -m studies NAME`."""
