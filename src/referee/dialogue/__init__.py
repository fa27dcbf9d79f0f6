"""Situated dialogue: what two people did and said over a shared board, and what a reference rests on (Spanger et al. 2013)."""
