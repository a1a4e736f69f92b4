"""Catalogs of other programs: which format a file has, and what its records say."""
