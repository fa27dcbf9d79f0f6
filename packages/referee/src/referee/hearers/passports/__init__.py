"""Passports: a simulated hearer is examined against people before its answers count as a measure."""
