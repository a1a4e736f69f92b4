"""A list of papers as reference managers read it: BibTeX, RIS and CSL-JSON, each from one `Citable`."""
