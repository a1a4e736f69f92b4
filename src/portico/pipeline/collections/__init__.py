"""What portals hold: one folder a kind, each with all that is done differently for it."""
