"""Pictures: regions of objects, models' answers about places, and the conventions of their numbers."""
