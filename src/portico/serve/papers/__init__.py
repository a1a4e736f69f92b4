"""Pages and API of a portal of papers."""
