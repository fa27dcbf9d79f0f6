"""Readers: one file format, one module; every reader yields the same `Trial`."""
