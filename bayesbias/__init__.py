"""Ask whether a word embedding is biased, and how sure you can be.

Cosine distances between protected words and attributes become a long-form table; hierarchical
models are fitted to it and read as intervals, contrasts and checks. Every public name is loaded
when it is first used, so importing the package is quick.

Examples of posteriors start from ``post = bb.fit(table)``, where ``table`` has the distances of the
list religion in glove-demo; ``embeddings`` are glove-demo and its soft debiasing by gender, and
``many`` is ``bb.fit_many`` of the list gender in both.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
