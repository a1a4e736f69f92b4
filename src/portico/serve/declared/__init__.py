"""The pages and answers of a portal whose domain declares its kinds: organisations, courses, anything."""
