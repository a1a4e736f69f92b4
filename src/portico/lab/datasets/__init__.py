"""Readers of labelled data: sets of others, as values of ours."""
