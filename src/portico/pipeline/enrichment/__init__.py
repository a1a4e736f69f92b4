"""Asks external catalogs about papers, if the builder enables it."""
