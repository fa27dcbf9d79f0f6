"""Pictures: where things are in them, what models answer about places, and which convention their numbers follow."""
