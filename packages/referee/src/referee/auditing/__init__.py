"""Printed tables as data, and the audit that recomputes whatever one printed number implies about another."""
