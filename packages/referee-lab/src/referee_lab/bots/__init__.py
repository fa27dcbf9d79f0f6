"""Simulated participants over the real server, with a network as bad as wished, or in a real Chromium."""
