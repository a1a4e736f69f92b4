"""The pages of a portal whose domain declares its kinds: people, organisations, courses, anything."""
