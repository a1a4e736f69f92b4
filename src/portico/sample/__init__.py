"""A small academic web of our own making, with the truth about it, for the demo and the tests."""
