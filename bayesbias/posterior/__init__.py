"""Summarize, compare, and check posteriors, and test their sensitivity."""
