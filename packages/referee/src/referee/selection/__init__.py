"""Choosing what to say: one theory, one module."""
