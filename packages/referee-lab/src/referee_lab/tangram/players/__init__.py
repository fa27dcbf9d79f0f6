"""Who plays: people, bots and language models under one contract, and what came of their games."""
