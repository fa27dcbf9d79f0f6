"""Who sees what: designs, lists, orders, and the proof of their balance."""
