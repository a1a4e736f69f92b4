"""Research papers: fields, features, normalizers, topic tree."""
