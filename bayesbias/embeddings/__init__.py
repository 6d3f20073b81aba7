"""Embedding files to the vectors of the words that are needed, and whole vocabularies."""
