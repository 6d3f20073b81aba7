"""Embedding formats, one a module, each with two functions.

``pick(source, wanted)`` yields the wanted words with their vectors, in the order of the source;
``iterate(source, rows)`` yields all words and vectors in chunks. Both read to the end, so that
damage anywhere is noticed, and compare words as bytes: a word that is no UTF-8 does no harm unless
it is wanted. What is wrong with a file is a ValueError that names its path and the entry or line;
it comes when reading gets there, so use nothing that was yielded before the end is reached.
"""
