"""The builder's view: crawl results, failures, doubtful values, and contributions of visitors."""
