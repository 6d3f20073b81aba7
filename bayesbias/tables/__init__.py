"""Read, check, build, and describe word lists and long-form tables."""

from . import descriptives as descriptives
