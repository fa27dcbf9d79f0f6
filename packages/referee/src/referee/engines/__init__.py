"""Where work is done: in processes of this machine, or on a Ray cluster. What comes out is the same."""
