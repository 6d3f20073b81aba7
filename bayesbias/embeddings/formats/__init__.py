"""Embedding formats: each a generator of entries or chunks, or a function that loads it whole.

``entries(embedding, wanted)`` yields all words, or the wanted ones. It reads to the end, so that
damage anywhere is noticed. Damage is a ValueError that names the path and the entry or
line; it is raised when reading gets there, so use nothing that was yielded before the end.
"""
