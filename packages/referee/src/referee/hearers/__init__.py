"""Simulated hearers: they see a scene in an order of its own and a description, and answer with probabilities, never with a score."""
