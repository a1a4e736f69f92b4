"""3. What does this document say about itself? A document in, records with fields out."""
