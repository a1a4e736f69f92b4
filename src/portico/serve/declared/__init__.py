"""Pages and API of a portal of declared kinds: organisations, courses, anything."""
