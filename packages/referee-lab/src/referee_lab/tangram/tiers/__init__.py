"""Recorded dialogues as tiers of timed events: from logs, ELAN files, tables and corpora; and annotators' marks."""
