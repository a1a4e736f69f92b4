"""5. Are these two the same paper? Records in, entities and citations out."""
