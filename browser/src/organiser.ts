// Entry point: the organisers page.
