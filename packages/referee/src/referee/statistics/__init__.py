"""Inference: what follows from numbers, with effect sizes and intervals beside every p."""
