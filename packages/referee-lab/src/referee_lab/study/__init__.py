"""Experiments: items, designs, protocols, study folders, data and their analysis."""
