"""Searches and compiled loops that several rooms need; they know bit sets and arrays, nothing of scenes or corpora."""
