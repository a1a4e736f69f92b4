"""Who does the work? Runs a pure function over many items in a pool of processes."""
