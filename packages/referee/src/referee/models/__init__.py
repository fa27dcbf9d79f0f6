"""Language models: one client, the response cache, and the parsers of answers, for speakers, hearers and players."""
