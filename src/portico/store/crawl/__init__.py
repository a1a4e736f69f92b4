"""What the crawl knows: the frontier, what it learned, what changes, and how it came to each address."""
