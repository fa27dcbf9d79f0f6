"""Printed tables as data, and the audit, which checks printed numbers against each other."""
