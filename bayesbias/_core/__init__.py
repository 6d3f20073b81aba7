"""General helpers, unrelated to bias: arrays, seeds, checks, files, progress bars, and jobs."""
