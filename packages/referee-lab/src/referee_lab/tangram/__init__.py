"""Situated reference: two people over a shared board; the game, its recordings, models of reference, and its evaluation (Spanger et al. 2013)."""
