"""Readers of labeled datasets from other projects."""
