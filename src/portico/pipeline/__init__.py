"""In which order: the only room that knows all stages, reads and writes the store, records failures."""
