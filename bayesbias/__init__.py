"""Ask whether a word embedding is biased, and how sure you can be of the answer.

You make a long-form table of cosine distances between protected words and attributes. You fit
hierarchical models to the table, and get intervals, contrasts, and checks. Every public name is
loaded when you first use it, so importing the package is quick.

Examples with posteriors assume ``post = bb.fit(table)``. The ``table`` contains the distances for
the religion list in glove-demo. The ``embeddings`` are glove-demo and a copy that is soft-debiased
for gender, and ``many`` is the result of ``bb.fit_many`` for the gender list in both of them.
"""

import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]
