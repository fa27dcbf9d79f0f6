"""The analyses that a study registered."""
