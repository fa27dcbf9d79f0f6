"""What the command line does, as functions with results that a notebook can show: a frame, a figure, a table for a paper."""
