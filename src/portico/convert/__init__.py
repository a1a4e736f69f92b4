"""2. What does this file say? Bytes in, a document with layout out."""

VERSION = 9
"""Raised whenever the same bytes may give another document: what older versions made is made again."""
