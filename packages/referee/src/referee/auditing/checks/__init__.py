"""What one printed number implies about another: one kind of check a module."""
