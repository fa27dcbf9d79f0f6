"""The kinds of experiments: each declares its display, its recorded data, and the behaviour of a simulated participant."""
