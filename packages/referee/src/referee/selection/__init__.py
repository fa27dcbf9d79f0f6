"""Content selection: one theory per module."""
