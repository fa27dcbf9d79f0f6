"""Putting properties into words."""
