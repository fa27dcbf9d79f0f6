"""Measures of descriptions that need no hearer: sets, scenes, meanings, strings, distributions."""
