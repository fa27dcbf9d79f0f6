"""Players (people, bots and language models) under one contract, and the results of their games."""
