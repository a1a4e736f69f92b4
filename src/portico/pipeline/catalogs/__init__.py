"""Catalogs of other programs: detects their format and reads their records."""
