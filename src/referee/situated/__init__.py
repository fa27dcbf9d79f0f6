"""Situated reference: two people over a shared board; the game, its recordings, models of what a reference rests on, and its evaluation (Spanger et al. 2013)."""
