"""Trains the shipped models from labelled data."""
