"""What `referee view` shows at a local address: a run that may still grow, or a place to play."""
