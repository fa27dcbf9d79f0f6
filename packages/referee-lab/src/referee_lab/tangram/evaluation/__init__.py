"""Task-performance evaluation: expressions put in place of others, evaluators, and what their answers say."""
