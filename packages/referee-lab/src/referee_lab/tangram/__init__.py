"""Situated reference: two people over a shared board.

The game, its recordings, models of reference, and its evaluation (Spanger et al. 2013).
"""
