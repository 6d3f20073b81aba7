"""Read the vectors of selected words, or of whole vocabularies, from embedding files."""
