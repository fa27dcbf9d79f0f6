"""Recorded dialogues as tiers of timed events: from logs, ELAN files, tables and real corpora; what annotators marked."""
