"""Where it is kept: I have an id, give me the thing."""
