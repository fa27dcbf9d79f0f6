"""Publication forms of results: tables, LaTeX, pages."""
