"""Word lists and the long-form table: reading, checking, building and describing them."""

from . import descriptives as descriptives
