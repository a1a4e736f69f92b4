"""How good is it? Training and measuring on labelled data."""
