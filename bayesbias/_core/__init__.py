"""What knows nothing of bias: arrays, random seeds, checks, files, progress, jobs, stores."""
