"""The pages and answers of a portal of papers."""
