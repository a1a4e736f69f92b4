"""How machines learn: sequences and arrays; has never heard of a paper."""
