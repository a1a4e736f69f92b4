"""The teaching server, for the builder only: shows pages, records marks, and tries out the result."""
