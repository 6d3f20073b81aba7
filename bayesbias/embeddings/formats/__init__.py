"""Embedding formats, one a module, each with one generator.

``chunks(source, rows, wanted)`` yields `Chunk`s of at most so many rows: all words, or the wanted
ones. It reads to the end, so that damage anywhere is noticed. What is wrong with a file is a
ValueError that names its path and the entry or line; it comes when reading gets there, so use
nothing that was yielded before the end is reached.
"""
