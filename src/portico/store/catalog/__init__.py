"""What the portal holds: entities, topics, citations, authors, and what matching and indexing remember."""
