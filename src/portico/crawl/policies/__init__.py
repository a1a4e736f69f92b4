"""Which link next? Trained policies, what they look at, and how a crawl corrects them."""
