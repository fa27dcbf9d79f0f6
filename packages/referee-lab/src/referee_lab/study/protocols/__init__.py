"""The kinds of experiment: each says what it shows, what comes back, and how a simulated person would do it."""
