"""Asking catalogs of the world about papers, where the builder wants that."""
