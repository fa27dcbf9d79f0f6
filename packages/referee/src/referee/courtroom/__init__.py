"""The court: tests automatic measures against the results of hearers."""
