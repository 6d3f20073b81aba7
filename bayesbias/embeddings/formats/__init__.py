"""Embedding formats: each has a generator of entries or chunks, or a function that loads a file.

``entries(embedding, wanted)`` yields all words or the wanted ones. It reads to the end, so it
detects damage anywhere and raises a ValueError that names the path and the entry or line. The error
is raised only when reading reaches the damage, so do not use results until the whole file is read.
"""
