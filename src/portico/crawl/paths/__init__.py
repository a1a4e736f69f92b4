"""Which paths lead to the pages wanted? Learned from example paths."""
