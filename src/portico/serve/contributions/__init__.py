"""Contributions: corrections, submissions, the builder's password, and what may be written."""
