"""Task-performance evaluation: expressions in place of others, evaluators, and the analysis of their answers."""
