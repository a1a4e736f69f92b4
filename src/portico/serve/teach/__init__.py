"""The teaching server, for the builder alone: shows pages, takes marks, tries the result."""
