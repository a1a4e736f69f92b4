"""What the crawl knows: the frontier, learned ranks, change rates, and how each URL was found."""
