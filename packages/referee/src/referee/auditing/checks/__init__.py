"""The checks: what one printed number implies about another; one kind of check per module."""
