"""The commands as functions with results for notebooks: a frame, a figure, a table for a paper."""
