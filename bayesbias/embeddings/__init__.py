"""Read the vectors of selected words, or whole vocabularies, from embedding files."""
