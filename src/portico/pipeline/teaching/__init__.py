"""What a builder shows, learned: paths to pages, kinds of pages, fields, headers."""
