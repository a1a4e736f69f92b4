"""4. What is it about? Records in, assignments to topics out."""

VERSION = 13
"""Raised when the same documents and topics would be classified otherwise; all documents are then placed
again."""
