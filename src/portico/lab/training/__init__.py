"""Training of the models that ship, from labelled data."""
