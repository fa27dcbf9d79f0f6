"""A metric, a system, a corpus, a hearer and a protocol for Referee, each in a module of its own."""
