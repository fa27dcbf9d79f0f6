"""Language models: one client, the book of calls, and how answers are read; for speakers, hearers and players alike."""
