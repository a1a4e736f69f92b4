"""Explains links, values, topics and matches, one module each."""
