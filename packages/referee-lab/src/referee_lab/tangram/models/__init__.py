"""Models of situated reference: features of a situation, the form of a reference, and its resolution."""
