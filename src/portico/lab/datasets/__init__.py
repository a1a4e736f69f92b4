"""Readers of labelled datasets by others."""
