"""Where work is done: in this process, in worker processes, or on a Ray cluster; results are the same."""
