"""3. What does this document say about itself? A document in, records with fields out."""

VERSION = "17"
"""Changes when the same document and models would give other records."""
