"""6. Which papers fit these words? Entries in, hits out."""
