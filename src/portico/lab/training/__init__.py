"""Trains the shipped models from labeled data."""
