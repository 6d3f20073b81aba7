"""The debiasing methods, one file each."""
