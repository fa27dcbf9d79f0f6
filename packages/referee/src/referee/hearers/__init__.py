"""Simulated hearers: they see a shuffled scene and a description, and answer with probabilities, never with a score."""
