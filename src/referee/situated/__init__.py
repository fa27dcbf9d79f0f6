"""Situated reference on real corpora and with people: where dialogues, corpora, hearing measures and statistics meet (Spanger et al. 2013)."""
