"""Whole analyses of word lists, changes, sentence pairs, and sweeps, and their result folders."""
