"""Which link next? Trained policies, their features, and how they learn during a crawl."""
