"""Explanations of failures: single mistakes that explain several of them, as sentences."""
