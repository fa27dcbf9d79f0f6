"""Inference: statistical tests with effect sizes and intervals beside every p."""
