"""Portico from Python: open a portal and ask it, or read single files and references. See docs/python.md."""
