"""4. What is it about? Records in, assignments to topics out."""

VERSION = 12
"""Raised when the same documents and topics would get other places: all documents are then placed again."""
