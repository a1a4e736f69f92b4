"""Things of the kinds that a domain declares: matched by their identity, part of each other."""
