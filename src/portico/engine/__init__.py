"""Who does the work: runs a pure function over many inputs in a pool of processes."""
