"""Readers of corpus files.

JSON lines, tables, untrusted XML, annotated words; every error names file, place and remedy.
"""
