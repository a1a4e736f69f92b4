"""In which order? The only room that knows all stages, uses the store, and records failures."""
