"""Printed tables as executable data, and the audit that recomputes them."""
