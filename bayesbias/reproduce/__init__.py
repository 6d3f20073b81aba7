"""Single claims of published papers, computed again."""

from .null_example import PaperExample, null_share, paper_example

__all__ = ["PaperExample", "null_share", "paper_example"]
