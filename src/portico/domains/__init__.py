"""What a portal is about: declarations and pure functions, one folder a domain."""
