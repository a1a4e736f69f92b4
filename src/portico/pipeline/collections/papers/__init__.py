"""Papers, matched by title and authors, linked by citations."""
