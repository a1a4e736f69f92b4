"""Strings: tokens, normal forms, addresses."""
