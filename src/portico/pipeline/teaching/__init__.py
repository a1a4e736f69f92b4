"""Learning from the builder: paths to pages, kinds of pages, fields, headers."""
