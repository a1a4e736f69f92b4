"""3. What does this document say about itself? A document in, records with fields out."""

VERSION = "16"
"""Changes when the same document and models would give other records."""
