"""Models of situated reference: what a reference rests on, which form it takes, which thing it means."""
