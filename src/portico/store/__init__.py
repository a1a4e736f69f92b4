"""Where is it kept? Given an id, returns the thing."""
