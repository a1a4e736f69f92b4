"""A server of its own for the builder alone: pages are shown, passages marked, and the result tried."""
