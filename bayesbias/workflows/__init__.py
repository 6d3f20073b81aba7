"""Whole analyses: a word list, a change, sentence pairs, a sweep, and their folders of results."""
