"""Generates a small academic web with known truth, for the demo and the tests."""
