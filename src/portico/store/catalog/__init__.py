"""The contents of the portal: entities, topics, citations, authors, and the state of later stages."""
