"""Published claims, recomputed: one file a paper; run `python -m studies.literature NAME`."""
