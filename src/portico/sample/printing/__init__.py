"""Prints papers and handouts as PDF and PostScript."""
