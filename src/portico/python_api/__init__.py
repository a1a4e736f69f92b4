"""Portico from Python: open and query a portal, or read single files and references. See docs/python.md."""
