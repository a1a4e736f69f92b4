"""2. What does this file say? Bytes in, a document with layout out."""

VERSION = 11
"""Raised whenever the same bytes may result in another document; documents of older versions are converted
again."""
