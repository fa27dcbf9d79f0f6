"""Language models: one client, the response cache, and how answers are read; for speakers, hearers and players alike."""
