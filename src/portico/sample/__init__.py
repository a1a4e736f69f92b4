"""Generates a small academic web with known ground truth, for the demo and the tests."""
