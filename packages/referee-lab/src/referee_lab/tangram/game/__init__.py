"""The Tangram game: board, goals, rules, the log of a session, and bots that play it."""
