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

_loaded, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]


def __getattr__(name: str) -> object:
    """Load a public name; the error for an unknown name suggests a close one."""
    try:
        return _loaded(name)
    except AttributeError as error:
        if name in __all__:
            raise
        from difflib import get_close_matches

        near = get_close_matches(name, __all__, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"{error}{hint}", name=name, obj=error.obj) from None
